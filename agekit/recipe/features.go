package recipe

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
)

// Width returns the number of features.
func (r *Recipe) Width() int { return len(r.Names()) }

// Names returns the names of the features, each on one line.
func (r *Recipe) Names() (names []string) {
	texts := 0
	for _, c := range r.Columns {
		if c.Kind == kindText {
			texts++
		}
	}
	for _, c := range r.Columns {
		names = append(names, c.featureNames(texts > 1)...)
	}
	for j, name := range names {
		names[j] = oneLine(name)
	}
	return names
}

// oneLine returns a text with a space in place of line ends.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// PartKind is what a feature says about the value of its column.
type PartKind int

// The kinds of the features that a [Recipe] makes.
const (
	NumberPart   PartKind = iota // a number, standardized
	TimePart                     // a date in years, standardized
	MissingPart                  // 1 where a number or a date is missing
	SeasonPart                   // the cosine or the sine of the time of the year
	WeekdayPart                  // 1 for the dates on a day of the week
	CategoryPart                 // 1 for the nodes of a category
	WordPart                     // the weight of a word of a text
	TagPart                      // the weight of a word of a list
)

// Part says what one feature is made of.
type Part struct {
	Column int // the index in [Recipe.Columns]
	Kind   PartKind
	Value  string // the category or the word, on one line; "" for other kinds
}

// Parts returns, for each feature in the order of [Recipe.Names], what it is made of.
func (r *Recipe) Parts() (parts []Part) {
	for k, c := range r.Columns {
		add := func(kind PartKind, value string) { parts = append(parts, Part{k, kind, oneLine(value)}) }
		switch c.Kind {
		case kindCategory, kindText, kindTags:
			kind := map[string]PartKind{kindCategory: CategoryPart, kindText: WordPart, kindTags: TagPart}[c.Kind]
			for _, v := range c.Values {
				add(kind, v)
			}
			continue
		case kindDate:
			add(TimePart, "")
		default:
			add(NumberPart, "")
		}
		if c.Gaps {
			add(MissingPart, "")
		}
		for _, part := range c.Parts {
			kind, count := SeasonPart, 2 // a cosine and a sine
			if part == partWeekday {
				kind, count = WeekdayPart, 7 // one for each day
			}
			for range count {
				add(kind, "")
			}
		}
	}
	return parts
}

// featureNames returns the names of a column's features. Several says that the recipe has several columns of
// text; then the names of words begin with the name of the column.
func (c *Column) featureNames(several bool) (names []string) {
	before := "" // what comes before each value
	switch {
	case c.Kind == kindNumber, c.Kind == kindDate:
		names = append(names, c.Name)
		if c.Gaps {
			names = append(names, c.Name+" is missing")
		}
		return append(names, c.dateNames()...)
	case c.Kind == kindCategory:
		before = c.Name + " = "
	case several || c.Kind == kindTags:
		before = c.Name + ": "
	}
	for _, v := range c.Values {
		names = append(names, before+v)
	}
	return names
}

// Features returns the features x of the nodes of a table, and warnings about values that the recipe does not
// know, of which no feature is made. The table needs the columns of the recipe, with finite numbers
// where the recipe has numbers, and may have others.
func (r *Recipe) Features(t *table.Table) (x graph.Features, warnings []table.Warning, err error) {
	makers, unseen := make([]maker, len(r.Columns)), make([]unseenValues, len(r.Columns)) // of each column
	const enough = 20                                                                     // values in a warning
	places := make(map[string]int, len(t.Columns))                                        // the index of each column, by name
	for k, c := range t.Columns {
		places[c.Name] = k
	}
	perRow := 0 // about how many features of a row are not 0, those of texts aside
	from := 0   // the first feature of the column
	for i := range r.Columns {
		c := &r.Columns[i]
		k, ok := places[c.Name]
		if c.Unnamed { // it was known by its number
			k, err = t.Find(c.Name)
		} else if !ok {
			err = fmt.Errorf("%s: no column %s: want all that the training had, not only %s", t.Path, message.Quote(c.Name), message.Shorten(t.Names()))
		}
		if err == nil {
			makers[i], err = c.maker(t, k, from)
		}
		if err != nil {
			return x, nil, err
		}
		unseen[i] = unseenValues{column: t.Label(k), some: map[string]bool{}}
		width := len(c.featureNames(false))
		from += width
		switch c.Kind {
		case kindDate:
			perRow += width
		case kindNumber, kindCategory:
			perRow++
		}
	}
	const perFeature = 12 // bytes: an index and a value, of 4 bytes each, and room to grow
	if err := system.CheckMemory(fmt.Sprintf("%s: features", t.Path), perFeature*float64(perRow)*float64(t.Rows)); err != nil {
		return x, nil, err
	}
	x = graph.GatherFeatures(t.Rows, from, func(row int, put func(int, float32)) {
		for i, do := range makers {
			u := &unseen[i]
			value := do(row, put)
			if value == "" {
				continue
			}
			if u.rows++; len(u.some) < enough {
				u.some[message.Quote(value)] = true
			}
		}
	})
	for _, u := range unseen {
		if u.rows > 0 {
			warnings = append(warnings, message.Sprintf("%s: column %s: %d of %d values were not there in the training, and say nothing: %s",
				t.Path, u.column, u.rows, t.Rows, message.Shorten(strings.Join(slices.Sorted(maps.Keys(u.some)), ", "))))
		}
	}
	return x, warnings, nil
}

