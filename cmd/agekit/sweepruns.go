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
	Numbers       []swept `json:"numbers"` // by the number of clusters, which grows
}

// swept is what the fits with one number of clusters, one for each seed, found.
type swept struct {
	Clusters int `json:"clusters"`
	Seeds    int `json:"seeds"` // how many
	// Stability is the mean of the adjusted Rand indices of the clusters of each two seeds; nil if
	// there is one seed.
	Stability *float64 `json:"stability"`
	// Measures are means over the seeds. They can be compared between numbers of clusters, but for the
	// share of the features' variance that the clusters explain, which grows with the number.
	explain.Measures
	// ACC is the mean over the seeds; nil if the graph has no labels.
	ACC     *float64 `json:"acc"`
	Seconds float64  `json:"seconds"` // the sum over the fits
}

// fitted is what a store keeps of a fit.
type fitted struct {
	Labels   []int // the cluster of each node
	Measures explain.Measures
	Seconds  float64
}

// sweepRuns fits the graph of d with each number of clusters in the range numbers and each of as many seeds
// as the argument seeds says: o.Seed, o.Seed+1 and so on. The other options are those of o, without the
// other views and the map. It returns what the fits with each number found. The store kept has each fit,
// so that the same call, or one with more numbers or seeds, goes on where it was stopped; if it is nil,
// nothing is kept. A line in log says what each fit found.
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
	total     int // number of fits
	perNumber int // number of fits with the same number of clusters
	done      int // number of fits that are done, those that the store had too
	// seconds and count are the sum of the seconds and the number of the fits that ran, by their kind:
	// 0 for the first with a number of clusters, which may have to choose the settings, 1 for the others.
	seconds, count [2]float64
}

// kindOf returns the kind of the i-th fit of the sweep, counted from 0: an index of seconds and count.
func (w *sweep) kindOf(i int) int { return min(1, i%w.perNumber) }

// fit returns the fit with k clusters and a seed, from the store if it has it. It shows how far the fit is,
// and counts it in w.
func (w *sweep) fit(ctx context.Context, k int, seed uint64) (fitted, error) {
	o := w.o
	o.Clusters, o.Seed = views.Exactly(k), seed
	name := fmt.Sprintf("%d clusters, seed %d", k, seed)
	remaining := progress.Left(w.remaining()) // as text
	const parts = 1000                        // of a fit, so that the bar moves during one
	show := func(share float64) {             // share is that of this fit that is done
		w.log.event(progress.Event{
			Stage: "fits", Done: int64(parts * (float64(w.done) + share)), Total: int64(parts * w.total),
			Left: w.remaining(), Detail: name + remaining,
		})
	}
	show(0)
	o.Training.Progress = func(e encoder.Event) {
		if e.Stage != encoder.Training || e.Line != "" { // no step of a training
			return
		}
		share := float64(e.Done) / float64(e.Total)
		if w.log.silent() {
			w.log.line("fit %d of %d: %s: %.0f %%%s", w.done+1, w.total, name, 100*share, remaining)
		}
		show(share)
	}
	start := time.Now()
	var discard func() error // removes the checkpoint of the fit, if it runs
	f, hit, err := store.Cached(w.store, store.NewKey("fit of a sweep", run.Version, encoder.Version, w.d, &o), func() (fitted, error) {
		r, err := run.Fit(ctx, w.d, &o)
		if err != nil {
			return fitted{}, err
		}
		discard = r.Discard
		return fitted{Labels: r.Labels, Measures: r.Measures, Seconds: time.Since(start).Seconds()}, nil
	})
	if err != nil {
		return f, err
	}
	if !hit {
		_ = discard() // an error leaves a checkpoint, which takes only space
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

// remaining estimates the time that the fits that are not done will take: each the mean time of the fits
// of its kind that ran, or of the other kind if none of its own ran. It is 0 if no fit has run.
func (w *sweep) remaining() time.Duration {
	seconds := 0.
	for i := w.done; i < w.total; i++ {
		kind := w.kindOf(i)
		if w.count[kind] == 0 {
			kind = 1 - kind
		}
		if w.count[kind] > 0 {
			seconds += w.seconds[kind] / w.count[kind]
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// summary returns what the fits with k clusters found: means over the fits, and their stability.
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
