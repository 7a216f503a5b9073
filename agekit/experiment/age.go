package experiment

import (
	"context"
	"errors"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/linkpred"
)

// age is the paper's method, and the steps of its ablation (§5.4) that train.
type age struct {
	name string
	// fixedPairs trains on the pairs of the smoothed features to the end.
	fixedPairs bool
	// fixedThresholds selects anew, but always as many pairs as at first.
	fixedThresholds bool
}

func (a age) Name() string { return a.name }

// Settings are those of the encoder, and the number of starts if there are
// several; for link prediction all that the validation edges choose from.
func (a age) Settings(r Run) any {
	if r.Task == Links {
		if all := a.linkSettings(r); len(all) > 1 {
			return all
		}
	}
	return struct {
		encoder.Config
		Restarts int `json:"restarts,omitempty"`
	}{a.config(r), a.restarts(r)}
}

// restarts returns the number of starts to choose from by the Davies–Bouldin
// index, or 0 for a single training.
func (a age) restarts(r Run) int {
	if r.Mode != Best || r.Task == Links {
		return 0
	}
	return encoder.BestRestarts
}

func (a age) config(r Run) encoder.Config {
	c := ageConfig(r)
	c.FixedPairs = a.fixedPairs
	if a.fixedPairs || a.fixedThresholds {
		c.Thresholds.PosEnd, c.Thresholds.NegEnd = c.Thresholds.PosStart, c.Thresholds.NegStart
	}
	return c
}

func (a age) Fit(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*Fitted, error) {
	c := a.config(r)
	c.Clusters = g.Classes
	result, _, err := encoder.FitRestarts(ctx, g, c, max(1, a.restarts(r)), encoder.Options{
		Backend: o.Backend, Checkpoints: o.Checkpoints, Progress: o.ofEncoder,
	})
	if err != nil {
		return nil, err
	}
	f := &Fitted{
		Embedding: result.Embedding, Clusters: result.Labels, Backend: result.Backend,
		Measures: map[string]float64{
			"epoch": float64(result.Epoch), "DBI": result.DaviesBouldin, "k": result.K, "lambda_max": result.LambdaMax,
		},
	}
	if o.Checkpoints != nil {
		f.Release = func() error {
			return encoder.DiscardRestarts(o.Checkpoints, g, c, max(1, a.restarts(r)), result.Backend)
		}
	}
	return f, nil
}

// linkSettings are the encoder's settings for link prediction: those for
// clustering, as the paper has it (§5.2); the defaults of the published
// link_pred.py, which are Wiki's (code); or several to choose from (best).
func (a age) linkSettings(r Run) []encoder.Config {
	c := a.config(r)
	switch {
	case r.Mode == Code:
		published := encoder.PaperConfig("wiki")
		c.Layers, c.Thresholds = published.Layers, published.Thresholds
	case r.Mode == Best && !r.Quick:
		c.BatchSize = encoder.PaperConfig(r.Dataset).BatchSize
		return linkpred.Candidates(c)
	}
	return []encoder.Config{c}
}

// Links trains on the training edges of the seed's split of the edges, and
// chooses the epoch, and the settings if there are several, by the validation
// edges (paper, §5.2).
func (a age) Links(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*LinkScores, error) {
	split, err := linkpred.NewSplit(g, linkpred.SplitOptions{}, r.random("split"))
	if err != nil {
		return nil, err
	}
	settings := a.linkSettings(r)
	result, chosen, err := linkpred.FitBest(ctx, split, settings, encoder.Options{Backend: o.Backend, Checkpoints: o.Checkpoints, Progress: o.ofEncoder})
	if err != nil {
		return nil, err
	}
	s := &LinkScores{
		AUC: result.Test.AUC, AP: result.Test.AP, Backend: result.Encoder.Backend,
		Measures: map[string]float64{
			"epoch": float64(result.Encoder.Epoch), "layers": float64(settings[chosen].Layers), "k": result.Encoder.K, "lambda_max": result.Encoder.LambdaMax,
			"validation AUC": result.Validation.AUC, "validation AP": result.Validation.AP,
		},
	}
	if o.Checkpoints != nil {
		s.Release = func() (err error) {
			for _, c := range settings {
				err = errors.Join(err, encoder.Discard(o.Checkpoints, split.Train, split.Config(c), s.Backend))
			}
			return err
		}
	}
	return s, nil
}

// ofEncoder passes the encoder's progress on.
func (o FitOptions) ofEncoder(e encoder.Event) {
	o.Progress(float64(e.Epoch) / float64(e.Epochs))
}

// ageConfig returns the encoder's settings for a run: those of the run's
// mode, with what the run sets otherwise. The number of clusters is left out.
func ageConfig(r Run) encoder.Config {
	c := encoder.PaperConfig(r.Dataset)
	if r.Mode == Best {
		c = encoder.BestConfig(r.Dataset)
	}
	c.Scaling, c.Seed = r.Mode.scaling(), r.Seed
	if r.Mode == Code {
		c.Loss = encoder.Logits
	}
	switch {
	case r.K == InverseLambdaMax:
		c.K = 0 // the encoder's word for it
	case r.K != 0:
		c.K = r.K
	}
	if r.Layers != 0 {
		c.Layers = r.Layers
	}
	c.Epochs = r.epochs(c.Epochs)
	return c
}
