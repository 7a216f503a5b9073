package baseline

import (
	"context"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

// Leiden finds communities of high modularity in the graph alone
// ([community.Leiden]). It finds the number of communities itself, as [Louvain]
// does. The number of searches is among the measures ("iterations").
type Leiden struct{ community.LeidenOptions }

// Name returns "Leiden".
func (Leiden) Name() string { return "Leiden" }

// Sees implements [Method].
func (Leiden) Sees() Parts { return Edges }

// Gives implements [Method].
func (Leiden) Gives() Outputs { return Clusters | Number }

// Fit implements [Method].
func (m Leiden) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	of, searches, err := community.Leiden(ctx, g.Adjacency, m.LeidenOptions, source(o.Seed))
	if err != nil {
		return nil, named(m, err)
	}
	out := communityOutput(of)
	out.Measures["iterations"] = float64(searches)
	return out, nil
}
