package input

import (
	"math"
	"strings"
)

// cells are texts end to end, such as the fields of a column as the file has them.
type cells struct {
	text []byte
	ends []int // of each
}

func (c *cells) add(field string) {
	c.text = append(c.text, field...)
	c.ends = append(c.ends, len(c.text))
}

func (c *cells) at(k int) string {
	from := 0
	if k > 0 {
		from = c.ends[k-1]
	}
	return string(c.text[from:c.ends[k]])
}

// Text returns the value of a row as text, and false if it is missing: the field of the
// file, trimmed, or a number with as few digits as identify it. So 1.1 and 1.10 are
// different categories.
func (c *Column) Text(row int) (string, bool) {
	switch {
	case c.Numbers != nil && math.IsNaN(c.Numbers[row]):
		return "", false
	case c.Numbers != nil && c.cells != nil:
		return strings.TrimSpace(c.cells.at(row)), true
	case c.Numbers != nil:
		return formatNumber(c.Numbers[row]), true
	case c.Codes[row] >= 0:
		return c.Values[c.Codes[row]], true
	}
	return "", false
}

// perRow returns the number of each row's value, NaN where it is missing: a column of words has
// one for each of its Values.
func (c *Column) perRow(ofValues []float64) []float64 {
	numbers := make([]float64, len(c.Codes))
	for row, code := range c.Codes {
		numbers[row] = math.NaN()
		if code >= 0 {
			numbers[row] = ofValues[code]
		}
	}
	return numbers
}

// ID returns the value of a row as the id of a node, and false if it is missing: its text.
// But where all values of the column are integers with .0, as pandas writes those of a
// column with gaps, it is the integer.
func (c *Column) ID(row int) (string, bool) {
	text, ok := c.Text(row)
	if c.integers {
		text = strings.TrimSuffix(text, ".0")
	}
	return text, ok
}

// Cell returns the field of a row as the file has it, if it had fields, or else its value
// as text, empty if it is missing.
func (c *Column) Cell(row int) string {
	if c.cells != nil {
		return c.cells.at(row)
	}
	text, _ := c.Text(row)
	return text
}

// texts returns the distinct values as texts, without the missing ones.
func (c *Column) texts() []string {
	if c.Numbers == nil {
		return c.Values
	}
	var words Column
	for row := range c.len() {
		text, _ := c.Text(row)
		words.AddWord(text)
	}
	return words.Values
}
