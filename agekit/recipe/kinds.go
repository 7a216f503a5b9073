package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// kinds returns the kind of each column that the options name, by the column's index in t. If two
// options name a column, the later one in the list below counts. A column that t lacks is an error.
func (o Columns) kinds(t *table.Table) (map[int]string, error) {
	kinds := map[int]string{}
	for _, set := range []struct {
		names []string
		kind  string
	}{{o.Only, byDefault}, {o.Text, kindText}, {o.Category, kindCategory}, {o.Number, kindNumber}, {o.Drop, leaveOut}} {
		for _, name := range set.names {
			k, err := t.Find(name)
			if err != nil {
				return nil, err
			}
			kinds[k] = set.kind
		}
	}
	for name := range o.Types {
		if !slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("%s: no column %s, of which the type is given: want one of %s", t.Path, message.Quote(name), message.Shorten(t.Names()))
		}
	}
	return kinds, nil
}

// kindOf returns the default kind of column k of a table, by the rules at [Columns], or leaveOut and a
// message why. Known is the type that the user gave for the column ([Columns].Types), "" for none.
// Words that are too many for categories count as numbers if each is a number, a duration or stands for
// a missing value, unless the column is known to be text.
func kindOf(t *table.Table, k int, known string) (kind string, why message.Message) {
	c := &t.Columns[k]
	switch {
	case known == kindNumber && areLargeIntegers(c):
		why = message.Sprintf("left out, integers of 2⁵³ and more, such as %s, are no measure", message.Quote(c.Values[0]))
		return leaveOut, why.Advise("%s keeps them as categories", columnsCategory, "")
	case known == kindCategory || known == kindDate || known == kindNumber || known == kindTags:
		return known, why
	case c.Numbers != nil:
		return kindNumber, why
	}
	if layout, err := dateLayout(c); layout != "" || err != nil {
		return kindDate, why
	}
	if oneUnit(c) {
		return kindNumber, why
	}
	if tagSeparator(c) != "" {
		return kindTags, why
	}
	n, distinct := c.Len(), len(c.Values)
	if c.HasLists() {
		first := slices.IndexFunc(c.Values, func(value string) bool { _, ok := table.ListOf(value); return ok })
		return leaveOut, message.Sprintf("left out, its values are lists such as %s: want as many numbers in each", message.Quote(c.Values[first]))
	}
	if isFewFor(distinct, n) {
		return kindCategory, why
	}
	_, others, _ := parseNumbers(c)
	numbers := distinct - len(others)
	if known == kindText {
		others, numbers = nil, 0
	}
	others = slices.DeleteFunc(others, table.IsMissing)
	if numbers > 0 && len(others) == 0 {
		return kindNumber, why
	}
	if isOneGapWord(c, others) {
		return kindNumber, why
	}
	if len(others) > 0 && 2*len(others) < distinct {
		row := slices.Index(c.Codes, int32(slices.Index(c.Values, others[0])))
		why = message.Sprintf("left out, its values are numbers, but that of %s is %s", t.Place(row), message.Quote(others[0]))
		return leaveOut, why.Advise("%s takes it, with words as gaps", columnsNumber, "")
	}
	words := 0 // that have a letter, in all values together: numbers alone, as in POINT (8.5 47.4), are no text
	for _, v := range c.Values {
		for word := range strings.FieldsSeq(v) {
			if strings.ContainsFunc(word, unicode.IsLetter) {
				words++
			}
		}
	}
	const wordsOfText = 3 // that a value has on average, where names have one or two
	if words >= wordsOfText*distinct {
		return kindText, why
	}
	why = message.Sprintf("left out, %d different values in %d rows are neither categories nor text", distinct, t.Rows)
	return leaveOut, why.Advise("%s keeps it as categories", columnsCategory, "").Advise("%s as text", columnsText, "")
}

