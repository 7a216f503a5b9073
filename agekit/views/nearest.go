package views

import (
	"context"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// Edges count as made from the features if they join nearestShare of the sampled nodes' nearest
	// neighbors. sampledNodes is the number of nodes in the sample.
	nearestShare, sampledNodes = 0.95, 200
)

// MadeFromFeatures reports whether the edges of g were made from its features: whether there is a k so
// that nearly each node is joined to the k nodes with the nearest features, and else only to nodes to
// which it is itself one of the k nearest. Such edges say nothing that the features do not.
func MadeFromFeatures(ctx context.Context, g *graph.Graph) (bool, error) {
	n, f := g.Features.Dims()
	// Each node is joined to its k nearest or more, so the smallest degree is k, if some node has no
	// other edges.
	k := n
	for i := range n {
		k = min(k, g.Degree(i))
	}
	// A single neighbor says too little, and all other nodes are always the nearest. n·k is the
	// number of edges if no two nodes are among each other's nearest.
	canBeNearest := k >= 2 && k < n-1 && g.Edges() <= n*k
	if !canBeNearest || float64(n)*float64(f) > mostNumbers { // too large to look at
		return false, nil
	}
	x := linalg.Padded(g.Features.ToDense())
	chosen := rng.New(0, rng.Only).Perm(n)[:min(n, sampledNodes)]
	rows := linalg.New(len(chosen), f) // the features of the chosen nodes
	for row, i := range chosen {
		copy(linalg.Row(rows, row), linalg.Row(x, i))
	}
	// One more than k, since a node is its own nearest row, unless others have the same features.
	nearest, err := linalg.NearestAmong(ctx, rows, x, k+1)
	if err != nil {
		return false, err
	}
	joined := 0 // of the k neighbors that each node should have, those that are as near as its k nearest others
	for row, i := range chosen {
		near := nearest[row*(k+1):][:k+1]
		farthest := near[k].Value
		if !slices.ContainsFunc(near, func(n linalg.Neighbor) bool { return int(n.Index) == i }) {
			farthest = near[k-1].Value
		}
		const rounding = 1e-6 // of products of float32, by which the nearest are found
		count := 0
		for j := range g.Adjacency.Each(i) {
			if linalg.SquaredDistance(rows, row, x, int(j)) <= farthest*(1+rounding) {
				count++
			}
		}
		joined += min(count, k)
	}
	return float64(joined) >= nearestShare*float64(k*len(chosen)), nil
}
