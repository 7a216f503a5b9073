package table

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agekit/age/internal/message"
)

// Cells is a list of texts, such as the fields of a column as the file has them, stored one after
// the other in one slice of bytes.
type Cells struct {
	Text []byte
	Ends []int // Ends[k] is where text k ends in Text, and text k+1 begins
}

// Add appends a text.
func (c *Cells) Add(field string) {
	c.Text = append(c.Text, field...)
	c.Ends = append(c.Ends, len(c.Text))
}

// At returns text k, counted from 0.
func (c *Cells) At(k int) string {
	from := 0
	if k > 0 {
		from = c.Ends[k-1]
	}
	return string(c.Text[from:c.Ends[k]])
}

// clean replaces each text in c by what [Cleaner.Clean] makes of it. The changes are not counted.
func (c *Cells) clean() {
	if isPlain(c.Text) {
		return
	}
	cleaned := Cells{Text: make([]byte, 0, len(c.Text)), Ends: make([]int, 0, len(c.Ends))}
	for k := range c.Ends {
		cleaned.Add((&Cleaner{}).Clean(c.At(k)))
	}
	*c = cleaned
}

// Text returns the value in a row as text, and false if the value is missing. The text is the field
// of the file, trimmed, where the column has the fields; else a number with as few digits as identify
// it. So 1.1 and 1.10, as fields of a file, are different categories.
func (c *Column) Text(row int) (string, bool) {
	switch {
	case c.Numbers != nil && math.IsNaN(c.Numbers[row]):
		return "", false
	case c.Numbers != nil && c.cells != nil:
		return strings.TrimSpace(c.cells.At(row)), true
	case c.Numbers != nil:
		return formatNumber(c.Numbers[row]), true
	case c.Codes[row] >= 0:
		return c.Values[c.Codes[row]], true
	}
	return "", false
}

// Key returns the value in a row as a key, and false if the value is missing. The key is the text of
// the value; but if all values of the column are integers with .0, as pandas writes integers in a
// column with gaps, the key is the text without .0.
func (c *Column) Key(row int) (string, bool) {
	text, ok := c.Text(row)
	if c.integers {
		text = strings.TrimSuffix(text, ".0")
	}
	return text, ok
}

// PerRow returns a number for each row of a column of words: ofValues[k] where the word is
// c.Values[k], NaN where it is missing.
func (c *Column) PerRow(ofValues []float64) []float64 {
	numbers := make([]float64, len(c.Codes))
	for row, code := range c.Codes {
		numbers[row] = math.NaN()
		if code >= 0 {
			numbers[row] = ofValues[code]
		}
	}
	return numbers
}

// Cell returns the field of a row as the file has it, where the column has the fields; else the value
// as text, "" if it is missing.
func (c *Column) Cell(row int) string {
	if c.cells != nil {
		return c.cells.At(row)
	}
	text, _ := c.Text(row)
	return text
}

// Texts returns the distinct values as texts, without the missing ones.
func (c *Column) Texts() []string {
	if c.Numbers == nil {
		return c.Values
	}
	var words Column
	for row := range c.Len() {
		text, _ := c.Text(row)
		words.AddWord(text)
	}
	return words.Values
}

// AddWord appends a row with a word, which is trimmed, or with a missing value if the word is empty.
// Words are not turned to numbers, even if all of them are numbers.
func (c *Column) AddWord(word string) {
	word = c.changes.Clean(strings.TrimSpace(word))
	if word == "" {
		c.Codes = append(c.Codes, -1)
		return
	}
	code, ok := c.index[word]
	if !ok {
		if c.index == nil {
			c.index = map[string]int32{}
		}
		word = strings.Clone(word) // it may be a part of a long line
		code = int32(len(c.Values))
		c.index[word], c.Values = code, append(c.Values, word)
	}
	c.Codes = append(c.Codes, code)
}

// NewWords returns a column of words, one for each row; an empty word is a missing value.
func NewWords(name string, words []string) Column {
	c := Column{Name: name}
	for _, word := range words {
		c.AddWord(word)
	}
	c.index = nil // which only AddWord needs
	return c
}

// NewNumbers returns a column of numbers, one for each row; NaN is a missing value. The column shares
// the slice if the numbers are float64s, and has a copy of other types.
func NewNumbers[T int | int32 | float32 | float64](name string, numbers []T) Column {
	if values, ok := any(numbers).([]float64); ok {
		return Column{Name: name, Numbers: values}
	}
	c := Column{Name: name, Numbers: make([]float64, len(numbers))}
	for i, v := range numbers {
		c.Numbers[i] = float64(v)
	}
	return c
}

// Cleaner counts what its method Clean has changed.
type Cleaner struct {
	replaced int // characters that became U+FFFD
	composed int // texts that were not in the composed form
}

// Clean returns a text in the composed form of Unicode (NFC), where é is one character. U+FFFD
// replaces control characters, other than tabs and line ends, and U+FEFF, U+FFFE and U+FFFF: a
// terminal would obey control characters, XML can hold none of these characters, and a byte-order
// mark (U+FEFF) within a text is invisible. What is changed is counted in n.
func (n *Cleaner) Clean(text string) string {
	if isPlain(text) {
		return text
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
		n.composed++
	}
	unwanted := func(r rune) bool {
		switch r {
		case '\t', '\n', '\r':
			return false
		case 0xfeff, 0xfffe, 0xffff:
			return true
		}
		return unicode.IsControl(r)
	}
	if strings.IndexFunc(text, unwanted) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unwanted(r) {
			n.replaced++
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// isPlain reports whether a text needs no cleaning because it has nothing but printable ASCII, tabs and
// line ends.
func isPlain[T string | []byte](text T) bool {
	for k := range len(text) {
		if c := text[k]; (c < ' ' || c > '~') && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

// Warnings returns a warning about each kind of change that n has counted.
func (n Cleaner) Warnings() (all []Warning) {
	if n.replaced > 0 {
		all = append(all, message.Sprintf("%d control characters were replaced by %c", n.replaced, unicode.ReplacementChar))
	}
	if n.composed > 0 {
		all = append(all, message.Sprintf("%d texts with letters and accents apart (Unicode's form NFD) were composed (NFC): they are the same words", n.composed))
	}
	return all
}

// NumbersOrWords returns the column of numbers that a column of words holds, if each word either is a
// number or stands for a missing value ([IsMissing]), and one at least is a number. Otherwise it returns
// c as it is.
func NumbersOrWords(c Column) Column {
	var numerals numerals
	for _, word := range c.Values {
		if !IsMissing(word) {
			numerals.add(word)
		}
	}
	if numerals.fields == 0 || numerals.none() {
		return c
	}
	numbers := columnMaker{Column: Column{Name: c.Name, changes: c.changes}}
	for row := range c.Codes {
		numbers.add(c.Cell(row))
	}
	numbers.numerals = numerals // in which each distinct word counts once, not once for each row
	return numbers.column()
}
