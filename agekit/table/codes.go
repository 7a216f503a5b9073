package table

import (
	"slices"
	"strings"
)

// namibia is the code of a country that says elsewhere that a value is missing.
const namibia = "NA"

// hasCountries reports whether the words of a column are codes of two capital letters, of which the words that
// were taken for missing values may be one: NA.
func (c *Column) hasCountries() bool {
	const several = 3
	isCode := func(word string) bool {
		return len(word) == 2 && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'A' && word[1] <= 'Z'
	}
	return c.gap == namibia && c.cells != nil && len(c.Values) >= several && !slices.ContainsFunc(c.Values, func(word string) bool { return !isCode(word) })
}

// keepNamibia makes a word of NA in a column that is known to hold words, if the others are codes of two
// letters too.
func (c *Column) keepNamibia() {
	if !c.words || !c.hasCountries() {
		return
	}
	code := int32(len(c.Values))
	c.Values = append(c.Values, namibia)
	c.gap = ""
	for row := range c.Codes {
		if strings.TrimSpace(c.cells.At(row)) == namibia {
			c.Codes[row] = code
		}
	}
}
