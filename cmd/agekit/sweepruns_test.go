package main

import (
	"bytes"
	"context"
	"errors"
	"io"
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

// TestSweepRuns: a sweep over two numbers of clusters and two seeds is stopped after three of its four fits.
// Run again, it does only the fourth. What it finds for each number of clusters is compared with fits that
// run.Fit makes without a sweep: the means of their scores, and as the stability the adjusted Rand index of
// their clusters. One seed has no stability, and without a store the result is the same.
func TestSweepRuns(t *testing.T) {
	planted := dataset.PlantedConfig{Nodes: 240, Classes: 3, MeanDegree: 6, Features: 60, Words: 8, Topic: 0.5, Seed: 4}
	d := &input.Data{Graph: testutil.Value(dataset.Planted(t.Context(), planted)).OrFatal(t)}
	o := run.Options{Settings: settings.Settings{
		Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: 2},
		Config: encoder.Config{Dims: 16, Epochs: 10, Seed: 1},
	}}
	kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	threeAndFour := views.Range{Least: 3, Most: 4}

	ctx, stop := context.WithCancel(t.Context())
	fits := 0
	stopAfterThree := newConsole(writerFunc(func(line []byte) (int, error) {
		fits += bytes.Count(line, []byte("modularity")) // in the line of a fit that is done
		if fits == 3 {
			stop()
		}
		return len(line), nil
	}))
	if _, err := sweepRuns(ctx, kept, d, o, threeAndFour, 2, stopAfterThree); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	var log strings.Builder
	found := testutil.Value(sweepRuns(t.Context(), kept, d, o, threeAndFour, 2, newConsole(&log))).OrFatal(t)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 4 || strings.Count(log.String(), "kept from before") != 3 || !strings.HasPrefix(lines[3], "fit 4 of 4: 4 clusters, seed 2: modularity ") {
		t.Errorf("again, it says\n%s", &log)
	}
	for i, got := range found {
		k := threeAndFour.Least + i
		if got.Clusters != k || got.Seeds != 2 {
			t.Errorf("%d clusters: %+v", k, got)
		}
		var runs [2]*run.Run
		for seed := range runs {
			single := o
			single.Clusters, single.Seed = views.Exactly(k), uint64(seed)+1
			runs[seed] = testutil.Value(run.Fit(t.Context(), d, &single)).OrFatal(t)
		}
		mean := func(score func(*run.Run) float64) float64 { return (score(runs[0]) + score(runs[1])) / 2 }
		for _, test := range []struct {
			name      string
			got, want float64
		}{
			{"stability", *got.Stability, metric.ARI(runs[0].Labels, runs[1].Labels)},
			{"edges inside", got.Inside, mean(func(r *run.Run) float64 { return r.Measures.Inside })},
			{"explained", got.Explained, mean(func(r *run.Run) float64 { return r.Measures.Explained })},
			{"modularity", got.Modularity, mean(func(r *run.Run) float64 { return metric.Modularity(d.Graph.Adjacency, r.Labels) })},
			{"ACC", *got.ACC, mean(func(r *run.Run) float64 { return metric.Accuracy(d.Graph.Labels, r.Labels) })},
		} {
			if !near(test.got, test.want, 1e-12) {
				t.Errorf("%d clusters: %s %v, want %v", k, test.name, test.got, test.want)
			}
		}
	}

	once := testutil.Value(sweepRuns(t.Context(), kept, d, o, views.Exactly(3), 1, newConsole(io.Discard))).OrFatal(t)
	if once[0].Stability != nil {
		t.Errorf("one seed has the stability %v", *once[0].Stability)
	}
	withoutStore := testutil.Value(sweepRuns(t.Context(), nil, d, o, views.Exactly(3), 1, newConsole(io.Discard))).OrFatal(t)
	if withoutStore[0].Modularity != once[0].Modularity {
		t.Errorf("without a store: modularity %v, want %v", withoutStore[0].Modularity, once[0].Modularity)
	}
}

// writerFunc is called with what is written.
type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }
