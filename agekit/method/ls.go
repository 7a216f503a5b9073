package method

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// ls is the paper's LS (Cui, Zhou, Yang and Liu, KDD 2020, arXiv:2007.01594). It
// clusters the smoothed features by their similarities as in equation 14, S =
// X̃X̃ᵀ/‖X̃‖². The norm, read as one number, makes no difference. This reproduces the
// printed row. (§5.4 speaks of cosines of nodes, which give Cora .631/.478/.372.)
type ls struct {
	Filter laplacian.Filter `json:"filter"`
}

// fit returns X̃ of X divided by its unit ([graph.FeatureUnit]) as the embedding.
func (m ls) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	op := laplacian.New(g.Adjacency)
	f, err := laplacian.ResolveFilter(ctx, op, m.Filter)
	if err != nil {
		return nil, err
	}
	x, err := f.Smooth(ctx, op, graph.NormalizedFeatures(g.Features))
	if err != nil {
		return nil, err
	}
	out, err := clusterGram(ctx, x, o)
	if err == nil {
		out.Measures["k"] = f.K
	}
	return out, err
}
