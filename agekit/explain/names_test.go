package explain

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestNames: clusters are named by the features that were planted in them, each differently. Columns whose names are only
// numbered are in no name.
func TestNames(t *testing.T) {
	const n, dims = 180, 8 // with 60, only the numbers would be no chance
	columns := []string{"island = Biscoe", "body_mass_g", "sex = male"}
	for j := range dims {
		columns = append(columns, fmt.Sprint("embedding ", j+1))
	}
	x := blas32.General{Rows: n, Cols: len(columns), Stride: len(columns), Data: make([]float32, n*len(columns))}
	clusters := make([]int, n)
	for i := range n {
		row := x.Data[i*x.Stride:][:x.Cols]
		clusters[i] = i % 4
		noise := float32(i%7)/10 - 0.3
		row[1] = noise + 0.01
		if clusters[i] == 0 {
			row[0] = 1
		}
		switch clusters[i] { // 2 and 3 weigh the same
		case 0:
			row[1] += 3
		case 1:
			row[1] -= 3
		}
		if i%9 == 0 {
			row[2] = 1
		}
		row[3+clusters[i]] = 50 + noise // stronger than all, but an embedding's
	}
	named := &graph.Graph{
		Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: graph.Features{Dense: &x}, FeatureNames: columns,
	}
	names := func(g *graph.Graph) (names []string) {
		e := testutil.Value(explainMatrix(t.Context(), g, x, clusters)).OrFatal(t)
		for _, c := range e.Clusters {
			names = append(names, c.Name)
			for _, f := range c.Features {
				if (f.Lift == nil) != (f.Outside == 0 && f.Binary) {
					t.Errorf("feature %+v of cluster %d: want no lift if no other node has it, else one", f, c.Cluster)
				}
			}
		}
		return names
	}
	want := []string{"high body_mass_g, island = Biscoe", "low body_mass_g", "", ""}
	if got := names(named); !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	named.FeatureNames = nil
	if got := names(named); slices.ContainsFunc(got, func(name string) bool { return name != "" }) {
		t.Errorf("features without names name clusters %q", got)
	}
}

// TestPhrases: how each kind of column of a table is called in a name. 120 nodes are in three
// clusters of as many; the columns say which, with one exception in each cluster.
func TestPhrases(t *testing.T) {
	rows := []string{"id,feathers,venomous,species,mass,born,note,legs"}
	labels := make([]int, 120)
	for i := range labels {
		c := i % 3
		labels[i] = c
		shown := c // what the columns say
		if i < 3 {
			shown = (c + 1) % 3
		}
		mass := ""
		if shown > 0 {
			mass = fmt.Sprint(1000*shown + i)
		}
		note := []string{"lays eggs of its own", "sleeps by day and night", "hunts by night alone"}[shown]
		rows = append(rows, fmt.Sprintf("n%d,%d,%s,%s,%s,%d-%02d-%02d,%s %d,%d", i, min(shown, 1), []string{"no", "no", "yes"}[shown],
			[]string{"owl", "finch", "viper"}[shown], mass, 1990+10*shown, 1+i%12, 1+i%28, note, i, shown))
	}
	file := filepath.Join(t.TempDir(), "nodes.csv")
	testutil.NoError(t, os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
	for _, test := range []struct {
		only []string
		want [3]string
	}{
		{[]string{"feathers"}, [3]string{"without feathers", "", ""}},
		{[]string{"venomous"}, [3]string{"", "", "with venomous"}},
		{[]string{"species"}, [3]string{"species owl", "species finch", "species viper"}},
		{[]string{"mass"}, [3]string{"mass missing", "low mass", "high mass"}},
		{[]string{"born"}, [3]string{"early born", "", "late born"}},
		{[]string{"legs"}, [3]string{"low legs", "", "high legs"}},
		{[]string{"note"}, [3]string{"eggs, lays, own", "day, sleeps", "alone, hunts"}},
	} {
		d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: file, Neighbors: 3, Columns: recipe.Columns{Only: test.only}})).OrFatal(t)
		if got := namesOf(t, d, labels); !slices.Equal(got, test.want[:]) {
			t.Errorf("%v: names %q, want %q", test.only, got, test.want)
		}
	}
}

