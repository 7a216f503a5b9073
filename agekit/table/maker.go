package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

// tableMaker makes the rows of a table of text, which come one after the other.
type tableMaker struct {
	name    string // of the file
	columns []columnMaker
	lines   []int32 // of the rows
	count   int     // of the rows

	free      int64 // bytes of memory before the first row
	unchecked int   // fields that came since their memory was checked
	shortage  error // the memory was not enough: rows are counted, but not stored
}

// newTableMaker returns a table without rows. The columns with the names in words hold words.
func newTableMaker(file string, names, words []string) (*tableMaker, error) {
	free, err := system.FreeMemory()
	t := &tableMaker{name: file, columns: make([]columnMaker, len(names)), free: free}
	for k, name := range names {
		c := &t.columns[k]
		c.Name = name
		c.words = name != "" && slices.Contains(words, name)
		c.text = c.words
	}
	return t, err
}

// add appends a row.
func (t *tableMaker) add(record []string, line int) error {
	if t.count++; t.count > math.MaxInt32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	for k, field := range record {
		if !utf8.ValidString(field) {
			return fmt.Errorf("column %d: %s: want UTF-8", k+1, message.Quote(field))
		}
		t.columns[k].add(field)
	}
	if t.shortage != nil {
		return nil
	}
	t.lines = append(t.lines, int32(line))
	if t.unchecked += len(record); t.unchecked < 1<<20 {
		return nil
	}
	t.unchecked = 0
	if t.shortage = t.checkMemory(); t.shortage != nil {
		for k := range t.columns {
			t.columns[k].free()
		}
	}
	return nil
}

// enoughRows tell how long the rows of a file are.
const enoughRows = 1 << 12

// expect makes room for about so many rows, as far as memory is free: append would take more than
// twice as much while it copies a column. A wrong number costs no more than that.
func (t *tableMaker) expect(rows float64) {
	n := int(1.02 * min(rows, math.MaxInt32))
	if t.memory(n) > float64(t.free) {
		return
	}
	t.lines = withRoom(t.lines, n)
	for k := range t.columns {
		t.columns[k].expect(n)
	}
}

// memory returns the bytes that so many rows take.
func (t *tableMaker) memory(rows int) float64 {
	bytes := 4 * float64(rows) // the numbers of the lines
	for k := range t.columns {
		bytes += t.columns[k].memory(rows)
	}
	return bytes
}

// checkMemory returns an error if the rows take more memory than was free before them.
func (t *tableMaker) checkMemory() error {
	bytes := t.memory(t.count)
	if bytes <= float64(t.free) {
		return nil
	}
	return system.CheckMemory(fmt.Sprintf("%s: table of %d rows and %d columns", t.name, t.count, len(t.columns)), bytes)
}

// fill gives a table the rows, after the last one.
func (t *tableMaker) fill(table *Table) error {
	if err := cmp.Or(t.checkMemory(), t.shortage); err != nil {
		return err
	}
	table.Rows, table.lines = t.count, t.lines
	for k := range t.columns {
		table.Columns[k] = t.columns[k].column()
	}
	return nil
}

// columnMaker makes a column of the fields of a text, which come one after the other. They are taken
// for numbers until one comes that is none; then those before become words. After each field the
// column has the values that it would have if that were the last one, but that the numbers are those
// of the plain notation. It has the fields beside the values if these do not give them back, and so
// no field needs to be read again.
type columnMaker struct {
	Column
	text     bool     // the values are words
	numerals numerals // of the fields that are not missing, up to the first that is no number
	fields   int      // their number
	bytes    int      // of all fields
	freed    bool     // the values are not stored
	rows     int      // that are expected; 0 if that is unknown

	// The values do not give some field back: if the column holds words, or numbers.
	oddWord, oddNumber bool
	fractions          bool // some number is not written as an integer with .0
}

// add appends a field.
func (c *columnMaker) add(field string) {
	value := strings.TrimSpace(field)
	missing := IsMissing(value)
	number := math.NaN() // also for a number in another than the plain notation
	if !missing && !c.text {
		if plain, ok := c.numerals.add(value); ok {
			number = plain
		}
		if c.numerals.none() {
			c.makeWords()
		}
		c.oddNumber = c.oddNumber || !isFormatted(number, value)
		c.fractions = c.fractions || !IsInteger(value)
	}
	c.oddWord = c.oddWord || len(value) < len(field) || missing && value != ""
	c.fields++
	c.bytes += len(field)
	if c.freed {
		return
	}
	if c.cells == nil && (c.oddWord || c.oddNumber && !c.text) {
		c.storeFields()
	}
	if c.cells != nil {
		c.cells.Add(field)
	}
	if c.text {
		c.addWord(value)
	} else {
		c.Numbers = append(c.Numbers, number)
	}
}

// isFormatted reports whether a text is what formatNumber returns for a number.
func isFormatted(v float64, text string) bool {
	var buffer [32]byte // most numbers take no more
	return string(strconv.AppendFloat(buffer[:0], v, 'f', -1, 64)) == text
}

// addWord appends a trimmed field to the words.
func (c *columnMaker) addWord(value string) {
	if IsMissing(value) {
		c.gap = cmp.Or(c.gap, strings.Clone(value))
		value = ""
	}
	c.AddWord(value)
}

// makeWords makes words of the numbers.
func (c *columnMaker) makeWords() {
	numbers := c.Column
	c.text, c.Numbers = true, nil
	c.Codes = make([]int32, 0, c.rows)
	for row := range numbers.Len() {
		c.addWord(strings.TrimSpace(numbers.Cell(row)))
	}
	if !c.oddWord {
		c.cells = nil
	}
}

// storeFields stores the fields, which the values give back, beside them.
func (c *columnMaker) storeFields() {
	fields := &Cells{Text: make([]byte, 0, c.textOf(c.rows)), Ends: make([]int, 0, c.rows)}
	for row := range c.Len() {
		fields.Add(c.Cell(row))
	}
	c.cells = fields
}

// expect makes room for so many rows.
func (c *columnMaker) expect(rows int) {
	c.rows = rows
	if c.text {
		c.Codes = withRoom(c.Codes, rows)
	} else {
		c.Numbers = withRoom(c.Numbers, rows)
	}
	if c.cells != nil {
		c.cells.Text = withRoom(c.cells.Text, c.textOf(rows))
		c.cells.Ends = withRoom(c.cells.Ends, rows)
	}
}

// textOf returns how many bytes the fields of so many rows have, if they are like those so far.
func (c *columnMaker) textOf(rows int) int {
	return int(float64(c.bytes) * (float64(rows) / float64(max(1, c.fields))))
}

// withRoom returns a slice that has room for n elements. Unlike [slices.Grow], it does not touch the
// memory that may never be used.
func withRoom[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s
	}
	return append(make([]T, 0, n), s...)
}

// free frees the values. Fields that come later are looked at, but not stored.
func (c *columnMaker) free() {
	c.freed = true
	c.Numbers, c.Codes, c.cells = nil, nil, nil
}

// isOdd reports whether the column has its fields beside the values.
func (c *columnMaker) isOdd() bool {
	return c.oddWord || !c.text && (c.oddNumber || c.numerals.best() != 0)
}

// memory returns the bytes that so many rows take.
func (c *columnMaker) memory(rows int) (bytes float64) {
	bytes = 8 * float64(rows)
	if c.text {
		bytes /= 2
	}
	if c.isOdd() {
		bytes += 8*float64(rows) + float64(c.textOf(rows))
	}
	return bytes
}

// column returns the column of all fields, after the last one.
func (c *columnMaker) column() Column {
	c.Notation = c.numerals.best()
	c.integers = !c.text && c.numerals.fields > 0 && !c.fractions
	if c.isOdd() && c.cells == nil {
		c.storeFields()
	}
	if c.Notation != 0 && !c.text {
		for row := range c.Numbers {
			if value := strings.TrimSpace(c.cells.At(row)); !IsMissing(value) {
				c.Numbers[row], _ = c.Notation.Number(value) // which fits all
			}
		}
	}
	if c.cells != nil {
		c.cells.clean()
	}
	return c.Column
}
