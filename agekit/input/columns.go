package input

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
)

// Width returns the number of features.
func (r *Recipe) Width() int { return len(r.names()) }

// names returns the names of the features, each on one line.
func (r *Recipe) names() (names []string) {
	texts := 0
	for _, c := range r.Columns {
		if c.Kind == kindText {
			texts++
		}
	}
	for _, c := range r.Columns {
		names = append(names, c.names(texts > 1)...)
	}
	for j, name := range names {
		names[j] = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	return names
}

// names returns the names of a column's features. If there are several columns of text,
// the names of words begin with the column's.
func (c *RecipeColumn) names(several bool) (names []string) {
	before := "" // each value
	switch {
	case c.Kind == kindNumber && c.Gaps:
		return []string{c.Name, c.Name + " is missing"}
	case c.Kind == kindNumber:
		return []string{c.Name}
	case c.Kind == kindCategory:
		before = c.Name + " = "
	case several:
		before = c.Name + ": "
	}
	for _, v := range c.Values {
		names = append(names, before+v)
	}
	return names
}

// features makes the features of a table's nodes. The table needs the columns of the
// recipe, with finite numbers where the recipe has numbers, and may have others. Unknown
// categories and words are ignored.
func (r *Recipe) features(t *Table) (graph.Features, error) {
	var makers []maker
	perRow, from := 0, 0
	for k := range r.Columns {
		c := &r.Columns[k]
		do, err := c.maker(t, from)
		if err != nil {
			return graph.Features{}, err
		}
		makers = append(makers, do)
		from += len(c.names(false))
		if c.Kind != kindText {
			perRow++
		}
	}
	if err := limit.Memory(fmt.Sprintf("%s: features", t.Path), 12*float64(perRow)*float64(t.Rows)); err != nil {
		return graph.Features{}, err
	}
	return gathered(t.Rows, from, func(row int, put func(int, float32)) {
		for _, do := range makers {
			do(row, put)
		}
	}), nil
}

// maker puts the features of a row that are not 0, in increasing order of their columns.
type maker func(row int, put func(column int, value float32))

// maker returns the maker of the features of a column, which begin at from.
func (c *RecipeColumn) maker(t *Table, from int) (maker, error) {
	k, err := t.Find(c.Name)
	if err != nil {
		return nil, err
	}
	column := &t.Columns[k]
	if c.Kind == kindNumber {
		numbers, err := numbersOf(t, k)
		return func(row int, put func(int, float32)) {
			switch v := (numbers[row] - c.Mean) / c.Deviation; {
			case math.IsNaN(v) && c.Gaps:
				put(from+1, 1)
			case !math.IsNaN(v) && v != 0:
				put(from, float32(v))
			}
		}, err
	}
	place := make(map[string]int, len(c.Values))
	for j, v := range c.Values {
		place[v] = j
	}
	return func(row int, put func(int, float32)) {
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

func (c *RecipeColumn) text(text string, place map[string]int, from int, put func(int, float32)) {
	counts := map[int]float64{}
	eachWord(text, func(word string) {
		if j, known := place[word]; known {
			counts[j]++
		}
	})
	words := slices.Sorted(maps.Keys(counts))
	squares := 0.
	for _, j := range words {
		counts[j] *= c.IDF[j]
		squares += counts[j] * counts[j]
	}
	for _, j := range words {
		put(from+j, float32(counts[j]/math.Sqrt(squares)))
	}
}
