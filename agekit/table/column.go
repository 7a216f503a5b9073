package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agekit/age/internal/message"
)

// Cells are texts end to end, such as the fields of a column as the file has them.
type Cells struct {
	Text []byte
	Ends []int // of each
}

// Add appends a text.
func (c *Cells) Add(field string) {
	c.Text = append(c.Text, field...)
	c.Ends = append(c.Ends, len(c.Text))
}

// At returns the text at an index.
func (c *Cells) At(k int) string {
	from := 0
	if k > 0 {
		from = c.Ends[k-1]
	}
	return string(c.Text[from:c.Ends[k]])
}

// clean replaces the texts by what [Cleaner.Clean] makes of them.
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

// Text returns the value of a row as text, and false if it is missing: the field of the
// file, trimmed, or a number with as few digits as identify it. So 1.1 and 1.10 are
// different categories.
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

// Key returns the value of a row as a key: its text, but an integer if all values of the column are
// integers with .0, as pandas writes those of a column with gaps.
func (c *Column) Key(row int) (string, bool) {
	text, ok := c.Text(row)
	if c.integers {
		text = strings.TrimSuffix(text, ".0")
	}
	return text, ok
}

// PerRow returns the number of each row's value, NaN where it is missing: a column of words has
// one for each of its Values.
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

// Cell returns the field of a row as the file has it, if it had fields, or else its value
// as text, empty if it is missing.
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

// AddWord appends a word, trimmed, or a missing value if it is empty. Words remain words
// even if all are numbers.
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

// NewWords returns a column of words; empty ones are missing.
func NewWords(name string, words []string) Column {
	c := Column{Name: name}
	for _, word := range words {
		c.AddWord(word)
	}
	c.index = nil
	return c
}

// NewNumbers returns a column of numbers; NaN are missing. It does not copy float64s.
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

// Cleaner counts what clean changed.
type Cleaner struct{ replaced, composed int }

// Clean returns a text in the composed form of Unicode, where é is one character, and with
// U+FFFD in place of control characters but tabs and line ends, and of U+FEFF, U+FFFE and U+FFFF: a
// terminal would obey control characters, XML can hold none of them, and a byte-order mark
// within a text is not seen.
func (n *Cleaner) Clean(text string) string {
	if isPlain(text) {
		return text
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
		n.composed++
	}
	control := func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || r == 0xfeff || r == 0xfffe || r == 0xffff
	}
	if strings.IndexFunc(text, control) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			n.replaced++
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// isPlain reports whether a text has nothing but the characters of ASCII that are no orders.
func isPlain[T string | []byte](text T) bool {
	for k := range len(text) {
		if c := text[k]; (c < ' ' || c > '~') && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

// Warnings says what was changed.
func (n Cleaner) Warnings() (all []Warning) {
	if n.replaced > 0 {
		all = append(all, message.Sprintf("%d control characters were replaced by %c", n.replaced, unicode.ReplacementChar))
	}
	if n.composed > 0 {
		all = append(all, message.Sprintf("%d texts with letters and accents apart (Unicode's form NFD) were composed (NFC): they are the same words", n.composed))
	}
	return all
}

// ListOf returns the numbers in a list in brackets, as Python, NumPy and JSON write it, and
// false for other texts.
func ListOf(text string) (list []float64, ok bool) {
	if len(text) < 2 || text[0] != '[' && text[0] != '(' || text[len(text)-1] != ']' && text[len(text)-1] != ')' {
		return nil, false
	}
	for field := range strings.FieldsFuncSeq(text[1:len(text)-1], func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, v)
	}
	return list, len(list) > 0
}

// HasLists reports whether the first value of a column is a list of numbers.
func (c *Column) HasLists() bool {
	if len(c.Values) == 0 || c.words {
		return false
	}
	_, ok := ListOf(c.Values[0])
	return ok
}

// spread returns a column for each place in the lists of numbers in a column, or the column
// itself if its values are no lists of the same length.
func (c *Column) spread() []Column {
	if !c.HasLists() {
		return []Column{*c}
	}
	var places [][]float64 // by place and value
	for k, text := range c.Values {
		list, _ := ListOf(text)
		if k == 0 {
			places = make([][]float64, len(list))
		}
		if len(list) == 0 || len(list) != len(places) {
			return []Column{*c}
		}
		for j, v := range list {
			places[j] = append(places[j], v)
		}
	}
	var all []Column
	for j, values := range places {
		all = append(all, Column{Name: fmt.Sprintf("%s %d", c.Name, j+1), Numbers: c.PerRow(values)})
	}
	return all
}

// NumbersOrWords returns a column of words as one of numbers if all are that do not say that
// they are missing.
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
	numbers.numerals = numerals // each value counts once, however often it is there
	return numbers.column()
}
