package input

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// listOf returns the numbers in a list in brackets, as Python, NumPy and JSON write it, and
// false for other texts.
func listOf(text string) (list []float64, ok bool) {
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

// hasLists reports whether the first value of a column is a list of numbers.
func (c *Column) hasLists() bool {
	if len(c.Values) == 0 {
		return false
	}
	_, ok := listOf(c.Values[0])
	return ok
}

// spread returns a column for each place in the lists of numbers in a column, or the column
// itself if its values are no lists of the same length.
func (c *Column) spread() []Column {
	if !c.hasLists() {
		return []Column{*c}
	}
	var places [][]float64 // by place and value
	for k, text := range c.Values {
		list, _ := listOf(text)
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
		all = append(all, Column{Name: fmt.Sprintf("%s %d", c.Name, j+1), Numbers: c.perRow(values)})
	}
	return all
}