// namesOf returns the names of clusters of the nodes.
func namesOf(t *testing.T, d *input.Data, labels []int) (names []string) {
	t.Helper()
	rows := linalg.LocalRows(linalg.InMemory(d.Graph.Features.ToDense()))
	e := testutil.Value(Explain(t.Context(), d.Graph, d.Recipe, rows, labels)).OrFatal(t)
	for _, c := range e.Clusters {
		names = append(names, c.Name)
	}
	return names
}

// TestTrueNames: the whole name of a cluster of a real table is true of at least half of its nodes, of less than
// half of those of each other cluster, and of all other nodes of a third as large a share at most, as the
// table itself says. No two clusters have the same name. The clusters are those by features and those of the edges
// to the most similar nodes, in three numbers; there are 14 tables.
func TestTrueNames(t *testing.T) {
	root := filepath.Join(os.Getenv("AGEKIT_DATA"), "graphs")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the tables are not here")
	}
	for _, table := range []struct {
		name, label string
		text        []string
	}{
		{"cars", "Origin", nil}, {"olive", "area", nil}, {"brown", "function", nil}, {"fgl", "type", nil}, {"states", "region", nil}, {"cats", "colony", nil},
		{"countries", "region", nil}, {"artists", "tag", nil}, {"lawyers", "office", nil}, {"aucs", "group", nil}, {"fb_reed98", "year", nil},
		{"flare", "package", []string{"words"}}, {"emoji", "group", []string{"text"}}, {"yeast", "class", []string{"description"}},
	} {
		if slices.Contains([]string{"emoji", "yeast"}, table.name) && !testutil.IsLong() { // thousands of words
			continue
		}
		d := testutil.Value(input.Open(t.Context(), input.Source{
			Nodes: filepath.Join(root, table.name, "nodes.csv"), Label: table.label, Columns: recipe.Columns{Text: table.text}, Neighbors: 3,
		})).OrFatal(t)
		finder := views.NewFinder(d.Graph, views.Source{Nearest: true}, d.Recipe.Width(), 1)
		for _, k := range []int{2, 8, 20} {
			for _, view := range []views.Name{views.Features, views.Edges} {
				labels := testutil.Value(finder.Clusters(t.Context(), view, k)).OrFatal(t)
				checkNames(t, d, fmt.Sprintf("%s, %d clusters by %s", table.name, k, view), labels)
			}
		}
	}
}

// checkNames checks the names of clusters of a table's nodes by the table itself. what says which they are.
func checkNames(t *testing.T, d *input.Data, what string, labels []int) {
	t.Helper()
	named := map[string]bool{}
	for c, name := range namesOf(t, d, labels) {
		if name == "" {
			continue
		}
		if named[name] {
			t.Errorf("%s: two are %q", what, name)
		}
		named[name] = true
		bears := slices.Repeat([]bool{true}, len(labels)) // whether all of the name is true of a node
		for _, phrase := range strings.Split(name, ", ") {
			for i, holds := range says(t, d, phrase, labels, c) {
				bears[i] = bears[i] && holds
			}
		}
		inside, outside, largest := shares(bears, labels, c)
		if inside < 0.5 || outside > inside/3 || largest >= 0.5 {
			t.Errorf("%s: %d, %s, is true of %.0f %%, of %.0f %% of the others, and of %.0f %% of another cluster", what, c, name, 100*inside, 100*outside, 100*largest)
		}
	}
	t.Logf("%s: %d have a name", what, len(named))
}

// shares returns the share of a cluster's nodes, and of all others, of which something is true, and the largest such
// share of another cluster.
func shares(holds []bool, labels []int, cluster int) (inside, outside, largest float64) {
	share := func(of func(c int) bool) float64 {
		count, size := 0, 0
		for i, c := range labels {
			if of(c) {
				size++
				if holds[i] {
					count++
				}
			}
		}
		return float64(count) / float64(size)
	}
	for other := range slices.Max(labels) + 1 {
		if other != cluster {
			largest = max(largest, share(func(c int) bool { return c == other }))
		}
	}
	return share(func(c int) bool { return c == cluster }), share(func(c int) bool { return c != cluster }), largest
}

