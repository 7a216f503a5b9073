package recipe

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

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

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// PartKind is what a feature says of the column that it is made of.
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
)

// Part says what one feature is made of.
type Part struct {
	Column int // of [Recipe.Columns]
	Kind   PartKind
	Value  string // the category or the word, on one line; "" for other kinds
}

// Parts says what each of the features is made of.
func (r *Recipe) Parts() (parts []Part) {
	for k, c := range r.Columns {
		add := func(kind PartKind, value string) { parts = append(parts, Part{k, kind, oneLine(value)}) }
		switch c.Kind {
		case kindCategory, kindText:
			kind := CategoryPart
			if c.Kind == kindText {
				kind = WordPart
			}
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
			kind, count := SeasonPart, 2
			if part == partWeekday {
				kind, count = WeekdayPart, 7
			}
			for range count {
				add(kind, "")
			}
		}
	}
	return parts
}

// featureNames returns the names of a column's features. If there are several columns of text,
// the names of words begin with the column's.
func (c *Column) featureNames(several bool) (names []string) {
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

// Features makes the features of a table's nodes, and warnings about values that the recipe does
// not know and that say nothing. The table needs the columns of the recipe, with finite numbers
// where the recipe has numbers, and may have others.
func (r *Recipe) Features(t *table.Table) (x graph.Features, warnings []table.Warning, err error) {
	makers, unseen := make([]maker, len(r.Columns)), make([]unseenValues, len(r.Columns))
	const enough = 20 // values in a warning
	places := make(map[string]int, len(t.Columns))
	for k, c := range t.Columns {
		places[c.Name] = k
	}
	perRow, from := 0, 0
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
		unseen[i] = unseenValues{t.Label(k), 0, map[string]bool{}}
		width := len(c.featureNames(false))
		if from += width; c.Kind == kindDate {
			perRow += width
		} else if c.Kind != kindText {
			perRow++
		}
	}
	if err := system.CheckMemory(fmt.Sprintf("%s: features", t.Path), 12*float64(perRow)*float64(t.Rows)); err != nil {
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
	column string
	rows   int
	some   map[string]bool
}

// maker puts the features of a row that are not 0, in increasing order of their columns. It
// returns the value if it gives no feature, since the recipe does not know it.
type maker func(row int, put func(column int, value float32)) (unknown string)

// maker returns the maker of the features of the column k of a table, which begin at from.
func (c *Column) maker(t *table.Table, k, from int) (maker, error) {
	column := &t.Columns[k]
	if c.Kind == kindNumber || c.Kind == kindDate {
		return c.numberMaker(t, k, from)
	}
	place := make(map[string]int, len(c.Values))
	for j, v := range c.Values {
		place[v] = j
	}
	return func(row int, put func(int, float32)) string {
		v, _ := column.Text(row)
		if c.Kind == kindText {
			return c.text(v, place, from, put)
		}
		j, known := place[v]
		if !known {
			return v
		}
		put(from+j, 1)
		return ""
	}, nil
}

// numberMaker returns the maker of the features of a column of numbers or dates.
func (c *Column) numberMaker(t *table.Table, k, from int) (maker, error) {
	column := &t.Columns[k]
	numbers, err := c.numbers(t, k)
	parts := from + 1
	if c.Gaps {
		parts++
	}
	return func(row int, put func(int, float32)) (unknown string) {
		v := (numbers[row] - c.Mean) / c.Deviation
		if math.IsNaN(v) {
			unknown, _ = column.Text(row)
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

// numbers returns the numbers of a column, or its dates in years: written as in the training if
// that fits all texts, or else as the column writes them.
func (c *Column) numbers(t *table.Table, k int) ([]float64, error) {
	column, notation := &t.Columns[k], table.Notation(c.Notation)
	if c.Kind == kindDate {
		return c.years(column), nil
	}
	numbers, _, err := numbersOf(t, k)
	if err != nil || t.Separator == 0 || notation == column.Notation {
		return numbers, err
	}
	numbersAsLearned := make([]float64, t.Rows)
	for row := range numbersAsLearned {
		text, _ := column.Text(row)
		v, ok := notation.Number(text)
		if !ok && table.HasMark(text) {
			return numbers, nil
		}
		if numbersAsLearned[row] = v; !ok {
			numbersAsLearned[row] = math.NaN()
		}
	}
	return numbersAsLearned, nil
}

// text puts the weights of the words of a text, and returns it if it has none.
func (c *Column) text(text string, place map[string]int, from int, put func(int, float32)) (unknown string) {
	counts := map[int]float64{}
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

// most is how many words of a text column count: the most frequent ones.
const most = 20_000

// learnWords sets the words of a text column and their weights, and counts all words.
func (c *Column) learnWords(column *table.Column) (all int) {
	n := column.Len()
	nodes := map[string]int{} // that have the word
	last := map[string]int{}
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
	c.Values = c.Values[:min(len(c.Values), most)]
	slices.Sort(c.Values)
	for _, word := range c.Values {
		c.IDF = append(c.IDF, math.Log(float64(1+n)/float64(1+nodes[word]))+1)
	}
	return len(nodes)
}

// eachWord calls do with each word of a text.
func eachWord(text string, do func(word string)) {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !inWord(r) }) {
		if len(word) > 1 && (len(word) > 4 || len([]rune(word)) > 1) {
			do(word)
		}
	}
}
