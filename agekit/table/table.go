package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
)

// Table is a table of named columns, all with one value per row.
type Table struct {
	Path    string   // the file of the table
	Columns []Column // in the order of the file
	Rows    int      // their number
	Remarks

	Headless  bool // nothing but the lines of a text says that it has no header
	Separator rune // of a text; 0 in other files
	EmptyRows int  // at the end of a text, which have nothing in them and are left out
	LeftOut   bool // a last row of sums is left out, with a warning

	lines []int32 // of each row, from 1; nil if the file has no lines
}

// Column is a column of numbers or of words. Exactly one of Numbers and Codes is
// set, unless the table has no rows.
type Column struct {
	// Name is the column's name; "" if the file has none for it.
	Name string
	// Numbers has the values if all are numbers; NaN where one is missing.
	Numbers []float64
	// Codes has the index of each row's word in Values; −1 where it is missing.
	Codes []int32
	// Values are the distinct values, in the order in which they appear.
	Values []string
	// Notation is how the numbers are written in a text.
	Notation Notation

	words    bool             // the reader was told that the column holds words, which are no lists of numbers
	index    map[string]int32 // the place of each word in Values, while words are added
	cells    *Cells           // the field of each row as the file has it; nil if Text gives each field back
	integers bool             // all numbers are written as integers with .0
	gap      string           // the first word that was taken for a missing value
	changes  Cleaner          // counts what was changed in the words
}

// IsMissing reports whether a field of a file stands for a missing value: an
// empty one, ?, NA, N/A, NaN, None or null, in any case.
func IsMissing(field string) bool {
	switch len(field) {
	case 0, 1:
		return field == "" || field == "?"
	case 2, 3, 4:
		return slices.Contains([]string{"na", "n/a", "nan", "none", "null", "<na>"}, strings.ToLower(field))
	}
	return false
}

// Len returns the number of values.
func (c *Column) Len() int { return max(len(c.Numbers), len(c.Codes)) }

// formatNumber returns a number as text, without an exponent, and with as few digits as identify it.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Missing returns the number of missing values.
func (c *Column) Missing() (count int) {
	for row := range c.Len() {
		if c.Numbers != nil && math.IsNaN(c.Numbers[row]) || c.Numbers == nil && c.Codes[row] < 0 {
			count++
		}
	}
	return count
}

// Distinct returns how many different values, other than missing ones, the column has.
func (c *Column) Distinct() int {
	numbers := slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN)
	slices.Sort(numbers)
	return len(c.Values) + len(slices.Compact(numbers))
}

// Label names the column at an index in messages: its name, or its number from 1.
func (t *Table) Label(k int) string {
	if name := t.Columns[k].Name; name != "" {
		return message.Quote(name)
	}
	return strconv.Itoa(k + 1)
}

// Names lists all columns for messages.
func (t *Table) Names() string {
	names := make([]string, len(t.Columns))
	for k := range names {
		names[k] = t.Label(k)
	}
	return strings.Join(names, ", ")
}

// Find returns the index of the column with a name; if none has that name, the name may also be the number
// of a column, from 1. The error about an unknown column lists the columns.
func (t *Table) Find(name string) (int, error) {
	if k := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }); k >= 0 {
		return k, nil
	}
	if k, err := strconv.Atoi(name); err == nil && 1 <= k && k <= len(t.Columns) {
		return k - 1, nil
	}
	return 0, fmt.Errorf("%s: no column %s: want one of %s", t.Path, message.Quote(name), message.Shorten(t.Names()))
}

// Errorf returns an error about a row, counted from 0: the path of the table and the row's line, or its
// number from 1 if the file has no lines, come before the formatted text.
func (t *Table) Errorf(row int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if t.lines == nil {
		return fmt.Errorf("%s: row %d: %w", t.Path, row+1, err)
	}
	return fmt.Errorf("%s:%d: %w", t.Path, t.lines[row], err)
}

// Place names a row, counted from 0, in messages: by its line, or by its number from 1 if the file has no
// lines.
func (t *Table) Place(row int) string {
	if t.lines == nil {
		return fmt.Sprintf("row %d", row+1)
	}
	return fmt.Sprintf("line %d", t.lines[row])
}

