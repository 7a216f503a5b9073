package recipe

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// unitsOf returns the different units of the numbers of a column in the order in which they appear, and a
// word with each. A number without a unit has the unit "", but 0 is the same in all.
func unitsOf(c *table.Column, q table.Quantities) (units, examples []string) {
	for k, unit := range q.Units {
		isZero := unit == "" && q.Values[k] == 0
		if !math.IsNaN(q.Values[k]) && !isZero && !slices.Contains(units, unit) {
			units, examples = append(units, unit), append(examples, c.Values[k])
		}
	}
	return units, examples
}

// oneUnit reports whether the words of a column, other than those that say that a value is missing, are
// numbers with the same unit. A sign such as % or € is a unit in any case; letters are one behind several
// different numbers, since 1A and 2A are codes.
func oneUnit(c *table.Column) bool {
	q := c.ParseQuantities()
	units, _ := unitsOf(c, q)
	if hasWords(q.Others) || len(units) != 1 || units[0] == "" {
		return false
	}
	const several = 6
	return isSign(units[0]) || len(c.Values) >= several
}

// hasWords reports whether some of the words do not say that a value is missing.
func hasWords(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return !table.IsMissing(word) })
}

// isSign reports whether a unit begins with a sign, such as % or €, rather than with a letter.
func isSign(unit string) bool {
	first, _ := utf8.DecodeRuneInString(unit)
	return !unicode.IsLetter(first)
}

// warnOfUnits returns a warning that the words of a column, which no option has made numbers, are numbers with
// several units; false if they are not.
func warnOfUnits(c *table.Column) (warning message.Message, ok bool) {
	if c.Codes == nil {
		return warning, false
	}
	q := c.ParseQuantities()
	units, examples := unitsOf(c, q)
	const mostUnits, numbersPerUnit = 5, 2
	if hasWords(q.Others) || len(units) < 2 || len(units) > mostUnits || numbersPerUnit*len(units) > len(c.Values) {
		return warning, false
	}
	warning = message.Sprintf("numbers with several units, such as %s and %s, are no measure together", message.Quote(examples[0]), message.Quote(examples[1]))
	return warning.Advise("%s takes the numbers as they are", columnsNumber, ""), true
}

// inUnits says in a note which units the numbers of a column have, "" for none.
func (c *Column) inUnits() string {
	if len(c.Units) == 0 {
		return ""
	}
	quoted := make([]string, len(c.Units))
	for k, unit := range c.Units {
		quoted[k] = unit
		if strings.ContainsFunc(unit, unicode.IsSpace) {
			quoted[k] = message.Quote(unit)
		}
	}
	return " in " + message.Shorten(strings.Join(quoted, ", "))
}

// quantities returns the numbers in the rows of a column of words, in the units that c learned: NaN where a
// value is missing, is no number or has another unit. They are read in the notation that c learned, or
// else in the one that the column shows.
func (c *Column) quantities(column *table.Column) []float64 {
	shown := column.ParseQuantities()
	perWord := make([]float64, len(column.Values))
	for k, word := range column.Values {
		v, unit, ok := table.Notation(c.Notation).Quantity(word)
		if !ok {
			v, unit, ok = shown.Quantity(word)
		}
		if !ok || unit != "" && !slices.Contains(c.Units, unit) {
			v = math.NaN()
		}
		perWord[k] = v
	}
	return column.PerRow(perWord)
}
