package method

import (
	"context"
	"slices"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

// louvain finds communities of high modularity in the graph alone
// ([community.Louvain]).
//
// It finds the number of communities itself ("communities" among the measures), and
// each node without edges is one. A graph with many small components has many more of
// them than classes, and ACC counts one per class.
type louvain struct{}

// fit implements [fitter].
func (m louvain) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	communities, err := community.Louvain(ctx, g.Adjacency, source(o.Seed))
	if err != nil {
		return nil, err
	}
	return communityOutput(communities), nil
}

// leiden finds communities of high modularity in the graph alone ([community.Leiden]).
// Like [louvain], it finds their number itself. The number of searches is among the
// measures ("iterations").
type leiden struct{ community.LeidenOptions }

// newLeiden returns the defaults: none of the common settings applies.
func newLeiden(Settings) leiden { return leiden{community.LeidenOptions{}.WithDefaults()} }

// fit implements [fitter].
func (m leiden) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	communities, searches, err := community.Leiden(ctx, g.Adjacency, m.LeidenOptions, source(o.Seed))
	if err != nil {
		return nil, err
	}
	out := communityOutput(communities)
	out.Measures["iterations"] = float64(searches)
	return out, nil
}

// communityOutput returns the output of a method that finds communities: the community of each
// node, numbered from 0 without gaps, and how many there are.
func communityOutput(communities []int) *Output {
	return &Output{Clusters: communities, Measures: map[string]float64{"communities": float64(1 + slices.Max(communities))}}
}