// isOneGapWord reports whether the values of a column that are no numbers are one word in three rows or more, but
// not in most: as .. or n.d. it then says that a number is missing. Fewer may be a mistake in writing.
func isOneGapWord(c *table.Column, others []string) bool {
	const fewest = 3
	if len(others) != 1 {
		return false
	}
	code := int32(slices.Index(c.Values, others[0]))
	rows := 0
	for _, other := range c.Codes {
		if other == code {
			rows++
		}
	}
	return rows >= fewest && 2*rows < len(c.Codes)
}

// mostCategories is how many categories a column has at most if the user does not name it.
const mostCategories = 200

// isFewFor reports whether so many different values in n rows are categories: a tenth of the nodes at most,
// but 20 in a small table, and mostCategories in a large one; and each has two nodes or more on average.
func isFewFor(distinct, n int) bool {
	return distinct <= max(20, min(mostCategories, n/10)) && 2*distinct <= n
}

// optionOf returns the option that makes a column one of a kind.
func optionOf(kind string) message.Option {
	switch kind {
	case kindNumber:
		return columnsNumber
	case kindText:
		return columnsText
	}
	return columnsCategory
}

// areLargeIntegers reports whether half of the values of a column of words, at least, are integers of so many
// digits that a float64 may change them.
func areLargeIntegers(c *table.Column) bool {
	count := 0
	for _, word := range c.Values {
		digits := strings.TrimLeft(word, "+-")
		_, isNumber := table.Notation(0).Number(word)
		if table.IsDigits(digits) && digits[0] != '0' && !isNumber {
			count++
		}
	}
	return count > 0 && 2*count >= len(c.Values)
}

// numbersRows returns why column k of a table is left out if it numbers the rows, and whether it does: as a feature
// it would tell the order of the file, which often is the order of the labels. A column does so if it counts, from 0 or 1
// by one, or in ten rows or more from any number by any step, as in 60, 59, 58, …; or if its name says
// so (none, "Unnamed: 0", "index", as pandas writes it), and its values are whole and grow. Fewer than
// three rows do not tell.
func numbersRows(t *table.Table, k int) (why message.Message, numbers bool) {
	c := &t.Columns[k]
	if c.Numbers == nil || t.Rows < 3 {
		return why, false
	}
	counts := true // by the step from row to row
	grows := true  // in whole numbers
	step := c.Numbers[1] - c.Numbers[0]
	for row, v := range c.Numbers {
		counts = counts && step != 0 && v == c.Numbers[0]+step*float64(row)
		grows = grows && v == math.Trunc(v) && (row == 0 || v > c.Numbers[row-1])
	}
	const enough = 10 // rows in which no other numbers would happen to be at equal distances
	fromZeroOrOne := step == 1 && (c.Numbers[0] == 0 || c.Numbers[0] == 1)
	isNumbering := counts && (t.Rows >= enough || fromZeroOrOne)
	if !isNumbering && !(grows && table.NumbersRows(c.Name)) {
		return why, false
	}
	column := t.Label(k)
	why = message.Sprintf("left out, it numbers the rows (%v, %v, %v, …) and would tell their order", c.Numbers[0], c.Numbers[1], c.Numbers[2])
	return why.Advise("%s makes it the ids", idOption, column).Advise("%s keeps it", columnsNumber, column), true
}

// mayBeCodes reports whether the numbers of a column, one for each row, could be codes of categories, such as
// those of schools, rather than amounts. Distinct is how many different numbers they are. Codes are whole, each
// stands in three rows or more on average, and there are three or more: as a number, two codes say the same as
// categories do.
func mayBeCodes(numbers []float64, distinct int) bool {
	const fewestCodes, rowsPerCode = 3, 3
	isFraction := func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) } // NaN is a gap
	if slices.ContainsFunc(numbers, isFraction) {
		return false
	}
	return distinct >= fewestCodes && rowsPerCode*distinct <= len(numbers)
}
