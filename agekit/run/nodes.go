package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/rng"
)

// Nodes returns the table of nodes.csv: the user's columns with the results. It makes the table on the
// first call and stores it, and the names of the columns with results in r.Columns.
func (r *Run) Nodes() *table.Table {
	if r.Labels == nil { // it was loaded
		return r.Data.Nodes
	}
	if r.table == nil {
		r.table, r.Columns = r.nodes()
	}
	return r.table
}

// nodes makes the table of the nodes, and returns it with the names of the columns with results. The
// columns are: ids or numbers, the user's own columns, the cluster, its name if a cluster has one,
// confidence and outlier score, the clusters of each view and of the other levels, the cluster in an
// earlier run, and the place on the map. Results have at most six significant digits. nodes also sets the
// column of each of r.Views.
func (r *Run) nodes() (*table.Table, Columns) {
	g := r.Data.Graph
	t := &table.Table{Rows: g.N()}
	if g.NodeNames != nil {
		t.Columns = []table.Column{table.NewWords("id", g.NodeNames)}
	} else {
		t.Columns = []table.Column{{Name: "id", Numbers: make([]float64, g.N())}}
		for i := range t.Columns[0].Numbers {
			t.Columns[0].Numbers[i] = float64(i)
		}
	}
	class := -1 // the column of the classes
	if r.Data.Nodes != nil {
		for k, c := range r.Data.Nodes.Columns {
			if k == r.Data.IDColumn {
				t.Columns[0].Name = c.Name
				continue
			}
			if g.Labels != nil && k == r.Data.LabelColumn {
				class = len(t.Columns)
			}
			t.Columns = append(t.Columns, c)
		}
	}
	for k := range t.Columns {
		if t.Columns[k].Name == "" { // a column without a name would look like an index
			t.Columns[k].Name = "column " + strconv.Itoa(k+1)
		}
	}
	columns := Columns{ID: t.Columns[0].Name}
	// add adds a column of results and returns its name, which it changes if a column has it already.
	add := func(c table.Column) string {
		for slices.ContainsFunc(t.Columns, func(other table.Column) bool { return other.Name == c.Name }) {
			c.Name += recipe.FoundSuffix
		}
		t.Columns = append(t.Columns, c)
		return c.Name
	}
	switch {
	case class >= 0:
		columns.Class = t.Columns[class].Name
	case g.Labels != nil: // the classes are no column of the user's table
		columns.Class = add(classColumn(g))
	}
	columns.Cluster = add(table.NewNumbers(recipe.ClusterColumn, r.Labels))
	if slices.ContainsFunc(r.Clusters, func(c explain.Cluster) bool { return c.Name != "" }) {
		names := make([]string, g.N())
		for i, c := range r.Labels {
			names[i] = r.Clusters[c].Name
		}
		columns.Name = add(table.NewWords(recipe.NameColumn, names))
	}
	if e := r.Explanation; e != nil {
		columns.Confidence = add(table.NewNumbers(recipe.ConfidenceColumn, sixDigits(e.Confidence)))
		columns.Outlier = add(table.NewNumbers(recipe.OutlierColumn, sixDigits(e.Outlier)))
	}
	for i, v := range r.Views {
		if len(r.Views) == 1 {
			r.Views[i].Column = columns.Cluster
		} else if v.Labels != nil {
			r.Views[i].Column = add(table.NewNumbers(recipe.ClusterByPrefix+v.Name.Title(), v.Labels))
			columns.Views = append(columns.Views, r.Views[i].Column)
		}
	}
	for _, l := range r.Levels {
		columns.Levels = append(columns.Levels, add(table.NewNumbers(recipe.ClusterOfPrefix+strconv.Itoa(l.Clusters), l.Labels)))
	}
	if r.earlier != nil {
		columns.Earlier = add(table.NewNumbers(recipe.EarlierColumn, r.earlier))
	}
	if p := r.layout(); p != nil {
		columns.X, columns.Y = add(table.NewNumbers(recipe.XColumn, sixDigits(p.X))), add(table.NewNumbers(recipe.YColumn, sixDigits(p.Y)))
	}
	return t, columns
}

// sixDigits returns the numbers, each rounded to six significant digits: more would be noise to a reader, and
// triple the size of a file.
func sixDigits(numbers []float64) []float64 {
	rounded := make([]float64, len(numbers))
	for i, v := range numbers {
		rounded[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // it parses what was formatted
	}
	return rounded
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

// layout returns the coordinates of the nodes on the map, and the colors of their clusters, for the
// formats of graphs; nil if there is no map.
func (r *Run) layout() *formats.Place {
	if r.Layout.Rows == 0 {
		return nil
	}
	p := &formats.Place{Color: func(i int) (red, green, blue uint8) {
		color := palette.Colors[r.Labels[i]%len(palette.Colors)]
		_, _ = fmt.Sscanf(color, "#%02x%02x%02x", &red, &green, &blue)
		return red, green, blue
	}}
	for i := range r.Layout.Rows {
		p.X = append(p.X, float64(r.Layout.Data[i*r.Layout.Stride]))
		p.Y = append(p.Y, float64(r.Layout.Data[i*r.Layout.Stride+1]))
	}
	return p
}

const (
	// A map of more than quickNodes nodes has quickIterations instead of t-SNE's default.
	quickNodes, quickIterations = 1500, 300
	// If there are more than twice sampledNodes nodes, t-SNE places only sampledNodes of them; each
	// other node goes beside the most similar of these.
	sampledNodes = 10000
	// mapColumns is the number of columns to which an embedding that is not in memory is reduced: the
	// number to which t-SNE itself reduces an embedding.
	mapColumns = 50
	// leastPlaced is the smallest number of nodes that t-SNE can place.
	leastPlaced = 4
)

// computeLayout computes the coordinates of the nodes on a map by t-SNE of the rows of space, and sets
// r.Layout. Without enough nodes for t-SNE it leaves r.Layout as it is.
func (r *Run) computeLayout(ctx context.Context, o *Options) (err error) {
	start := time.Now()
	z, err := inMemory(ctx, r.space(), mapColumns, rng.New(0, rng.MapColumns))
	if err != nil {
		return fmt.Errorf("stopped while placing the nodes on the map; run it again, or without a map: %w", err)
	}
	if z.Rows < leastPlaced {
		return nil
	}
	settings, rnd := tsne.Options{}, rng.New(0, rng.Only)
	if z.Rows > quickNodes {
		settings.Iterations = quickIterations
	}
	if z.Rows > 2*sampledNodes {
		settings.Sample, rnd = sampledNodes, rng.New(0, rng.MapSample)
	}
	r.Layout, err = tsne.Map(ctx, z, settings, rnd)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while placing the nodes on the map; run it again, or without a map: %w", err)
	}
	if err == nil {
		o.Training.Linef("map: %.1f s", time.Since(start).Seconds())
	}
	return err
}
