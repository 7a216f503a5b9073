package agekit

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/message"
)

// Fit finds embeddings and clusters of the graph of d with the options o, as the program does
// ([run.Fit]). With nil options, it uses [run.Default]: the paper's settings for the paper's
// data sets, and for other graphs the view, and the settings of this view, that follow from
// the graph without labels. Fit prints each step, saves the result for the next cell unless
// the options have a method of one's own, and resumes if it was interrupted before. The
// backend is $AGEKIT_BACKEND; by default it is the GPU backend if one is available, else
// native.
func Fit(d *input.Data, o *run.Options) (*run.Run, error) {
	choice, err := cell.Backend()
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = run.Default()
	}
	options := *o
	options.Backend, options.Training.Checkpoints = choice, cell.Store()
	live := new(cell.Live)
	options.Training.Progress = live.Training
	start, g := time.Now(), d.Graph
	r, hit, err := run.Stored(cell.Context(), cell.Store(), d, &options) // hit: from the store
	if err != nil {
		return nil, fmt.Errorf("fitting %s: %w", g.Name, err)
	}
	if err := r.Discard(); err != nil {
		log.Printf("the checkpoints remain: %v", err)
	}
	cell.PrintSource("clusters of "+g.Name, hit, o.Own == nil, time.Since(start))
	return r, nil
}

// Choose finds clusters of g without labels. It is [Fit] with a number of clusters. If clusters
// is 0, this is the number of classes, or, in a graph without classes, a number that is found
// to be useful.
func Choose(g *graph.Graph, clusters int) (*run.Run, error) {
	o := run.Default()
	o.Auto = new(true) // choose the view and its settings, also for the paper's data sets
	if clusters != 0 {
		o.Clusters = views.Exactly(clusters)
	}
	return Fit(&input.Data{Graph: g}, o)
}

// Views returns a table of the views of the graph that a run has: for each, the number of its
// clusters, the share of the edges' weight inside the clusters, the share of the features'
// variance between the clusters, and how much the clusters agree with those of resamples, as
// a mean adjusted Rand index. It marks the view whose clusters are the run's result.
func Views(r *run.Run) figure.Fragment {
	var rows [][]string
	for _, v := range r.Views {
		name := v.Name.Title()
		if v.Name == r.View {
			name += " ← result"
		}
		stability := "–"
		if v.Stability != nil {
			stability = message.Decimals(*v.Stability, 2)
		}
		rows = append(rows, []string{name, fmt.Sprint(v.Clusters), percent(v.Inside), percent(v.Explained), stability})
	}
	return figure.Table([]string{"view", "clusters", "edges inside", "features' variance explained", "stability"}, rows)
}

// percent returns a share as a text in percent, without decimals.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// mostDots is the largest number of nodes that a map of [ViewMaps] shows.
const mostDots = 600

// ViewMaps draws the map of a run once for each of the run's views, in the colors of the
// view's clusters. A cluster has the color of the cluster of the result with which it overlaps
// most. Of a graph with more than 600 nodes, it draws at most 600, evenly spread over their
// numbers. It returns an error for a run without a map or views ([run.Options].Map).
func ViewMaps(r *run.Run) (*figure.Figure, error) {
	if r.Layout.Rows == 0 || len(r.Views) == 0 {
		return nil, errors.New("the run has no map or no views: want Map and Views in the options")
	}
	step := (r.N + mostDots - 1) / mostDots // every step-th node is drawn
	var maps []*figure.Figure
	for _, v := range r.Views {
		points := blas32.General{Cols: 2, Stride: 2}
		var clusters []int
		for i := 0; i < r.N; i += step {
			points.Data = append(points.Data, r.Layout.Data[i*r.Layout.Stride:][:2]...)
			clusters = append(clusters, v.Labels[i])
		}
		points.Rows = len(clusters)
		maps = append(maps, figure.Scatter2D(v.Name.Title(), points, clusters, figure.ClusterNames(slices.Max(v.Labels)+1)))
	}
	return figure.Row(maps...), nil
}