// says reports of which nodes a phrase of a cluster's name is true, by the user's table.
func says(t *testing.T, d *input.Data, phrase string, labels []int, cluster int) []bool {
	t.Helper()
	n := d.Nodes.Rows
	holds := make([]bool, n)
	textual := func(c *table.Column, is func(text string, known bool) bool) []bool {
		for i := range holds {
			holds[i] = is(c.Text(i))
		}
		return holds
	}
	for k := range d.Nodes.Columns {
		c := &d.Nodes.Columns[k]
		value, isCategory := strings.CutPrefix(phrase, c.Name+" ")
		other, isNot := strings.CutPrefix(value, "not ")
		switch {
		case c.Name == "" || k == d.IDColumn || k == d.LabelColumn:
		case slices.Contains([]string{"high " + c.Name, "low " + c.Name, "late " + c.Name, "early " + c.Name}, phrase):
			size := 0
			for _, label := range labels {
				if label == cluster {
					size++
				}
			}
			return extreme(numbersIn(t, c, n), float64(size)/float64(n), strings.HasPrefix(phrase, "high ") || strings.HasPrefix(phrase, "late "))
		case strings.HasPrefix(phrase, c.Name+" on a "):
			return textual(c, func(text string, known bool) bool {
				date, err := time.Parse(time.DateOnly, text)
				return err == nil && phrase == c.Name+" on a "+date.Weekday().String()
			})
		case phrase == c.Name+" missing":
			return textual(c, func(_ string, known bool) bool { return !known })
		case phrase == "with "+c.Name:
			return textual(c, func(text string, _ bool) bool { return text == "1" || strings.ToLower(text) == "true" })
		case phrase == "without "+c.Name:
			return textual(c, func(text string, _ bool) bool { return text == "0" || strings.ToLower(text) == "false" })
		case isCategory && isNot:
			return textual(c, func(text string, _ bool) bool { return text != other })
		case isCategory:
			return textual(c, func(text string, _ bool) bool { return text == value })
		}
	}
	// a word of any text
	word, lacks := strings.CutPrefix(phrase, "without ")
	found := false
	isRead := map[string]bool{} // a column that features are made of
	for _, c := range d.Recipe.Columns {
		isRead[c.Name] = true
	}
	for k := range d.Nodes.Columns {
		for i := range holds {
			text, _ := d.Nodes.Columns[k].Text(i)
			letters := func(r rune) bool { return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127) }
			if isRead[d.Nodes.Columns[k].Name] && slices.Contains(strings.FieldsFunc(strings.ToLower(text), letters), word) {
				holds[i], found = true, true
			}
		}
	}
	if !found {
		t.Errorf("no column or word for %q", phrase)
	}
	for i := range holds {
		holds[i] = holds[i] != lacks
	}
	return holds
}

// numbersIn returns the numbers of a column, or the times of its dates; NaN where one is missing.
func numbersIn(t *testing.T, c *table.Column, n int) []float64 {
	t.Helper()
	values := make([]float64, n)
	for i := range values {
		text, known := c.Text(i)
		values[i] = math.NaN()
		if !known {
			continue
		}
		if date, err := time.Parse(time.DateOnly, text); err == nil {
			values[i] = float64(date.Unix())
			continue
		}
		values[i] = testutil.Value(strconv.ParseFloat(text, 64)).OrFatal(t)
	}
	return values
}

// extreme reports which values are among the highest, or the lowest, of those that are known: a quarter
// of them, or a share that is larger, but at most half.
func extreme(values []float64, share float64, high bool) []bool {
	if !high {
		for i := range values {
			values[i] = -values[i]
		}
	}
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(known)
	bound := known[len(known)-int(math.Round(float64(len(known))*max(0.25, min(0.5, share))))]
	holds := make([]bool, len(values))
	for i, v := range values {
		holds[i] = v >= bound && v > known[0]
	}
	return holds
}

// TestSampledNames: clusters of many nodes, where a sample decides which numbers are high, get the same names as clusters
// of few nodes that are alike.
func TestSampledNames(t *testing.T) {
	for _, n := range []int{1200, 3 * sampledNumbers} {
		x := blas32.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float32, 2*n)}
		labels := make([]int, n)
		for i := range n {
			labels[i] = i % 4
			x.Data[2*i] = float32(labels[i]*n + i)
			x.Data[2*i+1] = float32(i%5) - 2 // which tells nothing
		}
		g := &graph.Graph{Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: graph.Features{Dense: &x}, FeatureNames: []string{"mass", "noise"}}
		_, names, err := distinctiveFeatures(t.Context(), g, nil, labels, []int{n / 4, n / 4, n / 4, n / 4})
		if got := fmt.Sprint(names); err != nil || got != "[low mass   high mass]" {
			t.Errorf("%d nodes: names %s (%v)", n, got, err)
		}
	}
}
