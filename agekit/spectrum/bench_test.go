package spectrum_test

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/internal/testgraph"
)

func BenchmarkLambdaMax(b *testing.B) {
	testgraph.Bench(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := spectrum.LambdaMax(b.Context(), op)
			return err
		}
	})
}

func BenchmarkEigenvalues(b *testing.B) {
	testgraph.Bench(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := spectrum.Eigenvalues(b.Context(), op)
			return err
		}
	})
}

func BenchmarkDensity(b *testing.B) {
	testgraph.Bench(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := spectrum.EstimateDensity(b.Context(), op, rand.New(rand.NewPCG(1, 1)))
			return err
		}
	})
}
