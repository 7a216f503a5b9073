package input

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agekit/age/internal/option"
)

// AddWord appends a word, trimmed, or a missing value if it is empty. Words remain words
// even if all are numbers.
func (c *Column) AddWord(word string) {
	word = c.changes.clean(strings.TrimSpace(word))
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

// changes counts what clean changed.
type changes struct{ replaced, composed int }

// clean returns a text in the composed form of Unicode, where é is one character, and with
// U+FFFD in place of control characters but tabs and line ends, and of U+FEFF, U+FFFE and U+FFFF: a
// terminal would obey control characters, XML can hold none of them, and a byte-order mark
// within a text is not seen.
func (n *changes) clean(text string) string {
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
func isPlain(text string) bool {
	for k := range len(text) {
		if c := text[k]; (c < ' ' || c > '~') && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return true
}

// warnings says what was changed.
func (n changes) warnings() (all []Warning) {
	if n.replaced > 0 {
		all = append(all, option.Sprintf("%d control characters were replaced by %c", n.replaced, unicode.ReplacementChar))
	}
	if n.composed > 0 {
		all = append(all, option.Sprintf("%d texts with letters and accents apart (Unicode's form NFD) were composed (NFC): they are the same words", n.composed))
	}
	return all
}
