package method

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/cost"
)

// age is the Adaptive Graph Encoder (Cui et al., KDD 2020), or a step of its ablation that
// trains (§5.4). Its settings are the filter and the Config of [Settings].
type age struct {
	// Filters has one filter, or for link prediction those from which the validation edges
	// choose.
	Filters []laplacian.Filter `json:"filters"`
	Config  encoder.Config     `json:"config"`
}

// newAGE returns the method's settings: those of s that apply, and defaults for the others.
func newAGE(s Settings) age {
	config := s.Config
	if s.MostEpochs > 0 { // else the encoder has the default
		config.Epochs = s.epochs(encoder.Options{}.WithDefaults().Epochs)
	}
	return age{Filters: []laplacian.Filter{s.Filter}, Config: config}
}

// newFixed returns AGE that keeps the pairs it first selects, from the smoothed features: "+Encoder".
func newFixed(s Settings) age {
	m := newConstant(s)
	m.Config.FixedPairs = true
	return m
}

// newConstant returns AGE that selects new pairs, but as many at the end of the training as at the
// start: "+Adaptive".
func newConstant(s Settings) age {
	m := newAGE(s)
	t := &m.Config.Thresholds
	t.PosEnd, t.NegEnd = t.PosStart, t.NegStart
	return m
}

// fit implements [fitter].
func (m age) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if o.Split != nil {
		return m.fitLinks(ctx, o.Split, m.training(o))
	}
	planned := o.planned
	if planned == nil {
		var err error
		if planned, err = m.plan(g, o); err != nil {
			return nil, err
		}
	}
	result, err := planned.Fit(ctx)
	if err != nil {
		return nil, err
	}
	out := outputOf(result)
	out.Clusters = result.Labels
	out.Measures["DBI"] = result.DaviesBouldin
	out.Release = result.Discard
	if len(result.Members) > 1 {
		out.Measures["clusterings"] = float64(result.Clusterings)
		delete(out.Measures, "epoch") // each member has its own
	}
	return out, nil
}

// training returns the encoder's options for these settings and o, with the first of the filters.
func (m age) training(o Options) encoder.Options {
	return encoder.Options{Filter: m.Filters[0], Config: m.Config, Initial: o.Initial, Backend: gomlx.On(o.Backend), Running: o.Running}
}

// plan plans a training for clusters ([encoder.Options.Plan]). The settings' own seed and scaling
// come before those of o.
func (m age) plan(g *graph.Graph, o Options) (*encoder.Planned, error) {
	training := m.training(o)
	training.Clusters = o.Clusters
	training.Seed = cmp.Or(m.Config.Seed, o.Seed)
	training.Scaling = cmp.Or(m.Config.Scaling, o.Scaling)
	return training.Plan(g)
}

// fitLinks trains on a split for link prediction and returns the embedding that scores the pairs:
// the validation edges choose the epoch, and the filter if there are several (§5.2).
func (m age) fitLinks(ctx context.Context, split *graph.Split, o encoder.Options) (*Output, error) {
	result, err := fitLinks(ctx, split, o, m.Filters)
	if err != nil {
		return nil, err
	}
	out := outputOf(result.Result)
	out.Measures["layers"] = float64(result.Encoder.Filter.Layers)
	out.Measures["validation AUC"], out.Measures["validation AP"] = result.validation.AUC, result.validation.AP
	out.Release = result.Discard
	return out, nil
}

// outputOf returns the part of the output that clustering and link prediction share: the embedding,
// the backend, the training's result and its measures.
func outputOf(r *encoder.Result) *Output {
	out := &Output{
		Embedding: r.Embedding, Backend: r.Backend, Training: r,
		Measures: map[string]float64{"k": r.Encoder.Filter.K, "lambda_max": r.LambdaMax},
	}
	if len(r.Members) > 0 {
		out.Measures["epoch"] = float64(r.Members[0].Epoch)
	}
	return out
}

// Cost estimates what a training of AGE on a graph costs. known is false for other methods.
func Cost(m Method, g *graph.Graph) (e cost.Estimate, known bool) {
	a, isAGE := ageOf(m)
	if !isAGE {
		return e, false
	}
	n, f := g.Features.Dims()
	// A step may filter sparse features instead of reading the smoothed ones. Then it costs as much
	// as dense features of fewer columns.
	if words := g.Features.Sparse; words != nil {
		entries := words.NNZ() + a.Filters[0].Layers*(g.Adjacency.NNZ()+n)
		f = min(f, int(cost.DenseColumns(float64(entries), float64(n))))
	}
	return a.Config.Training(n, f), true
}

// ageOf returns the settings of a method, if it is AGE or a step of its ablation. Else ok is false.
func ageOf(m Method) (settings age, ok bool) {
	registered, _ := m.(method)
	settings, ok = registered.settings.(age)
	return settings, ok
}
