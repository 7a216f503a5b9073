package agekit

import (
	"fmt"
	"log"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Train trains the encoder on g with the settings c, and returns the embedding and the clusters
// of the epoch that the Davies–Bouldin index chooses (paper, algorithm 1). With the settings
// of [encoder.Options.Best], it trains in best mode. Train shows the loss curve and the time
// left, saves the result for the next cell, and resumes if it was interrupted before. The
// backend is $AGEKIT_BACKEND; by default it is the GPU backend if one is available, else
// native. A training with a Judge is not saved for the next cell: the Judge is asked each
// time.
func Train(g *graph.Graph, c encoder.Options) (*encoder.Result, error) { return train(g, c, nil) }

// trained is the result of a training as it is stored: the embedding is stored as plain numbers
// beside Result, whose own Embedding is empty.
type trained struct {
	Result    *encoder.Result
	Embedding store.Matrix
}

// trainingKey returns the key under which the result of a training is stored.
func trainingKey(g *graph.Graph, c encoder.Options) store.Key {
	return store.NewKey("training", encoder.Version, g, c)
}

// train is [Train] if incomplete is nil. If incomplete is a recording that lacks snapshots,
// train removes the stored result and trains again, and adds the snapshots to the recording.
func train(g *graph.Graph, c encoder.Options, incomplete *recording) (*encoder.Result, error) {
	choice, err := cell.Backend()
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	start := time.Now()
	c.Backend, c.InBlocks = gomlx.On(choice), false
	key := trainingKey(g, c)
	results := cell.Store()
	if c.Judge != nil {
		results = nil // the judge has to be asked each time
	}
	rec := incomplete
	if rec == nil {
		rec = newRecording(g, c)
	} else if results != nil {
		if err := store.Remove[trained](results, key); err != nil {
			return nil, err
		}
	}
	discard := func() error { return nil } // removes the checkpoint of a training that was done here
	result, hit, err := store.Cached(results, key, func() (trained, error) {
		live := new(cell.Live)
		c.Checkpoints, c.Progress = cell.Store(), live.Training
		if rec != nil {
			c.Watch = rec.add
		}
		r, err := encoder.Fit(cell.Context(), g, c)
		if err != nil {
			return trained{}, err
		}
		discard = r.Discard
		line := fmt.Sprintf("%d epochs in %s on %s", live.Epochs, time.Since(start).Round(time.Second), choice.Name)
		if err := live.Done(line); err != nil {
			return trained{}, err
		}
		plain := store.Matrix{General: r.Embedding}
		r.Embedding = blas32.General{}
		return trained{Result: r, Embedding: plain}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	if err := discard(); err != nil {
		log.Printf("the checkpoint remains: %v", err)
	}
	result.Result.Embedding = result.Embedding.General
	cell.PrintSource("training", hit, c.Judge == nil, time.Since(start))
	return result.Result, nil
}

// Select ranks all pairs of rows of z by their cosine, and returns the pairs selected by two
// thresholds, which are shares of all ranked pairs (paper, §3.4.1): the most similar pairs, up
// to the share positives, are positive, and the pairs ranked beyond the share negatives are
// negative.
func Select(z blas32.General, positives, negatives float64) (*pairs.Selection, error) {
	if err := constant(positives, negatives).Check(); err != nil {
		return nil, err
	}
	return pairs.Select(cell.Context(), linalg.Normalize(z), positives, negatives, pairs.Options{})
}

// constant returns a schedule of thresholds that stay the same over the whole training.
func constant(positives, negatives float64) pairs.Thresholds {
	return pairs.Thresholds{PosStart: positives, PosEnd: positives, NegStart: negatives, NegEnd: negatives}
}

// SelectSampled is [Select] on a sample: it ranks only the pairs of a number of random nodes,
// the anchors, with all nodes. The thresholds are estimates, with standard errors.
func SelectSampled(z blas32.General, positives, negatives float64, anchors int) (*pairs.Selection, error) {
	if err := constant(positives, negatives).Check(); err != nil {
		return nil, err
	}
	if anchors < 2 || anchors > z.Rows {
		return nil, fmt.Errorf("%d anchors: want 2 to %d, the number of nodes", anchors, z.Rows)
	}
	const listed = 1000 // positive pairs to return; only the thresholds are of interest here
	return pairs.SelectSampled(cell.Context(), linalg.Normalize(z), positives, negatives, anchors, listed, rng.New(0, rng.Only))
}

// SimilarityHistogram draws the similarities of all pairs of the selection s with its two
// thresholds ([figure.SimilarityHistogram]).
func SimilarityHistogram(title string, s *pairs.Selection) *figure.Figure {
	b := figure.Bins{Lo: 0, Hi: 1}
	for _, count := range s.Histogram {
		b.Counts = append(b.Counts, float64(count))
	}
	thresholds := [2]float64{float64(s.NegThreshold), float64(s.PosThreshold)}
	return figure.SimilarityHistogram(title, b, thresholds, [2]int{s.Negatives, s.Positives})
}

// Cluster returns the cluster of each row of z, 0 to k−1, by spectral clustering of the affinity
// ZZᵀ (paper, §3.4.2). An affinity must not be negative. Smoothed word counts and trained
// embeddings have no negative entries; for a z that has some, the affinity is (1 + cosine)/2.
func Cluster(z blas32.General, k int) ([]int, error) {
	// NonNegative adds a column, which makes inner products (1 + cosine)/2, only where it must.
	if shifted := linalg.NonNegative(linalg.Normalize(z)); shifted.Cols > z.Cols {
		z = shifted
	}
	r, err := cluster.Spectral(cell.Context(), cluster.Gram(z), k, cluster.SpectralOptions{}, rng.New(0, rng.Only))
	return r.Labels, err
}

// ClusterByCosine is [Cluster] with the affinity (1 + cosine)/2 for any z. The embeddings of all
// baselines are clustered by this affinity, so a fair comparison with baselines needs it.
func ClusterByCosine(z blas32.General, k int) ([]int, error) {
	return Cluster(linalg.Shifted(linalg.Normalize(z)), k)
}

// Scores returns ACC, NMI and ARI of the clusters of nodes compared with their classes. If the
// numbers of classes and clusters differ, it prints that and exits the cell, as [Check] does.
func Scores(classes, clusters []int) (acc, nmi, ari float64) {
	if len(classes) != len(clusters) {
		Check(fmt.Errorf("%d classes and %d clusters: want as many, one of each for a node; leave the same nodes out of both", len(classes), len(clusters)))
	}
	return metric.Accuracy(classes, clusters), metric.NMI(classes, clusters), metric.ARI(classes, clusters)
}

// Score returns a table of scores with a row for each clustering of g's nodes: clusterings[i]
// has the cluster of each node, and names[i] is its name. Without labels, the scores that
// need classes are "–".
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
