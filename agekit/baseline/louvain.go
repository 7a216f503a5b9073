package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
)

// Louvain finds communities of high modularity in the graph alone (Blondel,
// Guillaume, Lambiotte and Lefebvre, "Fast unfolding of communities in large
// networks", J. Stat. Mech. P10008, 2008, arXiv:0803.0476). It begins with one
// community per node, and moves nodes to communities of their neighbors as long
// as [metric.Modularity] rises. Then each community becomes a node of a smaller
// graph, and the same is done there, until nothing moves. As in [Leiden], a node is
// looked at again only after a neighbor has moved.
//
// It finds the number of communities itself ("communities" among the measures),
// and each node without edges is one. On a graph with many small components that
// is many more than the classes, of which ACC counts one each.
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
