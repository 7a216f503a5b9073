package table

import (
	"cmp"
	"iter"
	"math"
	"strconv"
	"strings"
)

// columnMaker makes a column of the fields of a text, which come one after the other. Fields are
// numbers until one comes that is none: then those before become words too. After each field the
// maker holds what the column would hold if that were the last one, so that nothing is read
// again: the fields themselves beside the values only if these do not give them back.
type columnMaker struct {
	Column                   // its name and its words
	text     bool            // the values are words
	numbers  pieces[float64] // else; NaN for gaps and for what is a number only in another notation
	codes    pieces[int32]   // of the words, as Column.Codes
	fields   *fieldsInPieces // nil if the values give all fields back
	bytes    int             // of all fields
	numerals numerals        // of the fields that are not missing, up to the first that is no number
	counts   bool            // the values are not stored, but only counted

	// The values do not give some field back: if the column holds words, or numbers.
	oddWord, oddNumber bool
	fractions          bool // some number is not written as an integer with .0
}

// fieldsInPieces are [Cells] in the making.
type fieldsInPieces struct {
	text pieces[byte]
	ends pieces[int]
}

func (f *fieldsInPieces) add(field string) {
	f.text.reserve(len(field))
	f.text.last = append(f.text.last, field...)
	f.ends.add(f.text.len())
}

func (f *fieldsInPieces) cells() *Cells { return &Cells{f.text.join(), f.ends.join()} }

// add appends a field.
func (c *columnMaker) add(field string) {
	value := strings.TrimSpace(field)
	missing := IsMissing(value)
	number := math.NaN()
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
	c.bytes += len(field)
	if c.counts {
		return
	}
	if c.fields == nil && (c.oddWord || c.oddNumber && !c.text) {
		c.storeFields()
	}
	if c.fields != nil {
		c.fields.add(field)
	}
	if c.text {
		c.addWord(value)
	} else {
		c.numbers.add(number)
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
	c.codes.add(c.code(value))
}

// makeWords makes words of the numbers.
func (c *columnMaker) makeWords() {
	for field := range c.stored() {
		c.addWord(strings.TrimSpace(field))
	}
	c.text, c.numbers = true, pieces[float64]{}
	if !c.oddWord {
		c.fields = nil
	}
}

// storeFields stores the fields, which the values give back.
func (c *columnMaker) storeFields() {
	fields := &fieldsInPieces{}
	for field := range c.stored() {
		fields.add(field)
	}
	c.fields = fields
}

// stored yields the fields.
func (c *columnMaker) stored() iter.Seq[string] {
	return func(yield func(string) bool) {
		switch {
		case c.fields != nil:
			cells := c.fields.cells()
			for row := range cells.Ends {
				if !yield(cells.At(row)) {
					return
				}
			}
		case c.text:
			for code := range c.codes.all() {
				word := ""
				if code >= 0 {
					word = c.Values[code]
				}
				if !yield(word) {
					return
				}
			}
		default:
			for v := range c.numbers.all() {
				text := ""
				if !math.IsNaN(v) {
					text = formatNumber(v)
				}
				if !yield(text) {
					return
				}
			}
		}
	}
}

// isOdd reports whether the column has its fields beside the values.
func (c *columnMaker) isOdd() bool {
	return c.oddWord || !c.text && (c.oddNumber || c.numerals.best() != 0)
}

// memory returns the bytes that a column of so many rows takes.
func (c *columnMaker) memory(rows int) (bytes float64) {
	bytes = 8 * float64(rows)
	if c.text {
		bytes /= 2
	}
	if c.isOdd() {
		bytes += 8*float64(rows) + float64(c.bytes)
	}
	return bytes
}

// count frees the values. Fields that come later are no more stored.
func (c *columnMaker) count() {
	c.counts = true
	c.numbers, c.codes, c.fields = pieces[float64]{}, pieces[int32]{}, nil
}

// column returns the column of all fields.
func (c *columnMaker) column() Column {
	c.Notation = c.numerals.best()
	c.integers = !c.text && c.numerals.fields > 0 && !c.fractions
	if c.isOdd() && c.fields == nil {
		c.storeFields()
	}
	c.Numbers, c.Codes = c.numbers.join(), c.codes.join()
	if c.fields == nil {
		return c.Column
	}
	c.cells = c.fields.cells()
	if c.Notation != 0 {
		for row := range c.Numbers {
			if value := strings.TrimSpace(c.cells.At(row)); !IsMissing(value) {
				c.Numbers[row], _ = c.Notation.Number(value) // which fits all
			}
		}
	}
	c.cells.clean()
	return c.Column
}
