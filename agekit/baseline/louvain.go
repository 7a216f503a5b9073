package baseline

import (
	"context"
	"slices"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

var methodLouvain = declare(Info{
	Name: "Louvain", Sees: Edges, Gives: Clusters | Number, Tables: []string{"field"},
}, func(Settings) louvain { return louvain{} })

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

// communityOutput returns communities that are numbered without gaps.
func communityOutput(of []int) *Output {
	return &Output{Clusters: of, Measures: map[string]float64{"communities": float64(1 + slices.Max(of))}}
}
