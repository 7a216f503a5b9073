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
	kept, err := train("training", g, []encoder.Config{c}, func(o encoder.Options) (*encoder.Result, error) {
		return encoder.Fit(interrupt(), g, c, o)
	}, func(r *encoder.Result) *blas32.General { return &r.Embedding })
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	return kept, nil
}

// TrainBest trains in best mode: with c's settings otherwise, three times with
// one step an epoch and half the layers, and clusters what the three have in
// common ([encoder.BestMembers], docs/best-mode.md). It takes two to three times
// as long as [Train], and is otherwise like it. The members' embeddings are left
// out: the ensemble's holds them side by side.
func TrainBest(g *graph.Graph, c encoder.Config) (*encoder.Ensemble, error) {
	members := encoder.BestMembers(c)
	kept, err := train("best training", g, members, func(o encoder.Options) (*encoder.Ensemble, error) {
		e, err := encoder.FitEnsemble(interrupt(), g, members, o)
		if err != nil {
			return nil, err
		}
		for _, r := range e.Members {
			r.Embedding = blas32.General{}
		}
		return e, nil
	}, func(e *encoder.Ensemble) *blas32.General { return &e.Embedding })
	if err != nil {
		return nil, fmt.Errorf("training in best mode: %w", err)
	}
	return kept, nil
}

// trained is the form in which the result of a training is kept: without the
// embedding, and that as plain numbers.
type trained[R any] struct {
	Result    *R
	Embedding store.Matrix
}

// train calls fit, which trains with the given settings, or returns what it
// gave before. Embedding says where a result has its embedding.
func train[R any](what string, g *graph.Graph, members []encoder.Config, fit func(encoder.Options) (*R, error), embedding func(*R) *blas32.General) (*R, error) {
	choice, err := backend.Resolve(os.Getenv("AGE_BACKEND"))
	if err != nil {
		return nil, err
	}
	start := time.Now()
	key := store.NewKey(what, 3, g.Fingerprint(), members, choice.Name)
	kept, hit, err := store.Cached(results(), key, func() (trained[R], error) {
		live := figure.NewLive()
		var loss []float64
		var epochs int
		r, err := fit(encoder.Options{
			Backend: choice, Checkpoints: results(),
			Progress: func(e encoder.Event) {
				epochs = e.Epochs
				if e.Message != "" {
					fmt.Println(e.Message)
					return
				}
				loss = append(loss, e.Loss)
				line := fmt.Sprintf("epoch %d of %d, loss %.4f", e.Epoch, e.Epochs, e.Loss)
				if e.Remaining > 0 {
					line += fmt.Sprintf(", %s left", e.Remaining.Round(time.Second))
				}
				if len(loss) > 1 {
					Check(live.Update(line, figure.LossCurve("Loss", "epoch", loss)))
				}
			},
		})
		if err != nil {
			return trained[R]{}, err
		}
		line := fmt.Sprintf("%d epochs in %s on %s", epochs, time.Since(start).Round(time.Second), choice.Name)
		if err := live.Done(line); err != nil {
			return trained[R]{}, err
		}
		z := embedding(r)
		plain := store.Matrix{General: *z}
		*z = blas32.General{}
		return trained[R]{r, plain}, nil
	})
	if err != nil {
		return nil, err
	}
	if !hit && results() != nil {
		if err := encoder.DiscardEnsemble(results(), g, members, choice.Name); err != nil {
			return nil, err
		}
	}
	*embedding(kept.Result) = kept.Embedding.General
	say(what, hit, time.Since(start))
	return kept.Result, nil
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
