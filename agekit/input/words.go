package input

import (
	"strings"
	"unicode"
)

// AddWord appends a word, trimmed, or a missing value if the word stands for one: "", ?,
// NA, N/A, NaN, None or null, in any case. Words remain words even if all are numbers.
func (c *Column) AddWord(word string) {
	word, replaced := printable(strings.TrimSpace(word))
	c.replaced += replaced
	if isMissing(word) {
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

// NewWords returns a column of words. [Column.AddWord] says which are missing.
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

// printable returns a text with U+FFFD in place of control characters but tabs and line
// ends, and of U+FFFE and U+FFFF, and their number: a terminal would obey control characters,
// and XML can hold none of them.
func printable(text string) (clean string, replaced int) {
	control := func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	}
	if strings.IndexFunc(text, control) < 0 {
		return text, 0
	}
	return strings.Map(func(r rune) rune {
		if control(r) {
			replaced++
			return unicode.ReplacementChar
		}
		return r
	}, text), replaced
}
