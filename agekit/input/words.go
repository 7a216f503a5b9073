package input

import "strings"

// AddWord appends a word, trimmed, or a missing value if the word stands for one: "", ?,
// NA, N/A, NaN, None or null, in any case. Words remain words even if all are numbers.
func (c *Column) AddWord(word string) {
	if word = strings.TrimSpace(word); isMissing(word) {
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

// NewNumbers returns a column of numbers; NaN are missing.
func NewNumbers[T int | int32 | float32 | float64](name string, numbers []T) Column {
	c := Column{Name: name, Numbers: make([]float64, len(numbers))}
	for i, v := range numbers {
		c.Numbers[i] = float64(v)
	}
	return c
}
