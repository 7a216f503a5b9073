package agekit

import (
	"fmt"
	"log"
	"time"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
)

// Fit finds embeddings and clusters, as the program does ([run.Fit]). With nil options,
// it uses [run.Default]: settings are chosen without labels. It prints each step, saves
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

// Choose finds settings and clusters of g without labels: it is [Fit] with the number of
// clusters, or with 0 for the number of classes, or 2 to 20 without classes.
func Choose(g *graph.Graph, clusters int) (*run.Run, error) {
	o := run.Default()
	if clusters != 0 {
		o.Clusters = auto.Exactly(clusters)
	}
	return Fit(&input.Data{Graph: g}, o)
}

// Tried returns a table of what was tried to find the settings of a run, with the scores
// that decided. It is empty if the settings were given.
func Tried(r *run.Run) figure.Fragment {
	var rows [][]string
	if t := r.Record.Search; t != nil {
		for _, i := range t.BestTrials() {
			trial := t.Trials[i]
			name := trial.Name()
			if i == t.Chosen {
				name += " ← chosen"
			}
			rows = append(rows, []string{name, fmt.Sprintf("%.3f", trial.Features), fmt.Sprintf("%.3f", trial.Edges), fmt.Sprintf("%.2f", trial.Stability), fmt.Sprintf("%.2f", trial.Score), fmt.Sprintf("%.1f", trial.Seconds)})
		}
	}
	return figure.Table([]string{"tried", "features", "edges", "stability", "score", "seconds"}, rows)
}
