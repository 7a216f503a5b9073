package experiment

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
)

// age is the paper's method, or a step of its ablation that trains.
type age struct {
	name string
	// Filters has one filter for clustering, or those to choose from for link prediction.
	Filters []laplacian.Filter `json:"filters"`
	Config  encoder.Config     `json:"config"`
}

// ageSteps are AGE and the steps of its ablation that train (§5.4), and what each changes in
// AGE's settings.
var ageSteps = []struct {
	name   string
	change func(*encoder.Config)
}{
	// The pairs selected from the smoothed features are kept to the end.
	{"+Encoder", func(c *encoder.Config) { c.FixedPairs, c.Thresholds = true, constant(c.Thresholds) }},
	// Pairs are reselected, but their number stays as at the start.
	{"+Adaptive", func(c *encoder.Config) { c.Thresholds = constant(c.Thresholds) }},
	{"AGE", func(*encoder.Config) {}},
}

// constant returns thresholds that keep their initial values.
func constant(t pairs.Thresholds) pairs.Thresholds {
	t.PosEnd, t.NegEnd = t.PosStart, t.NegStart
	return t
}

// newAGE returns AGE, or a step of its ablation, with the settings of a run but the number
// of clusters.
func newAGE(name string, change func(*encoder.Config), r Run) age {
	c, _ := encoder.PaperOptions(r.Dataset)
	c.Scaling, c.Seed = r.Mode.scaling(), r.Seed
	switch {
	case r.Mode == Best && r.Task != Links:
		c = c.Best()
		if r.Quick {
			c.Members = 2
		}
	case r.Mode == Code:
		c.Loss = encoder.Logits
	}
	c.Epochs = r.epochs(c.Epochs)
	change(&c.Config)
	m := age{name, []laplacian.Filter{r.filter(c.Filter)}, c.Config}
	if r.Task == Links {
		m.forLinks(r)
	}
	return m
}

// forLinks applies the settings for link prediction: in paper mode those for clustering
// (§5.2); in code mode Wiki's, the defaults of the published link_pred.py; in best mode
// several filters to choose from.
func (m *age) forLinks(r Run) {
	switch {
	case r.Mode == Code:
		wiki, _ := encoder.PaperOptions("wiki")
		m.Filters[0].Layers, m.Config.Thresholds = wiki.Layers, wiki.Thresholds
	case r.Mode == Best && !r.Quick:
		// Predicting edges needs less smoothing than clustering and little training:
		// on Cora and Citeseer the validation score peaks within the first 20 epochs
		// and falls from then on.
		k := m.Filters[0].K
		m.Filters = []laplacian.Filter{{K: k, Layers: 1}, {K: k, Layers: 2}, {K: k, Layers: 3}}
		m.Config.Epochs, m.Config.UpdateEvery = 30, 3
	}
}

func (m age) Name() string { return m.name }
func (m age) Info() baseline.Info {
	return baseline.Info{Name: m.name, Features: true, Edges: true, Embedding: true, Clusters: true, Links: true}
}

func (m age) Fit(ctx context.Context, g *graph.Graph, o baseline.Options) (*baseline.Output, error) {
	options := encoder.Options{
		Filter: m.Filters[0], Config: m.Config, Backend: gomlx.On(o.Backend), Checkpoints: o.Checkpoints, Progress: o.Progress,
	}
	if o.Split != nil {
		// The validation edges choose the epoch, and the filter if there are several
		// (paper, §5.2).
		result, err := fitLinks(ctx, o.Split, options, m.Filters)
		if err != nil {
			return nil, err
		}
		out := outputOf(result.Result)
		out.Measures["layers"] = float64(result.Encoder.Filter.Layers)
		out.Measures["validation AUC"], out.Measures["validation AP"] = result.validation.AUC, result.validation.AP
		out.Release = result.Discard
		return out, nil
	}
	options.Clusters = o.Clusters
	result, err := encoder.Fit(ctx, g, options)
	if err != nil {
		return nil, err
	}
	out := outputOf(result)
	out.Clusters, out.Measures["DBI"], out.Release = result.Labels, result.DaviesBouldin, result.Discard
	if len(result.Members) > 1 {
		out.Measures["clusterings"] = float64(result.Clusterings)
		delete(out.Measures, "epoch") // each member has its own
	}
	return out, nil
}

// outputOf returns the part of an encoder's result that every task needs.
func outputOf(r *encoder.Result) *baseline.Output {
	return &baseline.Output{
		Embedding: r.Embedding, Backend: r.Backend,
		Measures: map[string]float64{"epoch": float64(r.Members[0].Epoch), "k": r.Encoder.Filter.K, "lambda_max": r.LambdaMax},
	}
}

// scaling returns the mode's scaling of spectral embeddings.
func (m Mode) scaling() cluster.Scaling {
	if m == Code {
		return cluster.Degree
	}
	return cluster.RandomWalk
}

// filter returns the run's filter; f has what the run leaves open.
func (r Run) filter(f laplacian.Filter) laplacian.Filter {
	return laplacian.Filter{K: cmp.Or(r.K, f.K), Layers: cmp.Or(r.Layers, f.Layers)}
}
