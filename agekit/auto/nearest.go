package auto

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// nearestShare is the share of the edges that must join nearest neighbors for edges that were
// made from the features.
const nearestShare = 0.95

// nearestNeighbors returns k if the edges of g join each node to the k nodes of the nearest
// features, and to those that it is nearest to, as far as that is so for nearly all; else 0.
// Such edges say nothing that the features do not.
func nearestNeighbors(ctx context.Context, g *graph.Graph) (k int, err error) {
	n, f := g.Features.Dims()
	k = n
	for i := range n {
		k = min(k, g.Adjacency.Indptr[i+1]-g.Adjacency.Indptr[i])
	}
	if k < 2 || k >= n-1 || n > manyNodes || float64(n)*float64(f) > mostNumbers {
		return 0, nil
	}
	joined, err := joinNearest(ctx, g.Features, k)
	if err != nil {
		return 0, err
	}
	same := 0
	for i := range n {
		for j := range joined.Each(i) {
			if g.Adjacency.At(i, int(j)) != 0 {
				same++
			}
		}
	}
	if float64(same) < nearestShare*float64(max(joined.NNZ(), g.Adjacency.NNZ())) {
		return 0, nil
	}
	return k, nil
}

// joinNearest returns the adjacency matrix in which each node is joined to the k nodes of the
// nearest features.
func joinNearest(ctx context.Context, x graph.Features, k int) (*graph.CSR, error) {
	neighbors, err := linalg.NearestRows(ctx, x.ToDense(), k)
	if err != nil {
		return nil, err
	}
	u, v := make([]int32, len(neighbors)), make([]int32, len(neighbors))
	for e, neighbor := range neighbors {
		u[e], v[e] = int32(e/k), neighbor.Index
	}
	return graph.Adjacency(len(neighbors)/k, u, v, nil)
}
