package explain

import (
	"math"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
)

// Table is a table of nodes and of what was found of them, such as nodes.csv of agekit fit.
type Table struct{ *table.Table }

// NewTable returns a table of the nodes of d without results, and the names of two of its columns. The
// columns are: ids or numbers (id), the user's own columns, and the classes of a graph that has some (class,
// else ""). A column without a name gets its number as one.
func NewTable(d *input.Data) (t Table, id, class string) {
	g := d.Graph
	t = Table{&table.Table{Rows: g.N()}}
	if g.NodeNames != nil {
		t.Columns = []table.Column{table.NewWords("id", g.NodeNames)}
	} else {
		t.Columns = []table.Column{{Name: "id", Numbers: make([]float64, g.N())}}
		for i := range t.Columns[0].Numbers {
			t.Columns[0].Numbers[i] = float64(i)
		}
	}
	classes := -1 // the column of the classes
	if d.Nodes != nil {
		for k, c := range d.Nodes.Columns {
			if k == d.IDColumn {
				t.Columns[0].Name = c.Name
				continue
			}
			if g.Labels != nil && k == d.LabelColumn {
				classes = len(t.Columns)
			}
			t.Columns = append(t.Columns, c)
		}
	}
	for k := range t.Columns {
		if t.Columns[k].Name == "" { // a column without a name would look like an index
			t.Columns[k].Name = "column " + strconv.Itoa(k+1)
		}
	}
	id = t.Columns[0].Name
	switch {
	case classes >= 0:
		class = t.Columns[classes].Name
	case g.Labels != nil: // the classes are no column of the user's table
		class = t.Add(classColumn(g))
	}
	return t, id, class
}

// Add adds a column of results and returns its name, which it changes if a column has it already.
func (t Table) Add(c table.Column) (name string) {
	for slices.ContainsFunc(t.Columns, func(other table.Column) bool { return other.Name == c.Name }) {
		c.Name += recipe.FoundSuffix
	}
	t.Columns = append(t.Columns, c)
	return c.Name
}

// AddClusters adds the cluster of each node and, unless names is nil, the names of the nodes' clusters: names has
// that of each cluster, as [Names] returns them. AddClusters returns the names of the two columns, "" for one that
// it did not add.
func (t Table) AddClusters(clusters []int, names []string) (cluster, name string) {
	cluster = t.Add(table.NewNumbers(recipe.ClusterColumn, clusters))
	if names != nil {
		ofNodes := make([]string, len(clusters))
		for i, c := range clusters {
			ofNodes[i] = names[c]
		}
		name = t.Add(table.NewWords(recipe.NameColumn, ofNodes))
	}
	return cluster, name
}

// AddNumbers adds a column of numbers, each rounded to six significant digits: more would be noise to a reader,
// and triple the size of a file. It returns the column's name as [Table.Add] does.
func (t Table) AddNumbers(name string, numbers []float64) string {
	rounded := make([]float64, len(numbers))
	for i, v := range numbers {
		rounded[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // it parses what was formatted
	}
	return t.Add(table.NewNumbers(name, rounded))
}

// Names returns the name of each cluster, "" for one without; nil if none has a name.
func Names(clusters []Cluster) []string {
	if !slices.ContainsFunc(clusters, func(c Cluster) bool { return c.Name != "" }) {
		return nil
	}
	names := make([]string, len(clusters))
	for c := range clusters {
		names[c] = clusters[c].Name
	}
	return names
}

// classColumn returns a column with the class of each node: its name or, if classes have no names, its
// number. The cell of a node whose class is unknown is empty.
func classColumn(g *graph.Graph) table.Column {
	if g.ClassNames == nil {
		c := table.NewNumbers(recipe.ClassColumn, g.Labels)
		for i, l := range g.Labels {
			if l == graph.Unknown {
				c.Numbers[i] = math.NaN()
			}
		}
		return c
	}
	names := make([]string, g.N()) // "" where the class is unknown
	for i, l := range g.Labels {
		if l != graph.Unknown {
			names[i] = g.ClassNames[l]
		}
	}
	return table.NewWords(recipe.ClassColumn, names)
}