// Options holds what a reader otherwise detects.
type Options struct {
	// Pairs says that each row has the two ends of a pair, such as an edge. Lines of a text may then
	// be pairs in brackets, with arrows, of N-Triples or DIMACS too.
	Pairs bool
	// Header says whether the first line names the columns. Default: it is detected by how unlike
	// the other lines the first one is; where that is in doubt, a warning says what was taken.
	Header *bool
	// Names are columns that the user names: a first line that has one of them is a header.
	Names []string
	// Words are the names of columns that hold words, also where all are numbers. They are for
	// formats that say of no column what it holds.
	Words []string
	// Verbatim says that no line is a comment. Otherwise, a line that begins with # is one
	// if a space, a tab, another # or the end of the line follows, or if it has not as many
	// fields as the others.
	Verbatim bool
	// EveryLine says that each line is a row, known by its number: columns may have the
	// same names, and no line may be blank.
	EveryLine bool
	// Separator of columns. Default 0: it is detected.
	Separator rune
	// IsKey reports whether a field is known to be a key of a row, to which another table refers: a
	// first line with a key in the column that has most of them is no header, and a last row with one
	// is no row of sums. Default nil: none are known.
	IsKey func(field string) bool
	// HasRow reports whether another file has something, such as features or edges, for the row of that
	// number, from 0: a last row of sums is not left out then, but warned of. Default nil: there is no
	// such file.
	HasRow func(row int) bool
	// Progress hears how many bytes of a large file have been read, if it is not nil.
	Progress progress.Func
}

// Names of options that messages advise, which are fields of package input's Source: the one that keeps numbers
// as words, and the one that says what columns hold.
const (
	categoryOption message.Option = "Source.Columns.Category"
	schemaOption   message.Option = "Source.Schema"
)

// Finish completes a table that was read. It cleans the names of the columns, and adds warnings about what was changed or guessed, and about values and names that are
// formulas to a spreadsheet.
func (t *Table) Finish() {
	var changes Cleaner // of all columns together
	guessed := NotesOf(t)
	for k := range t.Columns {
		c := &t.Columns[k]
		changes.replaced += c.changes.replaced
		changes.composed += c.changes.composed
		c.Name = changes.Clean(c.Name)
		c.index = nil // no more words come
		c.keepNamibia()
		switch mark := marks[c.Notation]; {
		case c.Numbers != nil && mark.thousands != 0:
			example := t.example(k, func(cell string) bool { return strings.IndexByte(noBreak.Replace(cell), mark.thousands) >= 0 })
			guessed.Add(k, message.Sprintf("numbers with %q between thousands", mark.thousands).Advise("%s keeps them as categories", categoryOption, ""), example)
		case c.Numbers != nil && mark.decimal == ',' && t.Separator == ';':
			t.Notes = append(t.Notes, DecimalComma(t.Label(k)))
		case c.Numbers != nil && mark.decimal == ',':
			guessed.Add(k, message.Sprintf("numbers with a decimal comma").Advise("%s keeps them as categories", categoryOption, ""),
				t.example(k, func(cell string) bool { return strings.Contains(cell, ",") }))
		case c.Codes != nil && c.hasCountries():
			missing := message.Sprintf("NA among codes of two letters counts as a gap, not as a code")
			missing = missing.Advise("%s with the type category for the column keeps it", schemaOption, "")
			guessed.Add(k, missing, t.example(k, func(cell string) bool { return strings.TrimSpace(cell) == c.gap }))
		case c.Codes != nil && c.gap != "":
			guessed.Add(k, message.Sprintf("words that say that a value is missing count as gaps"), t.example(k, func(cell string) bool { return strings.TrimSpace(cell) == c.gap }))
		}
	}
	t.Warnings = slices.Concat(t.Warnings, guessed.Lines(), changes.Warnings())
	var texts []string
	for _, c := range t.Columns {
		texts = append(append(texts, c.Name), c.Values...)
	}
	t.WarnOfFormulas(slices.Values(texts))
}

// example returns the first cell of column k for which match reports true, with its place, for a message;
// "" if there is none.
func (t *Table) example(k int, match func(cell string) bool) string {
	for row := range t.Rows {
		if cell := t.Columns[k].Cell(row); match(cell) {
			return fmt.Sprintf("%s in %s", message.Quote(strings.TrimSpace(cell)), t.Place(row))
		}
	}
	return ""
}

// DecimalComma returns a note that a column has a comma before decimals.
func DecimalComma(label string) string {
	return fmt.Sprintf("column %s: numbers with a decimal comma", label)
}

// Subset returns a table with copies of some rows, given by their indices, in that order.
func (t *Table) Subset(rows []int) *Table {
	subset := &Table{Path: t.Path, Rows: len(rows)}
	for _, c := range t.Columns {
		copied := Column{Name: c.Name, integers: c.integers, Notation: c.Notation}
		if c.cells != nil {
			copied.cells = &Cells{}
		}
		for _, row := range rows {
			if c.cells != nil {
				copied.cells.Add(c.cells.At(row))
			}
			if c.Numbers != nil {
				copied.Numbers = append(copied.Numbers, c.Numbers[row])
			} else {
				text, _ := c.Text(row)
				copied.AddWord(text)
			}
		}
		copied.index = nil
		subset.Columns = append(subset.Columns, copied)
	}
	for _, row := range rows {
		if t.lines != nil {
			subset.lines = append(subset.lines, t.lines[row])
		}
	}
	return subset
}
