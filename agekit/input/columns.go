package input

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
)

// Width returns the number of features.
func (r *Recipe) Width() int {
	width := 0
	for _, c := range r.Columns {
		width += c.width()
	}
	return width
}

func (c *RecipeColumn) width() int {
	switch {
	case c.Kind != kindNumber:
		return len(c.Values)
	case c.Gaps:
		return 2
	}
	return 1
}

// names returns the names of the features, each on one line.
func (r *Recipe) names() []string {
	var names []string
	texts := 0
	for _, c := range r.Columns {
		if c.Kind == kindText {
			texts++
		}
	}
	for _, c := range r.Columns {
		switch c.Kind {
		case kindNumber:
			names = append(names, c.Name)
			if c.Gaps {
				names = append(names, c.Name+" is missing")
			}
		case kindCategory:
			for _, v := range c.Values {
				names = append(names, c.Name+" = "+v)
			}
		case kindText:
			for _, word := range c.Values {
				if texts > 1 {
					word = c.Name + ": " + word
				}
				names = append(names, word)
			}
		}
	}
	for j, name := range names {
		names[j] = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	return names
}

// features makes the features of a table's nodes. The table needs the columns of
// the recipe, in any order; it may have others. Categories and words that the
// recipe does not have are ignored.
//
// It returns an error for a column that is missing, and for words or numbers that
// are not finite where the recipe has a number.
func (r *Recipe) features(t *Table) (graph.Features, error) {
	makers := make([]func(row int, put func(column int, value float64)), len(r.Columns))
	perRow, from := 0, 0
	for k := range r.Columns {
		c := &r.Columns[k]
		make, err := c.maker(t, from)
		if err != nil {
			return graph.Features{}, err
		}
		makers[k] = make
		from += c.width()
		if c.Kind != kindText {
			perRow++
		}
	}
	if err := limit.Memory(fmt.Sprintf("%s: features", t.Path), 12*float64(perRow)*float64(t.Rows)); err != nil {
		return graph.Features{}, err
	}
	m := &graph.CSR{Rows: t.Rows, Cols: from, Indptr: make([]int, 1, t.Rows+1)}
	for row := range t.Rows {
		for _, do := range makers {
			do(row, func(column int, value float64) {
				m.Indices, m.Values = append(m.Indices, int32(column)), append(m.Values, float32(value))
			})
		}
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	return smaller(m), nil
}

// maker returns a function that puts the features of a row that are not 0, in
// increasing order of their columns, which begin at from.
func (c *RecipeColumn) maker(t *Table, from int) (func(row int, put func(int, float64)), error) {
	k, err := t.Find(c.Name)
	if err != nil {
		return nil, err
	}
	column := &t.Columns[k]
	if c.Kind == kindNumber {
		numbers, err := numbersOf(t, k)
		return func(row int, put func(int, float64)) { c.number(numbers[row], from, put) }, err
	}
	place := make(map[string]int, len(c.Values))
	for j, v := range c.Values {
		place[v] = j
	}
	return func(row int, put func(int, float64)) {
		v, ok := column.Text(row)
		switch {
		case !ok:
		case c.Kind == kindText:
			c.text(v, place, from, put)
		default:
			if j, known := place[v]; known {
				put(from+j, 1)
			}
		}
	}, nil
}

func (c *RecipeColumn) number(v float64, from int, put func(int, float64)) {
	switch {
	case !math.IsNaN(v):
		if v = (v - c.Mean) / c.Deviation; v != 0 {
			put(from, v)
		}
	case c.Gaps:
		put(from+1, 1)
	}
}

func (c *RecipeColumn) text(text string, place map[string]int, from int, put func(int, float64)) {
	counts := map[int]float64{}
	eachWord(text, func(word string) {
		if j, known := place[word]; known {
			counts[j]++
		}
	})
	type weight struct {
		column int
		value  float64
	}
	weights := make([]weight, 0, len(counts))
	for j, count := range counts {
		weights = append(weights, weight{j, count * c.IDF[j]})
	}
	slices.SortFunc(weights, func(a, b weight) int { return cmp.Compare(a.column, b.column) })
	squares := 0.
	for _, w := range weights {
		squares += w.value * w.value
	}
	for _, w := range weights {
		put(from+w.column, w.value/math.Sqrt(squares))
	}
}
