package main

import (
	"context"
	"fmt"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
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
	explain.Measures
	// ACC compares with the labels; nil without labels.
	ACC     *float64 `json:"acc"`
	Seconds float64  `json:"seconds"` // of all fits
}

// fitted is what a store keeps of a fit.
type fitted struct {
	Labels   []int
	Measures explain.Measures
	Seconds  float64
}

// sweepRuns fits the graph of d with each number of clusters in a range and each of some seeds, from
// o.Seed on, otherwise with the options o, and returns what the fits of each number found. The store
// keeps each fit, so that the same call, or one with more numbers or seeds, goes on where it was
// stopped; nil keeps nothing.
func sweepRuns(ctx context.Context, kept *store.Store, d *input.Data, o run.Options, numbers views.Range, seeds int, log *console) ([]swept, error) {
	o.Views, o.Map = false, false
	o.Training.Checkpoints = kept
	w := &sweep{store: kept, d: d, o: o, log: log, total: (numbers.Most - numbers.Least + 1) * seeds, perNumber: seeds}
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
	store     *store.Store
	d         *input.Data
	o         run.Options
	log       *console
	total     int // fits
	perNumber int // fits with a number of clusters
	done      int // fits
	// Seconds and counts of the fits that ran, by their kind: the first with a number of clusters (0),
	// which may have to choose the settings, and the others (1).
	seconds, count [2]float64
}

// kindOf returns the kind of the i-th fit, as in seconds and count.
func (w *sweep) kindOf(i int) int { return min(1, i%w.perNumber) }

// fit fits with one number of clusters and one seed.
func (w *sweep) fit(ctx context.Context, k int, seed uint64) (fitted, error) {
	o := w.o
	o.Clusters, o.Seed = views.Exactly(k), seed
	name := fmt.Sprintf("%d clusters, seed %d", k, seed)
	remaining := progress.Left(w.remaining())
	const parts = 1000 // of a fit, so that the bar moves during one
	show := func(share float64) {
		w.log.event(progress.Event{
			Stage: "fits", Done: int64(parts * (float64(w.done) + share)), Total: int64(parts * w.total),
			Left: w.remaining(), Detail: name + remaining,
		})
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
	start := time.Now()
	var discard func() error
	f, hit, err := store.Cached(w.store, store.NewKey("fit of a sweep", run.Version, encoder.Version, w.d, &o), func() (fitted, error) {
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
		_ = discard() // a checkpoint that remains takes only space
		kind := w.kindOf(w.done)
		w.seconds[kind] += f.Seconds
		w.count[kind]++
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

// remaining estimates the time for the fits that are not done, by the mean time of those of their
// kind; 0 if none has run.
func (w *sweep) remaining() time.Duration {
	seconds := 0.
	for i := w.done; i < w.total; i++ {
		kind := w.kindOf(i)
		if w.count[kind] == 0 { // the other kind tells about as much
			kind = 1 - kind
		}
		if w.count[kind] > 0 {
			seconds += w.seconds[kind] / w.count[kind]
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// summary returns what the fits with k clusters have in common: means, and their stability.
func (w *sweep) summary(k int, fits []fitted) swept {
	n := float64(len(fits))
	s := swept{Clusters: k, Seeds: len(fits)}
	sumARI, pairs := 0., 0.
	for i, f := range fits {
		for _, earlier := range fits[:i] {
			sumARI += metric.ARI(f.Labels, earlier.Labels)
			pairs++
		}
		scores := metric.Score(w.d.Graph, f.Labels)
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
		s.Stability = new(sumARI / pairs)
	}
	return s
}
