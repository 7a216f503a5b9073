package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
)

// LS clusters the smoothed features by their similarities as in the paper's
// equation 13, S = X̃X̃ᵀ/‖X̃‖², where the norm is read as a single number and
// therefore makes no difference. This reproduces the printed row. (§5.4 speaks
// of cosines of nodes, which give Cora .631/.478/.372.)
type LS struct {
	Filter laplacian.Filter `json:"filter"`
}

func newLS(s Settings) Method { return LS{s.Filter} }

// Name returns "LS".
func (LS) Name() string { return "LS" }

// Sees implements [Method].
func (LS) Sees() Parts { return Features | Edges }

// Gives implements [Method].
func (LS) Gives() Outputs { return Embedding | Clusters }

// Fit implements [Method]. The embedding is X̃ of X divided by its unit
// ([graph.Features.Unit]).
func (m LS) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	op := laplacian.New(g.Adjacency)
	f, err := spectrum.ResolveFilter(ctx, op, m.Filter)
	if err != nil {
		return nil, err
	}
	x, err := f.Smooth(ctx, op, g.Features.DividedBy(g.Features.Unit()))
	if err != nil {
		return nil, err
	}
	out, err := clusterGram(ctx, x, o)
	if err == nil {
		out.Measures["k"] = f.K
	}
	return out, err
}
