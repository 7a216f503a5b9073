package agekit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Train trains the encoder and returns the embedding and the clusters of the
// epoch that the Davies–Bouldin index chooses (paper, algorithm 1). It shows
// the loss curve and the time left while it runs, and goes on where it
// stopped if it was interrupted. The backend is $AGE_BACKEND, by default the
// GPU's where there is one, else native.
func Train(g *graph.Graph, c encoder.Config) (*encoder.Result, error) {
	choice, err := backend.Resolve(os.Getenv("AGE_BACKEND"))
	if err != nil {
		return nil, err
	}
	start := time.Now()
	key := store.NewKey("training", 2, g.Fingerprint(), c, choice.Name)
	kept, hit, err := store.Cached(results(), key, func() (trained, error) {
		live := figure.NewLive()
		var loss []float64
		r, err := encoder.Fit(interrupt(), g, c, encoder.Options{
			Backend: choice, Checkpoints: results(),
			Progress: func(e encoder.Event) {
				if e.Message != "" {
					fmt.Println(e.Message)
					return
				}
				loss = append(loss, e.Loss)
				line := fmt.Sprintf("epoch %d of %d, loss %.4f, %s left", e.Epoch, e.Epochs, e.Loss, e.Remaining.Round(time.Second))
				if len(loss) > 1 {
					Check(live.Update(line, figure.LossCurve("Loss", "epoch", loss)))
				}
			},
		})
		if err != nil {
			return trained{}, err
		}
		line := fmt.Sprintf("%d epochs in %s on %s", c.Epochs, time.Since(start).Round(time.Second), choice.Name)
		if err := live.Done(line); err != nil {
			return trained{}, err
		}
		z := store.Matrix{General: r.Embedding}
		r.Embedding = blas32.General{}
		return trained{*r, z}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	if !hit && results() != nil {
		if err := encoder.Discard(results(), g, c, choice.Name); err != nil {
			return nil, err
		}
	}
	kept.Result.Embedding = kept.Embedding.General
	say("training", hit, time.Since(start))
	return &kept.Result, nil
}

// trained is the form in which a training's result is kept: the embedding as
// plain numbers.
type trained struct {
	Result    encoder.Result
	Embedding store.Matrix
}

// Select ranks all pairs of rows of z by similarity and selects the given
// share of the most similar ones as positives, and those beyond the share
// negatives as negatives (paper, §3.4.1). Rows are scaled to length 1 first.
func Select(z blas32.General, positives, negatives float64) (*encoder.Selection, error) {
	shares := encoder.Thresholds{PosStart: positives, PosEnd: positives, NegStart: negatives, NegEnd: negatives}
	if err := shares.Validate(); err != nil {
		return nil, err
	}
	return encoder.Select(interrupt(), encoder.Normalize(z), positives, negatives)
}

// Cluster returns the k clusters of z's rows by spectral clustering of the
// affinity ZZᵗ (paper, §3.4.2).
func Cluster(z blas32.General, k int) ([]int, error) {
	r, err := cluster.Spectral(interrupt(), cluster.Gram(z), k, cluster.SpectralOptions{}, rand.New(rand.NewPCG(0, 0)))
	return r.Labels, err
}

// Score returns a table of the scores of named clusterings of g's nodes.
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