// unseenValues are the values of a column that a recipe does not know.
type unseenValues struct {
	column string          // the label of the column
	rows   int             // how many rows have such a value
	some   map[string]bool // some of the values, quoted
}

// maker makes the features of one column of a table: it calls put for each feature of a row that is not 0, in
// increasing order of the features. Unknown is the row's value if no feature is made of it, since the recipe
// does not know it; else "".
type maker func(row int, put func(feature int, value float32)) (unknown string)

// maker returns the maker of the features of column k of a table, of which the first is the feature from.
func (c *Column) maker(t *table.Table, k, from int) (maker, error) {
	column := &t.Columns[k]
	if c.Kind == kindNumber || c.Kind == kindDate {
		return c.numberMaker(t, k, from)
	}
	place := make(map[string]int, len(c.Values)) // of each value in c.Values
	for j, v := range c.Values {
		place[v] = j
	}
	return func(row int, put func(int, float32)) string {
		v, _ := column.Text(row)
		if c.Kind == kindText {
			return c.text(v, place, from, put)
		}
		if c.Kind == kindTags {
			return c.tags(v, place, from, put)
		}
		j, known := place[v]
		if !known {
			return v
		}
		put(from+j, 1)
		return ""
	}, nil
}

// numberMaker is maker for a column of numbers or dates: the features are the standardized number, whether it
// is missing if c.Gaps is set, and the parts of a date.
func (c *Column) numberMaker(t *table.Table, k, from int) (maker, error) {
	column := &t.Columns[k]
	numbers, err := c.numbers(t, k)
	parts := from + 1 // the first feature of the parts of a date
	if c.Gaps {
		parts++
	}
	known := c.withoutSentinels(numbers)
	return func(row int, put func(int, float32)) (unknown string) {
		v := (known[row] - c.Mean) / c.Deviation
		if math.IsNaN(v) {
			if unknown, _ = column.Text(row); !math.IsNaN(numbers[row]) || c.Kind == kindDate && isDateGap(unknown) {
				unknown = "" // it says that the value is missing
			}
			if c.Gaps {
				put(from+1, 1)
			}
			return unknown
		}
		if v != 0 {
			put(from, float32(v))
		}
		if len(c.Parts) > 0 {
			text, _ := column.Text(row)
			c.dateParts(text, parts, put)
		}
		return ""
	}, err
}

// numbers returns the numbers in column k of a table, or its dates in years; NaN where there is none.
// Numbers in a text are read in the notation that the recipe learned, since a few rows may not show it,
// if all texts fit that notation; or else in the notation that was detected in the column.
func (c *Column) numbers(t *table.Table, k int) ([]float64, error) {
	column, notation := &t.Columns[k], table.Notation(c.Notation)
	if c.Kind == kindDate {
		return c.years(column), nil
	}
	if len(c.Units) > 0 && column.Numbers == nil {
		return c.quantities(column), nil
	}
	numbers, _, _, err := numbersOf(t, k)
	if err != nil || t.Separator == 0 || notation == column.Notation {
		return numbers, err
	}
	numbersAsLearned := make([]float64, t.Rows)
	for row := range numbersAsLearned {
		text, _ := column.Text(row)
		v, ok := notation.Number(text)
		if !ok && table.HasMark(text) { // it may be a number in another notation
			return numbers, nil
		}
		if !ok {
			v = math.NaN()
		}
		numbersAsLearned[row] = v
	}
	return numbersAsLearned, nil
}

// text calls put with the TF-IDF weight of each known word of a text, scaled so that their squares add up to 1.
// Place is the place of each word in c.Values, and from is the feature of the first. If no word is known,
// text returns the text, else "".
func (c *Column) text(text string, place map[string]int, from int, put func(int, float32)) (unknown string) {
	counts := map[int]float64{} // of each word, by its place; then its weight
	eachWord(text, func(word string) {
		if j, known := place[word]; known {
			counts[j]++
		}
	})
	if len(counts) == 0 {
		return text
	}
	words := slices.Sorted(maps.Keys(counts))
	squares := 0.
	for _, j := range words {
		counts[j] *= c.IDF[j]
		squares += counts[j] * counts[j]
	}
	for _, j := range words {
		put(from+j, float32(counts[j]/math.Sqrt(squares)))
	}
	return ""
}

// mostWords is how many words of a text column become features at most: the most frequent ones.
const mostWords = 20_000

// learnWords sets c.Values to the words of a text column that become features, and c.IDF to their
// weights. These are words that two nodes have at least, and half of the nodes at most. It returns how
// many different words the column has in all.
func (c *Column) learnWords(column *table.Column) (all int) {
	n := column.Len()
	nodes := map[string]int{} // how many nodes have each word
	last := map[string]int{}  // the last row with each word, from 1, so that a row counts once
	for row := range n {
		text, _ := column.Text(row)
		eachWord(text, func(word string) {
			if last[word] != row+1 {
				last[word] = row + 1
				nodes[word]++
			}
		})
	}
	for word, df := range nodes {
		if df >= 2 && 2*df <= n {
			c.Values = append(c.Values, word)
		}
	}
	slices.SortFunc(c.Values, func(a, b string) int { return cmp.Or(nodes[b]-nodes[a], strings.Compare(a, b)) })
	c.Values = c.Values[:min(len(c.Values), mostWords)]
	slices.Sort(c.Values)
	for _, word := range c.Values {
		c.IDF = append(c.IDF, math.Log(float64(1+n)/float64(1+nodes[word]))+1)
	}
	return len(nodes)
}
