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
	// mostColumns is the number of the user's columns that the map has, and mostColors of
	// the values of one that have colors of their own.
	mostColumns, mostColors = 20, 12
	// mostLetters is the length of texts: an abstract for each node would make a page of
	// many megabytes.
	mostLetters = 200
)

// userColumns returns the indices of the user's columns: those without results, ids, classes.
func (p *Page) userColumns() (indices []int) {
	c := p.Columns
	for k, column := range p.nodes.Columns {
		results := slices.Concat([]string{c.ID, c.Cluster, c.Confidence, c.Outlier, c.Earlier, c.X, c.Y, c.Class}, c.Views, c.Levels)
		if !slices.Contains(results, column.Name) {
			indices = append(indices, k)
		}
	}
	return indices
}

// titleColumn returns the index of the column that says what each node is about, −1 if there
// is none: the one that was given; or else one of words of which most are in one row
// alone, called a title or a name or else of two words and more on average.
func (p *Page) titleColumn() (int, error) {
	if p.Title != "" {
		return p.nodes.Find(p.Title)
	}
	best, isNamed := -1, false
	for _, k := range p.userColumns() {
		c := &p.nodes.Columns[k]
		mostOccurOnce := 2*len(c.Values) > p.nodes.Rows
		if c.Codes == nil || !mostOccurOnce || len(c.Values) == 0 {
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

// texts returns a column as texts, empty where it has none, and cut where they are long.
func (p *Page) texts(k int) []string {
	texts := make([]string, p.nodes.Rows)
	for i := range texts {
		text, ok := p.nodes.Columns[k].Text(i)
		if !ok {
			continue
		}
		if len(text) > mostLetters {
			if letters := []rune(text); len(letters) > mostLetters {
				text = string(letters[:mostLetters-1]) + "…"
			}
		}
		texts[i] = strings.ToValidUTF8(text, "�")
	}
	return texts
}

// colorings returns the user's own columns for the map, besides that of titles: first those
// that give colors.
func (p *Page) colorings(title int) (all []figure.Coloring) {
	var texts []figure.Coloring
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
		if coloring.RedLabel == "" && coloring.Words == nil {
			texts = append(texts, coloring)
		} else {
			all = append(all, coloring)
		}
	}
	return append(all, texts...)
}

// isCategorical reports whether a column of n nodes with that many different words is one of
// categories: two words or more, and few for the number of nodes.
func isCategorical(words, n int) bool {
	return words >= 2 && words <= max(20, min(200, n/10)) && 2*words <= n
}

// values returns a column's numbers, or the days of its dates since 1970; nil if it has
// neither.
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

func day(days float64) string {
	return time.Unix(int64(days*24*60*60), 0).UTC().Format(time.DateOnly)
}

// setScale sets the ends of the scale of colors, so that a few extreme values do not make
// all others look the same. A column of one value has no scale.
func setScale(coloring *figure.Coloring, values []float64) {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(sorted) == 0 {
		return
	}
	slices.Sort(sorted)
	low, high := sorted[0], sorted[len(sorted)-1]
	coloring.Red, coloring.Blue = sorted[len(sorted)/50], sorted[len(sorted)-1-len(sorted)/50]
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

// brief writes a number with four digits, or more if it is large.
func brief(v float64) string {
	if math.Abs(v) >= 1000 && math.Abs(v) < 1e15 {
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return minus(strconv.FormatFloat(v, 'g', 4, 64))
}

// setCategories sets the words of a column, the most frequent first, and each node's place among them.
func setCategories(coloring *figure.Coloring, c *table.Column) {
	counts := make([]int, len(c.Values)) // of nodes with each value
	for _, code := range c.Codes {
		if code >= 0 {
			counts[code]++
		}
	}
	byCount := make([]int, len(c.Values))
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

// decimals is how many decimals the numbers of a feature have, the same everywhere.
type decimals map[string]int

// newDecimals chooses them so that the largest number of a feature has three digits, and
// so that the smallest difference between a cluster and all others shows.
func newDecimals(clusters []explain.Cluster) decimals {
	largest := map[string]float64{} // magnitude of a feature's means
	least := map[string]float64{}   // difference of a feature's means; 0: no difference is known
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
	// magnitude returns the power of ten of a number's first digit.
	magnitude := func(v float64) int { return int(math.Floor(math.Log10(max(v, 1e-9)))) }
	d := decimals{}
	for name, v := range largest {
		digits := 2 - magnitude(v) // three of the largest number
		if least[name] != 0 {
			digits = max(digits, -magnitude(least[name]))
		}
		d[name] = max(0, min(6, digits))
	}
	return d
}

// write writes a number of a feature.
func (d decimals) write(feature string, v float64) string {
	return message.Decimals(v, d[feature])
}
