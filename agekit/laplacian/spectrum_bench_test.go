package laplacian_test

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

func BenchmarkLambdaMax(b *testing.B) {
	testutil.BenchGraphs(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := laplacian.LambdaMax(b.Context(), op)
			return err
		}
	})
}

func BenchmarkEigenvalues(b *testing.B) {
	testutil.BenchGraphs(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := laplacian.Eigenvalues(b.Context(), op)
			return err
		}
	})
}

func BenchmarkDensity(b *testing.B) {
	testutil.BenchGraphs(b, func(b *testing.B, g *graph.Graph) func() error {
		op := laplacian.New(g.Adjacency)
		return func() error {
			_, err := laplacian.EstimateDensity(b.Context(), op, rand.New(rand.NewPCG(1, 1)))
			return err
		}
	})
}
