package baseline

import (
	"context"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

var methodLeiden = declare(Info{
	Name: "Leiden", Sees: Edges, Gives: Clusters | Number, Tables: []string{"field"},
}, func(Settings) leiden { return leiden{community.LeidenOptions{}.WithDefaults()} })

// leiden finds communities of high modularity in the graph alone
// ([community.Leiden]). It finds the number of communities itself, as [louvain]
// does. The number of searches is among the measures ("iterations").
type leiden struct{ community.LeidenOptions }

func (m leiden) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	of, searches, err := community.Leiden(ctx, g.Adjacency, m.LeidenOptions, source(o.Seed))
	if err != nil {
		return nil, err
	}
	out := communityOutput(of)
	out.Measures["iterations"] = float64(searches)
	return out, nil
}
