package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

const (
	// mostColumns is the largest number of the user's columns that the map shows.
	mostColumns = 20
	// mostColors is the largest number of a column's categories with colors of their own.
	mostColors = 12
	// mostLetters is the length to which texts are cut: an abstract for each node would
	// make a page of many megabytes.
	mostLetters = 200
)

// userColumns returns the indices of the user's columns in nodes.csv: all but ids, classes
// and the results of the run.
func (p *Page) userColumns() (indices []int) {
	c := p.Columns
	for k, column := range p.nodes.Columns {
		known := slices.Concat([]string{c.ID, c.Cluster, c.Name, c.Confidence, c.Outlier, c.Earlier, c.X, c.Y, c.Class}, c.Views, c.Levels)
		if !slices.Contains(known, column.Name) {
			indices = append(indices, k)
		}
	}
	return indices
}

// titleColumn returns the index of the column that says what each node is about: the column
// p.Title if it is set, or the first column that looks like titles, or −1. A column looks
// like titles if it has words, more different ones than half the rows, not too long, and if
// its name says so. Without such a name, a column with two words or more on average will do.
func (p *Page) titleColumn() (int, error) {
	if p.Title != "" {
		return p.nodes.Find(p.Title)
	}
	best, isNamed := -1, false // isNamed: the name of column best says that it has titles
	for _, k := range p.userColumns() {
		c := &p.nodes.Columns[k]
		manyDiffer := 2*len(c.Values) > p.nodes.Rows
		if c.Codes == nil || !manyDiffer || len(c.Values) == 0 {
			continue
		}
		letters, words := 0, 0
		for _, v := range c.Values {
			letters += len(v)
			words += len(strings.Fields(v))
		}
		isTitle := slices.Contains([]string{"title", "name", "label", "headline", "subject"}, strings.ToLower(c.Name))
		switch {
		case letters > mostLetters*len(c.Values): // texts that are too long
		case isTitle && !isNamed:
			best, isNamed = k, true
		case best < 0 && words >= 2*len(c.Values):
			best = k
		}
	}
	return best, nil
}

// texts returns the texts of column k, one per node: "" where the column has no value, and
// texts of more than mostLetters letters cut.
func (p *Page) texts(k int) []string {
	texts := make([]string, p.nodes.Rows)
	for i := range texts {
		text, ok := p.nodes.Columns[k].Text(i)
		if !ok {
			continue
		}
		if len(text) > mostLetters { // in bytes, which are quick to count and never fewer than letters
			if letters := []rune(text); len(letters) > mostLetters {
				text = string(letters[:mostLetters-1]) + "…"
			}
		}
		texts[i] = strings.ToValidUTF8(text, "�")
	}
	return texts
}

// colorings returns the user's own columns for the map, without the column with index title:
// first the columns that give colors, then those that are only said. It shows mostColumns at
// most, and sets p.leftOut to the number of columns beyond these.
func (p *Page) colorings(title int) (all []figure.Coloring) {
	var withoutColors []figure.Coloring
	columns := p.userColumns()
	columns = slices.DeleteFunc(columns, func(k int) bool { return k == title })
	p.leftOut = max(0, len(columns)-mostColumns)
	for _, k := range columns[:min(mostColumns, len(columns))] {
		c := &p.nodes.Columns[k]
		coloring := figure.Coloring{Name: c.Name, Own: true}
		if values := p.values(c); values != nil {
			coloring.Values = values
			setScale(&coloring, values)
			if c.Numbers == nil {
				coloring.Texts = p.texts(k)
				coloring.RedLabel, coloring.BlueLabel = day(coloring.Red), day(coloring.Blue)
			}
		} else if isCategorical(len(c.Values), p.nodes.Rows) {
			setCategories(&coloring, c)
		} else {
			coloring.Texts = p.texts(k)
		}
		hasColors := coloring.RedLabel != "" || coloring.Words != nil // a scale, or categories
		if hasColors {
			all = append(all, coloring)
		} else {
			withoutColors = append(withoutColors, coloring)
		}
	}
	return append(all, withoutColors...)
}

// isCategorical reports whether a column of n nodes with a number of different words is one
// of categories: two words or more, and few for the number of nodes. Few means a tenth of
// the nodes, but at least 20 and at most 200, and never more than half of the nodes.
func isCategorical(words, n int) bool {
	few := max(20, min(200, n/10))
	return words >= 2 && words <= few && 2*words <= n
}

