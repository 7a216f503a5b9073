package views

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// nearestShare is the share of the nearest neighbors that edges must join for edges that were made
	// from the features, and sampledNodes the number of nodes whose nearest neighbors are found.
	nearestShare, sampledNodes = 0.95, 200
)

// MadeFromFeatures reports whether the edges of g join each node to the k nodes of the nearest
// features, and to those that it is nearest to, as far as that is so for nearly all: such edges say
// nothing that the features do not.
func MadeFromFeatures(ctx context.Context, g *graph.Graph) (bool, error) {
	n, f := g.Features.Dims()
	k := n
	for i := range n {
		k = min(k, g.Degree(i))
	}
	if k < 2 || k >= n-1 || g.Edges() > n*k || float64(n)*float64(f) > mostNumbers {
		return false, nil
	}
	x := linalg.Padded(g.Features.ToDense())
	chosen := rng.New(0, rng.Only).Perm(n)[:min(n, sampledNodes)]
	rows := linalg.New(len(chosen), f)
	for row, i := range chosen {
		copy(linalg.Row(rows, row), linalg.Row(x, i))
	}
	// A node is its own nearest row, or one of several that are alike.
	nearest, err := linalg.NearestAmong(ctx, rows, x, k+1)
	if err != nil {
		return false, err
	}
	joined := 0
	for row, i := range chosen {
		others := 0
		for _, neighbor := range nearest[row*(k+1):][:k+1] {
			if int(neighbor.Index) == i || others == k {
				continue
			}
			others++
			if g.Adjacency.At(i, int(neighbor.Index)) != 0 {
				joined++
			}
		}
	}
	return float64(joined) >= nearestShare*float64(k*len(chosen)), nil
}
