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

// Settings are those of the encoder; those of all trainings where there are
// several, and what finds the clusters of all together.
func (a age) Settings(r Run) any {
	switch {
	case r.Task == Links && r.Mode == Best:
		return a.linkSettings(r)
	case r.Task == Links:
		return a.linkSettings(r)[0]
	case r.Mode == Best:
		return together{a.members(r), "consensus"}
	}
	return a.members(r)[0]
}

type together struct {
	Trainings []encoder.Config `json:"trainings"`
	Clusters  string           `json:"clusters"` // by cluster.SpectralConsensus
}

// members are the settings of the trainings whose embeddings are clustered:
// one, or those of best mode.
func (a age) members(r Run) []encoder.Config {
	if r.Mode != Best {
		return []encoder.Config{a.config(r)}
	}
	c := encoder.PaperConfig(r.Dataset)
	c.Seed = r.Seed
	members := encoder.BestMembers(c)
	if r.Quick {
		members = members[:2]
	}
	for k, c := range members {
		members[k] = a.adapt(r, c)
	}
	return members
}

// config returns the settings of a single training in the run's mode. Best mode
// has several for clusters, see members; for links and for methods that only
// share the filter it has the paper's.
func (a age) config(r Run) encoder.Config {
	c := encoder.PaperConfig(r.Dataset)
	c.Scaling, c.Seed = r.Mode.scaling(), r.Seed
	if r.Mode == Code {
		c.Loss = encoder.Logits
	}
	return a.adapt(r, c)
}

// adapt changes what the run sets otherwise, and what the step of the ablation
// leaves out. The number of clusters is left out.
func (a age) adapt(r Run, c encoder.Config) encoder.Config {
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
	c.FixedPairs = a.fixedPairs
	if a.fixedPairs || a.fixedThresholds {
		c.Thresholds.PosEnd, c.Thresholds.NegEnd = c.Thresholds.PosStart, c.Thresholds.NegStart
	}
	return c
}

func (a age) Fit(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*Fitted, error) {
	members := a.members(r)
	for k := range members {
		members[k].Clusters = g.Classes
	}
	options := encoder.Options{Backend: o.Backend, Checkpoints: o.Checkpoints, Progress: o.ofEncoder}
	f, err := a.fit(ctx, g, r, members, options)
	if err == nil && o.Checkpoints != nil {
		f.Release = func() error { return encoder.DiscardEnsemble(o.Checkpoints, g, members, f.Backend) }
	}
	return f, err
}

func (a age) fit(ctx context.Context, g *graph.Graph, r Run, members []encoder.Config, o encoder.Options) (*Fitted, error) {
	if r.Mode == Best {
		e, err := encoder.FitEnsemble(ctx, g, members, o)
		if err != nil {
			return nil, err
		}
		first := e.Members[0]
		return &Fitted{
			Embedding: e.Embedding, Clusters: e.Clusters.Labels, Backend: first.Backend,
			Measures: map[string]float64{"clusterings": float64(e.Clusters.Clusterings), "DBI": e.DaviesBouldin, "k": first.K, "lambda_max": first.LambdaMax},
		}, nil
	}
	result, err := encoder.Fit(ctx, g, members[0], o)
	if err != nil {
		return nil, err
	}
	return &Fitted{
		Embedding: result.Embedding, Clusters: result.Labels, Backend: result.Backend,
		Measures: map[string]float64{
			"epoch": float64(result.Epoch), "DBI": result.DaviesBouldin, "k": result.K, "lambda_max": result.LambdaMax,
		},
	}, nil
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