// values returns the numbers of a column, or, if the recipe of the features says that the
// column has dates, the days of the dates since 1970, with NaN for a missing one. It returns
// nil if the column has neither numbers nor dates.
func (p *Page) values(c *table.Column) []float64 {
	if c.Numbers != nil {
		return c.Numbers
	}
	if p.Model == nil || p.Model.About.Recipe == nil {
		return nil
	}
	for _, r := range p.Model.About.Recipe.Columns {
		if r.Name != c.Name || r.Layout == "" {
			continue
		}
		days := make([]float64, len(c.Codes))
		for i, code := range c.Codes {
			days[i] = math.NaN()
			if code < 0 {
				continue
			}
			if t, err := time.Parse(r.Layout, c.Values[code]); err == nil {
				days[i] = float64(t.Unix()) / (24 * 60 * 60)
			}
		}
		return days
	}
	return nil
}

// day returns the date a number of days after January 1, 1970.
func day(days float64) string {
	return time.Unix(int64(days*24*60*60), 0).UTC().Format(time.DateOnly)
}

// setScale sets the ends Red and Blue of a coloring's scale and their labels. The ends leave
// out the lowest and the highest fiftieth of the values, so that a few extreme values do not
// make all others look the same. If all values are equal, the labels stay empty: there is no
// scale.
func setScale(coloring *figure.Coloring, values []float64) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(sorted) == 0 {
		return
	}
	slices.Sort(sorted)
	low, high := sorted[0], sorted[len(sorted)-1]
	extreme := len(sorted) / 50 // values at each end
	coloring.Red, coloring.Blue = sorted[extreme], sorted[len(sorted)-1-extreme]
	if coloring.Red == coloring.Blue {
		coloring.Red, coloring.Blue = low, high
	}
	if low == high {
		return
	}
	coloring.RedLabel, coloring.BlueLabel = brief(coloring.Red), brief(coloring.Blue)
	if low < coloring.Red {
		coloring.RedLabel += " or less"
	}
	if high > coloring.Blue {
		coloring.BlueLabel += " or more"
	}
}

// brief returns a number as text with four digits. Numbers from a thousand on have all digits
// before the point; from 1e15 on, they have an exponent instead.
func brief(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e15 {
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return minus(strconv.FormatFloat(v, 'g', 4, 64))
}

// setCategories sets the Words of a coloring to the values of column c, the most frequent
// first, its Numbers to each node's place in Words, and Most to the number of words with
// colors. A node without a value gets the place after the last word.
func setCategories(coloring *figure.Coloring, c *table.Column) {
	counts := make([]int, len(c.Values)) // of nodes with each value
	for _, code := range c.Codes {
		if code >= 0 {
			counts[code]++
		}
	}
	byCount := make([]int, len(c.Values)) // the codes, the most frequent first
	for code := range byCount {
		byCount[code] = code
	}
	slices.SortFunc(byCount, func(a, b int) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(c.Values[a], c.Values[b]))
	})
	rankOf := make([]int, len(c.Values))
	for rank, code := range byCount {
		rankOf[code] = rank
		coloring.Words = append(coloring.Words, message.Shorten(strings.ToValidUTF8(c.Values[code], "�")))
	}
	coloring.Most = min(mostColors, len(byCount))
	for _, code := range c.Codes {
		rank := len(byCount) // of a node without a value
		if code >= 0 {
			rank = rankOf[code]
		}
		coloring.Numbers = append(coloring.Numbers, rank)
	}
}

// decimals holds, by a feature's name, the number of decimals with which all numbers of this
// feature are written.
type decimals map[string]int

// newDecimals returns the decimals of all features that clusters have and that are not
// binary. The largest mean of a feature gets three digits, or more if the smallest difference
// between the mean inside a cluster and the mean outside would not show; but at most six
// decimals.
func newDecimals(clusters []explain.Cluster) decimals {
	largest := map[string]float64{} // the largest absolute mean of a feature
	least := map[string]float64{}   // the least difference of means; 0: none is known yet
	for _, c := range clusters {
		for _, f := range c.Features {
			if f.Binary {
				continue
			}
			largest[f.Name] = max(largest[f.Name], math.Abs(f.Inside), math.Abs(f.Outside))
			difference := math.Abs(f.Inside - f.Outside)
			if least[f.Name] == 0 || difference < least[f.Name] {
				least[f.Name] = difference
			}
		}
	}
	// magnitude returns the exponent of the power of ten that a number's first digit counts.
	magnitude := func(v float64) int { return int(math.Floor(math.Log10(max(v, 1e-9)))) }
	d := decimals{}
	for name, v := range largest {
		needed := 2 - magnitude(v) // three digits: the first one and two more
		if least[name] != 0 {
			needed = max(needed, -magnitude(least[name])) // the first digit of the difference
		}
		d[name] = max(0, min(6, needed))
	}
	return d
}

// write returns a number v of a feature as text with the feature's decimals.
func (d decimals) write(feature string, v float64) string {
	return message.Decimals(v, d[feature])
}
