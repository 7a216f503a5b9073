package community

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
)

// Louvain returns each node's community, numbered from 0 in the order of their
// first nodes (Blondel, Guillaume, Lambiotte and Lefebvre, "Fast unfolding of
// communities in large networks", J. Stat. Mech. P10008, 2008, arXiv:0803.0476).
//
// It begins with one community per node, and moves nodes to communities of their
// neighbors as long as the modularity rises. Then each community becomes a node of a
// smaller graph, and the same is done there, until nothing moves. As in [Leiden], it
// looks at a node again only after a neighbor has moved.
//
// A node without edges is a community of its own. The adjacency matrix a must be
// symmetric; its values are the weights of the edges. A graph without edges is an
// error.
func Louvain(ctx context.Context, a *graph.CSR, rnd *rand.Rand) ([]int, error) {
	s, err := newSearch(a, nil, rnd)
	if err != nil {
		return nil, err
	}
	communities := singletons(s.whole).community
	if err := s.improve(ctx, communities); err != nil {
		return nil, err
	}
	return ints(communities), nil
}
