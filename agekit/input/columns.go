package input

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/option"
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
	case c.Kind == kindNumber, c.Kind == kindDate:
		names = append(names, c.Name)
		if c.Gaps {
			names = append(names, c.Name+" is missing")
		}
		return append(names, c.dateNames()...)
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
	places := t.places()
	for i := range r.Columns {
		c := &r.Columns[i]
		k, err := c.find(t, places)
		if err != nil {
			return graph.Features{}, err
		}
		do, err := c.maker(t, k, from)
		if err != nil {
			return graph.Features{}, err
		}
		makers = append(makers, do)
		width := len(c.names(false))
		if from += width; c.Kind == kindDate {
			perRow += width
		} else if c.Kind != kindText {
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

// find returns the index of the recipe's column in a table: of the column with its name, or
// with its number if it had none.
func (c *RecipeColumn) find(t *Table, places map[string]int) (int, error) {
	if c.Unnamed {
		return t.Find(c.Name)
	}
	if k, ok := places[c.Name]; ok {
		return k, nil
	}
	return 0, fmt.Errorf("%s: no column %s: want all that the training had, not only %s", t.Path, limit.Quote(c.Name), limit.Shorten(t.names()))
}

// places returns the indices of the columns by their names.
func (t *Table) places() map[string]int {
	places := make(map[string]int, len(t.Columns))
	for k, c := range t.Columns {
		places[c.Name] = k
	}
	return places
}

// unseenValues returns warnings about the values of a table that the recipe does not know.
func (r *Recipe) unseenValues(t *Table) (warnings []Warning) {
	places := t.places()
	for i := range r.Columns {
		c := &r.Columns[i]
		k, err := c.find(t, places)
		if err != nil {
			continue // which features says
		}
		rows, unknown, way := 0, map[string]bool{}, c.notationOf(t, k)
		for row := range t.Rows {
			if text, ok := t.Columns[k].Text(row); ok && !c.knows(way, text) {
				rows++
				unknown[limit.Quote(text)] = true
			}
		}
		if rows > 0 {
			warnings = append(warnings, option.Sprintf("%s: column %s: %d of %d values were not there in the training, and say nothing: %s",
				t.Path, t.label(k), rows, t.Rows, limit.Shorten(strings.Join(slices.Sorted(maps.Keys(unknown)), ", "))))
		}
	}
	return warnings
}

// notationOf returns how the numbers of a column of a text are written: as in the training if
// that fits all, or else by what the column has.
func (c *RecipeColumn) notationOf(t *Table, k int) notation {
	column := &t.Columns[k]
	if column.Numbers == nil {
		column.numbers()
	}
	way := notation(c.Notation)
	fits := func(text string) bool {
		_, ok := way.number(text)
		return ok || !hasMark(text)
	}
	if t.separator != 0 && !slices.ContainsFunc(column.texts(), func(text string) bool { return !fits(text) }) {
		return way
	}
	return column.notation
}

// knows reports whether a value of a column, whose numbers have a notation, gives a feature.
func (c *RecipeColumn) knows(way notation, text string) (known bool) {
	switch c.Kind {
	case kindNumber:
		_, known = way.number(text)
		return known
	case kindDate:
		_, known = c.date(text)
		return known
	case kindCategory:
		_, known = slices.BinarySearch(c.Values, text)
		return known
	}
	eachWord(text, func(word string) {
		_, found := slices.BinarySearch(c.Values, word)
		known = known || found
	})
	return known
}

// maker returns the maker of the features of the column k of a table, which begin at from.
func (c *RecipeColumn) maker(t *Table, k, from int) (maker, error) {
	column := &t.Columns[k]
	if c.Kind == kindNumber || c.Kind == kindDate {
		var numbers []float64
		var err error
		switch {
		case c.Kind == kindDate:
			numbers = c.years(column)
		case column.Numbers != nil && c.notationOf(t, k) != column.notation:
			numbers = slices.Repeat([]float64{math.NaN()}, t.Rows)
			for row := range numbers {
				if text, ok := column.Text(row); ok {
					numbers[row], _ = notation(c.Notation).number(text)
				}
			}
		default:
			numbers, err = numbersOf(t, k)
		}
		parts := from + 1
		if c.Gaps {
			parts++
		}
		return func(row int, put func(int, float32)) {
			switch v := (numbers[row] - c.Mean) / c.Deviation; {
			case math.IsNaN(v) && c.Gaps:
				put(from+1, 1)
			case !math.IsNaN(v) && v != 0:
				put(from, float32(v))
			}
			if text, ok := column.Text(row); ok && c.Kind == kindDate {
				c.dateParts(text, parts, put)
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
