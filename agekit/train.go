package agekit

import (
	"cmp"
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Train trains the encoder and returns the embedding and the clusters of the epoch that
// the Davies–Bouldin index chooses (paper, algorithm 1), or trains in best mode
// ([encoder.Options.Best]). It shows the loss curve and the time left, and resumes if it
// was interrupted before. The backend is $AGEKIT_BACKEND; by default it is the GPU
// backend if one is available, else native. A training with a Judge is not saved for the
// next cell: the Judge is asked each time.
func Train(g *graph.Graph, c encoder.Options) (*encoder.Result, error) { return train(g, c, nil) }

// trained is a result as it is stored: the embedding is plain numbers.
type trained struct {
	Result    *encoder.Result
	Embedding store.Matrix
}

// trainingKey identifies the result of a training.
func trainingKey(g *graph.Graph, c encoder.Options) store.Key {
	return store.NewKey("training", encoder.Version, g, c)
}

// train trains the encoder, or returns the stored result. With a film whose snapshots were
// lost, it trains again.
func train(g *graph.Graph, c encoder.Options, lost *film) (*encoder.Result, error) {
	choice, err := cellBackend()
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	start := time.Now()
	c.Backend, c.InBlocks = gomlx.On(choice), false
	key := trainingKey(g, c)
	saved := results()
	if c.Judge != nil {
		saved = nil
	}
	film := lost
	if film == nil {
		film = newFilm(g, c)
	} else if saved != nil {
		if err := store.Remove[trained](saved, key); err != nil {
			return nil, err
		}
	}
	discard := func() error { return nil }
	kept, hit, err := store.Cached(saved, key, func() (trained, error) {
		live := new(live)
		c.Checkpoints, c.Progress = results(), live.event
		if film != nil {
			c.Watch = film.watch
		}
		r, err := encoder.Fit(interrupt(), g, c)
		if err != nil {
			return trained{}, err
		}
		discard = r.Discard
		line := fmt.Sprintf("%d epochs in %s on %s", live.epochs, time.Since(start).Round(time.Second), choice.Name)
		if err := live.Done(line); err != nil {
			return trained{}, err
		}
		plain := store.Matrix{General: r.Embedding}
		r.Embedding = blas32.General{}
		return trained{r, plain}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	if err := discard(); err != nil {
		log.Printf("the checkpoint remains: %v", err)
	}
	kept.Result.Embedding = kept.Embedding.General
	say("training", hit, c.Judge == nil, time.Since(start))
	return kept.Result, nil
}

// snapshot is the embedding after an epoch of a training; epoch 0 is before the first.
type snapshot struct {
	Epoch     int
	Embedding blas32.General
}

// Snapshots returns the embeddings of about ten epochs of the training that [Train] does
// with the same settings, evenly spaced from the first to the last. Train keeps them, for
// one encoder and up to 4,000 nodes. If they are no longer in the store, it trains again.
func Snapshots(g *graph.Graph, c encoder.Options) ([]snapshot, error) {
	choice, err := cellBackend()
	if err != nil {
		return nil, err
	}
	c.Backend = gomlx.On(choice)
	f := newFilm(g, c)
	if f == nil {
		return nil, fmt.Errorf("snapshots of %d encoders of %d nodes: want one encoder and at most %d nodes", max(1, c.Members), g.N(), snapshotNodes)
	}
	if all := f.snapshots(); all != nil {
		return all, nil
	}
	if _, err := train(g, c, f); err != nil {
		return nil, err
	}
	all := f.snapshots()
	if all == nil {
		err = errors.New("snapshots: some are missing, because they could not be stored or the training resumed after them; run it again")
	}
	return all, err
}

const (
	snapshotCount = 10    // after epoch 0
	snapshotNodes = 4_000 // more would fill a disk: 8 MB each with 500 dimensions
)

// film keeps the snapshots of a training in the store or, without one, in memory.
type film struct {
	keys   map[int]store.Key // by epoch
	memory map[int]blas32.General
}

// newFilm returns nil for a training whose snapshots are not kept.
func newFilm(g *graph.Graph, c encoder.Options) *film {
	if g.N() > snapshotNodes || c.Members > 1 {
		return nil
	}
	f := &film{map[int]store.Key{}, map[int]blas32.General{}}
	for _, epoch := range snapshotEpochs(c) {
		f.keys[epoch] = store.NewKey("snapshot", encoder.Version, g, c, epoch)
	}
	return f
}

// snapshotEpochs returns epochs after which an embedding is saved, from 0 to the last.
func snapshotEpochs(c encoder.Options) []int {
	updates := (c.Epochs + c.UpdateEvery - 1) / c.UpdateEvery
	var epochs []int
	for k := range snapshotCount + 1 {
		epochs = append(epochs, min(c.Epochs, k*updates/snapshotCount*c.UpdateEvery))
	}
	return slices.Compact(epochs)
}

// watch keeps the embedding of an epoch if it is to be kept.
func (f *film) watch(epoch int, z blas32.General) {
	key, ok := f.keys[epoch]
	if !ok {
		return
	}
	s := results()
	if s == nil {
		z.Data = slices.Clone(z.Data)
		f.memory[epoch] = z
		return
	}
	if err := store.Put(s, key, store.Matrix{General: z}); err != nil {
		s.Logf("%v", err)
	}
}

// snapshots returns all of them, or nil if one is missing.
func (f *film) snapshots() []snapshot {
	var all []snapshot
	for _, epoch := range slices.Sorted(maps.Keys(f.keys)) {
		z, ok := f.memory[epoch]
		if s := results(); s != nil {
			var kept store.Matrix
			kept, ok = store.Stored[store.Matrix](s, f.keys[epoch])
			z = kept.General
		}
		if !ok {
			return nil
		}
		all = append(all, snapshot{epoch, z})
	}
	return all
}

// live shows the progress of a long call in a cell.
type live struct {
	figure.Live
	loss   []float64
	epochs int64
}

func (l *live) event(e encoder.Event) {
	if e.Line != "" {
		l.show(e.Event)
		return
	}
	l.epochs = e.Total
	l.loss = append(l.loss, e.Loss)
	e.Detail = fmt.Sprintf("epoch %d of %d, loss %.4f", e.Done, e.Total, e.Loss)
	if len(l.loss) > 1 {
		l.show(e.Event, figure.Lines("Loss", "epoch", "loss", figure.Series{Name: "loss", Y: l.loss}))
	}
}

// show shows an event: its line stays, and how far the call is stands in one place.
func (l *live) show(e progress.Event, figures ...*figure.Figure) {
	left := progress.Left(e.Left)
	if e.Line != "" {
		fmt.Println(e.Line + left)
		return
	}
	Check(l.Update(cmp.Or(e.Detail, e.Stage)+left, figures...))
}

// Select ranks all pairs of rows of z, scaled to length 1, by similarity. The given share
// of the most similar pairs are positives, and the pairs ranked beyond the share negatives
// are negatives (paper, §3.4.1).
func Select(z blas32.General, positives, negatives float64) (*pairs.Selection, error) {
	if err := constant(positives, negatives).Check(); err != nil {
		return nil, err
	}
	return pairs.Select(interrupt(), linalg.Normalize(z), positives, negatives, pairs.Options{})
}

// constant returns thresholds that stay the same.
func constant(positives, negatives float64) pairs.Thresholds {
	return pairs.Thresholds{PosStart: positives, PosEnd: positives, NegStart: negatives, NegEnd: negatives}
}

// SelectSampled is [Select] on a sample: it ranks the pairs of some random nodes, the
// anchors, with all nodes. The thresholds are estimates, with standard errors.
func SelectSampled(z blas32.General, positives, negatives float64, anchors int) (*pairs.Selection, error) {
	if err := constant(positives, negatives).Check(); err != nil {
		return nil, err
	}
	if anchors < 2 || anchors > z.Rows {
		return nil, fmt.Errorf("%d anchors: want 2 to %d, the number of nodes", anchors, z.Rows)
	}
	const listed = 1000 // positive pairs; only the thresholds are of interest here
	return pairs.SelectSampled(interrupt(), linalg.Normalize(z), positives, negatives, anchors, listed, rng.New(0, rng.Only))
}

// SimilarityHistogram draws the similarities of all pairs with a selection's thresholds.
func SimilarityHistogram(title string, s *pairs.Selection) *figure.Figure {
	b := figure.Bins{Hi: 1}
	for _, count := range s.Histogram {
		b.Counts = append(b.Counts, float64(count))
	}
	thresholds := [2]float64{float64(s.NegThreshold), float64(s.PosThreshold)}
	return figure.SimilarityHistogram(title, b, thresholds, [2]int{s.Negatives, s.Positives})
}

// Cluster returns the k clusters of z's rows by spectral clustering of the affinity ZZᵗ
// (paper, §3.4.2). It must not be negative: if z has negative entries, unlike smoothed
// word counts and trained embeddings, the affinity is (1 + cosine)/2.
func Cluster(z blas32.General, k int) ([]int, error) {
	if shifted := linalg.NonNegative(linalg.Normalize(z)); shifted.Cols > z.Cols {
		z = shifted
	}
	r, err := cluster.Spectral(interrupt(), cluster.Gram(z), k, cluster.SpectralOptions{}, rng.New(0, rng.Only))
	return r.Labels, err
}

// ClusterByCosine is [Cluster] with the affinity (1 + cosine)/2 for any z, by which the
// embeddings of all baselines are clustered: a fair comparison with them needs it.
func ClusterByCosine(z blas32.General, k int) ([]int, error) {
	return Cluster(linalg.Shifted(linalg.Normalize(z)), k)
}

// Scores returns ACC, NMI and ARI of clusters, for the cells of a notebook: where the
// lengths differ, it says so and exits the cell, as [Check] does.
func Scores(classes, clusters []int) (acc, nmi, ari float64) {
	if len(classes) != len(clusters) {
		Check(fmt.Errorf("%d classes and %d clusters: want as many, one of each for a node; leave the same nodes out of both", len(classes), len(clusters)))
	}
	return metric.Accuracy(classes, clusters), metric.NMI(classes, clusters), metric.ARI(classes, clusters)
}

// Score returns a table of scores, one row per named clustering of g's nodes.
func Score(g *graph.Graph, names []string, clusterings ...[]int) figure.Fragment {
	format := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprintf("%.3f", *v)
	}
	var rows [][]string
	for i, labels := range clusterings {
		s := metric.Score(g, labels)
		rows = append(rows, []string{
			names[i], format(s.ACC), format(s.NMI), format(s.ARI), format(s.F1),
			format(&s.Modularity), format(&s.Conductance),
		})
	}
	return figure.Table([]string{"", "ACC", "NMI", "ARI", "F1", "modularity", "conductance"}, rows)
}
