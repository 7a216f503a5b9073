package laplacian_test

import (
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testgraph"
)

func BenchmarkSmooth(b *testing.B) {
	testgraph.Bench(b, func(b *testing.B, g *graph.Graph) func() error {
		op, filter := laplacian.New(g.Adjacency), laplacian.Filter{K: 2.0 / 3, Layers: 8}
		return func() error {
			_, err := filter.Smooth(b.Context(), op, g.Features)
			return err
		}
	})
}
