package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
)

// Louvain finds communities of high modularity in the graph alone (Blondel,
// Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large
// networks", J. Stat. Mech. P10008, 2008, arXiv:0803.0476). From one community
// per node on, it moves nodes to the community of a neighbor as long as
// [metric.Modularity] rises, then makes each community a node of a smaller
// network, and does the same there, until nothing moves.
//
// Nodes are visited in random order, and again only after a neighbor has moved, as
// [Leiden] does. It takes a second for a million nodes.
type Louvain struct{}

// Name returns "Louvain".
func (Louvain) Name() string { return "Louvain" }

// Sees implements [Method].
func (Louvain) Sees() Parts { return Edges }

// Gives implements [Method].
func (Louvain) Gives() Outputs { return Clusters | Number }

// Fit implements [Method].
func (m Louvain) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := needsEdges(g); err != nil {
		return nil, named(m, err)
	}
	s := communities{whole: newWeightedGraph(g.Adjacency), rnd: source(o.Seed)}
	of := singletons(s.whole).of
	if err := s.improve(ctx, of); err != nil {
		return nil, named(m, err)
	}
	return communityOutput(of, nil), nil
}
