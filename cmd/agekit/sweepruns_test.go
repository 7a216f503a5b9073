package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// TestSweepRuns: each number has what its fits have, and a sweep that was stopped goes on with
// the fits that were not done.
func TestSweepRuns(t *testing.T) {
	d := &input.Data{Graph: testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 240, Classes: 3, MeanDegree: 6, Features: 60, Words: 8, Topic: 0.5, Seed: 4})).OrFatal(t)}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := run.Options{Settings: settings.Settings{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: 2}, Config: encoder.Config{Dims: 16, Epochs: 10, Seed: 1}}}
	ctx, stop := context.WithCancel(t.Context())
	fits := 0
	sweep := func(ctx context.Context, s *store.Store, numbers views.Range, seeds int) (found []swept, lines string, err error) {
		var said strings.Builder
		log := newConsole(writerFunc(func(line []byte) (int, error) {
			if fits += bytes.Count(line, []byte("modularity")); fits == 3 {
				stop()
			}
			return said.Write(line)
		}))
		found, err = sweepRuns(ctx, s, d, o, numbers, seeds, log)
		return found, said.String(), err
	}
	if _, _, err := sweep(ctx, s, views.Range{Least: 3, Most: 4}, 2); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	found, lines, err := sweep(t.Context(), s, views.Range{Least: 3, Most: 4}, 2)
	if err != nil || strings.Count(lines, "kept from before") != 3 || strings.Count(lines, "\n") != 4 || !strings.Contains(lines, "fit 4 of 4: 4 clusters, seed 2: modularity ") {
		t.Fatalf("error %v: %s", err, lines)
	}
	a := d.Graph.Adjacency
	for i, got := range found {
		var labels [2][]int
		var inside, explained [2]float64
		for seed := range labels {
			seeded := o
			seeded.Clusters, seeded.Seed = views.Exactly(3+i), uint64(seed)+1
			r := testutil.Value(run.Fit(t.Context(), d, &seeded)).OrFatal(t)
			labels[seed], inside[seed], explained[seed] = r.Labels, r.Measures.Inside, r.Measures.Explained
		}
		mean := func(score func([]int) float64) float64 { return (score(labels[0]) + score(labels[1])) / 2 }
		k := float64(3 + i)
		for name, pair := range map[string][2]float64{
			"stability": {*got.Stability, metric.ARI(labels[0], labels[1])}, "edges inside": {got.Inside, (inside[0] + inside[1]) / 2},
			"modularity": {got.Modularity, mean(func(l []int) float64 { return metric.Modularity(a, l) })},
			"ACC":        {*got.ACC, mean(func(l []int) float64 { return metric.Accuracy(d.Graph.Labels, l) })},
			"explained":  {got.Explained, (explained[0] + explained[1]) / 2},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%v clusters: %s %v, want %v", k, name, pair[0], pair[1])
			}
		}
		if got.Clusters != 3+i || got.Seeds != 2 {
			t.Errorf("%+v", got)
		}
	}
	once, _, err := sweep(t.Context(), s, views.Exactly(3), 1)
	if err != nil || once[0].Stability != nil {
		t.Errorf("one seed: %+v, %v", once, err)
	}
	if again, _, err := sweep(t.Context(), nil, views.Exactly(3), 1); err != nil || !reflect.DeepEqual(again[0].Modularity, once[0].Modularity) {
		t.Errorf("without a store: %+v, %v", again, err)
	}
}

// writerFunc is called with what is written.
type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }
