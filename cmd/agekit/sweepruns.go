package main

import (
	"context"
	"fmt"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/store"
)

// sweepVersion is that of docs/sweep.schema.json: it grows when a field goes away or changes
// its meaning.
const sweepVersion = 2

// sweepRecord is what sweep.json holds and `agekit sweep --json` prints.
type sweepRecord struct {
	SchemaVersion int     `json:"schema_version"` // [sweepVersion]
	Version       string  `json:"version"`        // the program's
	Dataset       string  `json:"dataset"`
	Numbers       []swept `json:"numbers"` // in order
}

// swept is what fits with one number of clusters and several seeds found: the means over
// the seeds, but for the stability.
type swept struct {
	Clusters int `json:"clusters"`
	Seeds    int `json:"seeds"`
	// Stability is the mean adjusted Rand index of the clusters of two seeds; nil with one.
	Stability *float64 `json:"stability"`
	// Measures compare numbers of clusters, but for the features' variance that the clusters
	// explain, which grows with the number.
	run.Measures
	// ACC compares with the labels; nil without labels.
	ACC     *float64 `json:"acc"`
	Seconds float64  `json:"seconds"` // of all fits
}

// fitted is what a store keeps of a fit.
type fitted struct {
	Labels   []int
	Measures run.Measures
	Seconds  float64
}

// sweepRuns fits a graph with each number of clusters and as many seeds, from that of
// the options on, each fit with the options otherwise, and compares the numbers of clusters. The store keeps each fit, so
// that the same call, or one with more numbers or seeds, goes on where it was stopped; nil
// keeps nothing.
func sweepRuns(ctx context.Context, s *store.Store, d *input.Data, o run.Options, numbers views.Range, seeds int, log *console) ([]swept, error) {
	w := &sweep{store: s, d: d, o: o, log: log, total: (numbers.Most - numbers.Least + 1) * seeds, perNumber: seeds}
	w.o.Views, w.o.Map, w.o.Training.Checkpoints = false, false, s
	var all []swept
	for k := numbers.Least; k <= numbers.Most; k++ {
		var fits []fitted
		for seed := range uint64(seeds) {
			f, err := w.fit(ctx, k, o.Seed+seed)
			if err != nil {
				return nil, err
			}
			fits = append(fits, f)
		}
		all = append(all, w.summary(k, fits))
	}
	return all, nil
}

// sweep is the state of sweepRuns.
type sweep struct {
	store            *store.Store
	d                *input.Data
	o                run.Options
	log              *console
	total, perNumber int
	done             int
	// Seconds and numbers of the fits that ran: the first with a number of clusters, which
	// may have to choose the settings, and the others.
	took, ran [2]float64
}

// fit fits with one number of clusters and one seed.
func (w *sweep) fit(ctx context.Context, k int, seed uint64) (fitted, error) {
	o := w.o
	o.Clusters, o.Seed = views.Exactly(k), seed
	name := fmt.Sprintf("%d clusters, seed %d", k, seed)
	remaining := progress.Left(w.remaining())
	show := func(share float64) {
		w.log.event(progress.Event{Stage: "fits", Done: int64(1000 * (float64(w.done) + share)), Total: int64(1000 * w.total), Left: w.remaining(), Detail: name + remaining})
	}
	show(0)
	o.Training.Progress = func(e encoder.Event) {
		if e.Total == 0 || e.Line != "" {
			return
		}
		share := float64(e.Done) / float64(e.Total)
		if w.log.silent() {
			w.log.line("fit %d of %d: %s: %.0f %%%s", w.done+1, w.total, name, 100*share, remaining)
		}
		show(share)
	}
	known := o
	known.Training = o.Training.WithDefaults()
	start := time.Now()
	var discard func() error
	f, hit, err := store.Cached(w.store, store.NewKey("fit of a sweep", run.Version, encoder.Version, w.d, &known), func() (fitted, error) {
		r, err := run.Fit(ctx, w.d, &o)
		if err != nil {
			return fitted{}, err
		}
		discard = r.Discard
		return fitted{r.Labels, r.Measures, time.Since(start).Seconds()}, nil
	})
	if err != nil {
		return f, err
	}
	if !hit {
		_ = discard() // what is left takes only space
		kind := min(1, w.done%w.perNumber)
		w.took[kind] += f.Seconds
		w.ran[kind]++
	}
	w.done++
	took := "kept from before"
	if !hit {
		took = fmt.Sprintf("%.1f s", f.Seconds)
	}
	remaining = progress.Left(w.remaining())
	w.log.line("fit %d of %d: %s: modularity %.3f, %s%s", w.done, w.total, name, f.Measures.Modularity, took, remaining)
	show(0)
	return f, nil
}

// remaining estimates the time for the fits that are left.
func (w *sweep) remaining() time.Duration {
	var remaining [2]float64
	for i := w.done; i < w.total; i++ {
		remaining[min(1, i%w.perNumber)]++
	}
	seconds := 0.
	for kind := range remaining {
		from := kind
		if w.ran[from] == 0 { // the other kind tells about as much
			from = 1 - kind
		}
		if w.ran[from] > 0 {
			seconds += remaining[kind] * w.took[from] / w.ran[from]
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// summary compares the fits with one number of clusters.
func (w *sweep) summary(k int, fits []fitted) swept {
	g, n := w.d.Graph, float64(len(fits))
	s := swept{Clusters: k, Seeds: len(fits)}
	agreed, pairs := 0., 0.
	for i, f := range fits {
		for _, h := range fits[:i] {
			agreed, pairs = agreed+metric.ARI(f.Labels, h.Labels), pairs+1
		}
		scores := metric.Score(g, f.Labels)
		s.Inside += f.Measures.Inside / n
		s.Modularity += f.Measures.Modularity / n
		s.MeanConductance += f.Measures.MeanConductance / n
		s.Explained += f.Measures.Explained / n
		s.Seconds += f.Seconds
		if scores.ACC != nil {
			if s.ACC == nil {
				s.ACC = new(float64)
			}
			*s.ACC += *scores.ACC / n
		}
	}
	if pairs > 0 {
		agreed /= pairs
		s.Stability = &agreed
	}
	return s
}
