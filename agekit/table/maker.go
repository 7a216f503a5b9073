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

// tableMaker collects the rows of a table of text, one after the other, and makes typed columns of them.
type tableMaker struct {
	name    string // the name of the file, for errors
	columns []columnMaker
	lines   []int32 // the line of each row in the file
	count   int     // how many rows came

	free      int64 // bytes of memory that were free before the first row
	unchecked int   // how many fields came since the memory was last checked
	shortage  error // set once the memory is not enough: further rows are counted, but not stored
}

// newTableMaker returns a maker of a table without rows as yet: file is its file's name, for errors,
// names are the names of its columns, and words are those of them that hold words, whatever the fields
// look like. It returns an error if the free memory is not known.
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

// fieldsPerCheck is after how many fields the memory is checked again: often enough to notice a
// shortage in time, and seldom enough to cost nothing.
const fieldsPerCheck = 1 << 20

// add appends a row with a field for each column, from a line of the file. A shortage of memory is no
// error yet: further rows are counted, for the error that fill returns.
func (t *tableMaker) add(record []string, line int) error {
	t.count++
	if t.count > math.MaxInt32 {
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
	t.unchecked += len(record)
	if t.unchecked < fieldsPerCheck {
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

// enoughRows is the number of first rows whose length in bytes tells about how many rows a file has.
const enoughRows = 1 << 12

// expect makes room for about so many rows, unless they need more memory than is free: append would take
// more than twice as much while it copies a column. If the number is wrong, append is what happens.
func (t *tableMaker) expect(rows float64) {
	const reserve = 1.02 // for later rows that are a little shorter than the first ones
	n := int(reserve * min(rows, math.MaxInt32))
	if t.memory(n) > float64(t.free) {
		return
	}
	t.lines = withRoom(t.lines, n)
	for k := range t.columns {
		t.columns[k].expect(n)
	}
}

// memory returns how many bytes a number of rows like those so far take.
func (t *tableMaker) memory(rows int) float64 {
	bytes := 4 * float64(rows) // t.lines, of 4 bytes each
	for k := range t.columns {
		bytes += t.columns[k].memory(rows)
	}
	return bytes
}

// checkMemory returns an error if the rows so far take more memory than was free before the first of them
// and [system.CheckMemory] finds no more.
func (t *tableMaker) checkMemory() error {
	bytes := t.memory(t.count)
	if bytes <= float64(t.free) {
		return nil
	}
	return system.CheckMemory(fmt.Sprintf("%s: table of %d rows and %d columns", t.name, t.count, len(t.columns)), bytes)
}

// fill sets the rows of a table, whose columns have only names so far. Call it after the last row. It
// returns the error about memory that was not enough, with the number of all rows.
func (t *tableMaker) fill(table *Table) error {
	if err := t.checkMemory(); err != nil {
		return err
	}
	if t.shortage != nil { // of earlier rows, which are gone, though there is enough memory by now
		return t.shortage
	}
	table.Rows, table.lines = t.count, t.lines
	for k := range t.columns {
		table.Columns[k] = t.columns[k].column()
	}
	return nil
}

// columnMaker makes a column of the fields of a text, which come one after the other. The fields are
// taken for numbers until one comes that is no number in any notation; then the numbers before become
// words. After each field the column has the values that it would have if that field were the last one;
// only numbers in another notation than the plain one are NaN until [columnMaker.column] parses them. If
// the values do not give the fields back as they were written, the column has the fields beside the
// values, so that the file need not be read again.
type columnMaker struct {
	Column
	text     bool     // the values are words
	numerals numerals // of the fields that are not missing, up to the first that is no number
	fields   int      // how many fields came
	bytes    int      // how many bytes all fields have
	freed    bool     // memory was short: the values are gone, and further ones are not stored
	rows     int      // how many rows are expected; 0 if that is unknown

	oddWord   bool // some field cannot be given back by the values if the column holds words
	oddNumber bool // some field cannot be given back by the values if the column holds numbers
	fractions bool // some number is not written as an integer with .0
}

// add appends a field, with the spaces around it.
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
	hasSpaces, isMissingWord := len(value) < len(field), missing && value != ""
	c.oddWord = c.oddWord || hasSpaces || isMissingWord
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

// isFormatted reports whether a text is what formatNumber returns for the number v. It makes no string
// of v, since it is called for each field.
func isFormatted(v float64, text string) bool {
	var buffer [32]byte // most numbers take no more
	return string(strconv.AppendFloat(buffer[:0], v, 'f', -1, 64)) == text
}

// addWord appends a trimmed field to the words, as a missing value if it stands for one.
func (c *columnMaker) addWord(value string) {
	if IsMissing(value) {
		c.gap = cmp.Or(c.gap, strings.Clone(value))
		value = ""
	}
	c.AddWord(value)
}

// makeWords makes words of the numbers so far, when a field shows that the column holds words.
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

// storeFields stores the fields so far beside the values, which still give all of these fields back.
func (c *columnMaker) storeFields() {
	fields := &Cells{Text: make([]byte, 0, c.textOf(c.rows)), Ends: make([]int, 0, c.rows)}
	for row := range c.Len() {
		fields.Add(c.Cell(row))
	}
	c.cells = fields
}

// expect makes room for a number of rows.
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

// textOf returns how many bytes the fields of a number of rows have, if they are as long as those so far.
func (c *columnMaker) textOf(rows int) int {
	return int(float64(c.bytes) * (float64(rows) / float64(max(1, c.fields))))
}

// withRoom returns s with a capacity of n elements at least. Unlike [slices.Grow], it does not touch the
// memory after the elements, which may never be used.
func withRoom[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s
	}
	return append(make([]T, 0, n), s...)
}

// free frees the values. Later fields still count and decide what the column holds, but are not stored.
func (c *columnMaker) free() {
	c.freed = true
	c.Numbers, c.Codes, c.cells = nil, nil, nil
}

// isOdd reports whether the column needs its fields beside the values, which do not give them back.
func (c *columnMaker) isOdd() bool {
	return c.oddWord || !c.text && (c.oddNumber || c.numerals.best() != 0)
}

// memory returns how many bytes a number of rows like those so far take in the column.
func (c *columnMaker) memory(rows int) (bytes float64) {
	bytes = 8 * float64(rows) // Numbers
	if c.text {
		bytes = 4 * float64(rows) // Codes
	}
	if c.isOdd() {
		bytes += 8*float64(rows) + float64(c.textOf(rows)) // cells.Ends and cells.Text
	}
	return bytes
}

// column returns the column of all fields. Call it after the last one: only then is the notation of the
// numbers known.
func (c *columnMaker) column() Column {
	c.Notation = c.numerals.best()
	c.integers = !c.text && c.numerals.fields > 0 && !c.fractions
	if c.isOdd() && c.cells == nil {
		c.storeFields()
	}
	if c.Notation != 0 && !c.text {
		for row := range c.Numbers {
			if value := strings.TrimSpace(c.cells.At(row)); !IsMissing(value) {
				c.Numbers[row], _ = c.Notation.Number(value) // the notation fits all fields, else they were words
			}
		}
	}
	if c.cells != nil {
		c.cells.clean()
	}
	return c.Column
}
