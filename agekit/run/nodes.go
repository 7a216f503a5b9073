package run

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure/palette"
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
	t, id, class := explain.NewTable(r.Data)
	columns := Columns{ID: id, Class: class}
	columns.Cluster, columns.Name = t.AddClusters(r.Labels, explain.Names(r.Clusters))
	if e := r.Explanation; e != nil {
		columns.Confidence = t.AddNumbers(recipe.ConfidenceColumn, e.Confidence)
		columns.Outlier = t.AddNumbers(recipe.OutlierColumn, e.Outlier)
	}
	for i, v := range r.Views {
		if len(r.Views) == 1 {
			r.Views[i].Column = columns.Cluster
		} else if v.Labels != nil {
			r.Views[i].Column = t.Add(table.NewNumbers(recipe.ClusterByPrefix+v.Name.Title(), v.Labels))
			columns.Views = append(columns.Views, r.Views[i].Column)
		}
	}
	for _, l := range r.Levels {
		columns.Levels = append(columns.Levels, t.Add(table.NewNumbers(recipe.ClusterOfPrefix+strconv.Itoa(l.Clusters), l.Labels)))
	}
	if r.earlier != nil {
		columns.Earlier = t.Add(table.NewNumbers(recipe.EarlierColumn, r.earlier))
	}
	if p := r.layout(); p != nil {
		columns.X, columns.Y = t.AddNumbers(recipe.XColumn, p.X), t.AddNumbers(recipe.YColumn, p.Y)
	}
	return t.Table, columns
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
	o.stage("placing the nodes on the map")
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
