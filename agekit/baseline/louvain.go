package baseline

import (
	"context"
	"slices"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

// louvain finds communities of high modularity in the graph alone
// ([community.Louvain]).
//
// It finds the number of communities itself ("communities" among the measures),
// and each node without edges is one. On a graph with many small components that
// is many more than the classes, of which ACC counts one each.
type louvain struct{}

func (m louvain) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	of, err := community.Louvain(ctx, g.Adjacency, source(o.Seed))
	if err != nil {
		return nil, err
	}
	return communityOutput(of), nil
}

// leiden finds communities of high modularity in the graph alone
// ([community.Leiden]). It finds the number of communities itself, as [louvain]
// does. The number of searches is among the measures ("iterations").
type leiden struct{ community.LeidenOptions }

func newLeiden(Settings) leiden { return leiden{community.LeidenOptions{}.WithDefaults()} }

func (m leiden) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	of, searches, err := community.Leiden(ctx, g.Adjacency, m.LeidenOptions, source(o.Seed))
	if err != nil {
		return nil, err
	}
	out := communityOutput(of)
	out.Measures["iterations"] = float64(searches)
	return out, nil
}

// communityOutput returns communities that are numbered without gaps.
func communityOutput(of []int) *Output {
	return &Output{Clusters: of, Measures: map[string]float64{"communities": float64(1 + slices.Max(of))}}
}
