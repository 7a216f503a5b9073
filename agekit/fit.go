package agekit

import (
	"fmt"
	"log"
	"time"

	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
)

// Fit finds embeddings and clusters, as the program does ([run.Fit]). With nil options,
// it uses [run.Default]: the view and its settings follow from the graph, without labels. It prints each step, saves
// AGE's result for the next cell, and resumes if it was interrupted before. The backend is
// $AGEKIT_BACKEND; by default it is the GPU backend if one is available, else native.
func Fit(d *input.Data, o *run.Options) (*run.Run, error) {
	choice, err := cellBackend()
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = run.Default()
	}
	with := *o
	with.Training.Backend, with.Training.Checkpoints = gomlx.On(choice), results()
	live := new(live)
	with.Training.Progress = live.event
	start, g := time.Now(), d.Graph
	r, hit, err := run.Stored(interrupt(), results(), d, &with)
	if err != nil {
		return nil, fmt.Errorf("fitting %s: %w", g.Name, err)
	}
	if err := r.Discard(); err != nil {
		log.Printf("the checkpoints remain: %v", err)
	}
	say("clusters of "+g.Name, hit, o.Method == nil, time.Since(start))
	return r, nil
}

// Choose finds clusters of g without labels: it is [Fit] with the number of clusters, or with 0
// for the number of classes, or a useful number without classes.
func Choose(g *graph.Graph, clusters int) (*run.Run, error) {
	o := run.Default()
	if clusters != 0 {
		o.Clusters = views.Exactly(clusters)
	}
	return Fit(&input.Data{Graph: g}, o)
}

// Views returns a table of the ways to see the graph of a run.
func Views(r *run.Run) figure.Fragment {
	var rows [][]string
	for _, v := range r.Views {
		name := v.Name.Title()
		if v.Name == r.View {
			name += " ← result"
		}
		stability := "–"
		if v.Stability != nil {
			stability = fmt.Sprintf("%.2f", *v.Stability)
		}
		rows = append(rows, []string{name, fmt.Sprint(v.Clusters), fmt.Sprintf("%.0f %%", 100*v.Inside), fmt.Sprintf("%.0f %%", 100*v.Explained), stability})
	}
	return figure.Table([]string{"view", "clusters", "edges inside", "features' variance explained", "stability"}, rows)
}
