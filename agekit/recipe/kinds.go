package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// kinds returns the kind of each column that the options name.
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

// kindOf returns the default kind of a column, whose type is known unless it is empty, and of one
// that is left out, why. Text of many values that are all numbers or durations, or say that there is
// none, is a number, unless it is known to be text.
func kindOf(t *table.Table, k int, known string) (kind string, why message.Message) {
	c := &t.Columns[k]
	switch {
	case known == kindCategory || known == kindDate || known == kindNumber:
		return known, why
	case c.Numbers != nil:
		return kindNumber, why
	}
	if layout, err := dateLayout(c); layout != "" || err != nil {
		return kindDate, why
	}
	n, distinct := c.Len(), len(c.Values)
	if c.HasLists() {
		return leaveOut, message.Sprintf("left out, its values are lists such as %s: want as many numbers in each", message.Quote(c.Values[0]))
	}
	if distinct <= max(20, min(200, n/10)) && 2*distinct <= n {
		return kindCategory, why
	}
	_, others := c.ParseNumbers()
	numbers := distinct - len(others)
	if known == kindText {
		others, numbers = nil, 0
	}
	if others = slices.DeleteFunc(others, table.IsMissing); numbers > 0 && len(others) == 0 {
		return kindNumber, why
	}
	if len(others) > 0 && 2*len(others) < distinct {
		row := slices.Index(c.Codes, int32(slices.Index(c.Values, others[0])))
		why = message.Sprintf("left out, its values are numbers, but that of %s is %s", t.Place(row), message.Quote(others[0]))
		return leaveOut, why.Advise("%s takes it, with words as gaps", columnsNumber, "")
	}
	words := 0
	for _, v := range c.Values {
		words += len(strings.Fields(v))
	}
	if words >= 3*distinct {
		return kindText, why
	}
	why = message.Sprintf("left out, %d different values in %d rows are neither categories nor text", distinct, t.Rows)
	return leaveOut, why.Advise("%s keeps it as categories", columnsCategory, "").Advise("%s as text", columnsText, "")
}

// refuseIndex returns an error for a column that numbers the rows, as its name says (none,
// "Unnamed: 0", "index"; pandas writes it), or its values 0, 1, 2, …, or, in ten rows or more,
// others of equal distance, such as 60, 59, 58, …. As a feature it would tell the order of
// the file, which often is the order of the labels.
func refuseIndex(t *table.Table, k int) error {
	c := &t.Columns[k]
	if c.Numbers == nil || t.Rows < 3 {
		return nil
	}
	counts, grows := true, true
	step := c.Numbers[1] - c.Numbers[0]
	for row, v := range c.Numbers {
		counts = counts && step != 0 && v == c.Numbers[0]+step*float64(row)
		grows = grows && v == math.Trunc(v) && (row == 0 || v > c.Numbers[row-1])
	}
	const enough = 10
	if counts && (t.Rows >= enough || step == 1 && (c.Numbers[0] == 0 || c.Numbers[0] == 1)) || grows && table.NumbersRows(c.Name) {
		column := t.Label(k)
		m := message.Sprintf("%s: column %s numbers the rows (%v, %v, %v, …): as a feature it would tell their order",
			t.Path, column, c.Numbers[0], c.Numbers[1], c.Numbers[2])
		m = m.Advise("%s leaves it out", columnsDrop, column).Advise("%s makes it the ids", idOption, column).Advise("%s keeps it", columnsNumber, column)
		return &message.Error{Message: m}
	}
	return nil
}

// mayBeCodes reports whether numbers could be codes of categories, such as those of schools:
// they are whole, and a value stands in three rows or more on average.
func mayBeCodes(numbers []float64, distinct int) bool {
	whole := !slices.ContainsFunc(numbers, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) })
	return whole && distinct > 2 && 3*distinct <= len(numbers)
}
