package gomlx

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/paper"
	. "github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas32"
)

// BenchmarkStep measures a training step of the paper's model on each data set.
func BenchmarkStep(b *testing.B) {
	bench(b, func(_ *testing.B, m Model, batch Batch, _ blas32.General, _ Weights) error {
		_, err := m.Step(batch)
		return err
	})
}

// BenchmarkEmbed measures the computation of an embedding.
func BenchmarkEmbed(b *testing.B) {
	bench(b, func(b *testing.B, m Model, _ Batch, z blas32.General, w Weights) error {
		return m.EmbedTo(b.Context(), z, w)
	})
}

// bench measures a stage on every backend.
func bench(b *testing.B, stage func(*testing.B, Model, Batch, blas32.General, Weights) error) {
	benchOn(b, Native, stage)
	for _, choice := range choices(b) {
		benchOn(b, On(choice), stage)
	}
}

func benchOn(b *testing.B, on Backend, stage func(*testing.B, Model, Batch, blas32.General, Weights) error) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		testgraph.BenchOne(b, name, on.Name(), func(b *testing.B) func() error {
			g, rnd := testgraph.Load(b, name), rand.New(rand.NewPCG(1, 2))
			c, _ := paper.Settings(name)
			in, _ := inputs(b, g, c.Filter)
			start := InitialState(in.Smoothed.Cols, c.Dims, rnd)
			m, err := on.NewModel(in, start, Probability, c.LearningRate, 20_000)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(m.Close)
			z := dense.New(g.N(), c.Dims)
			batch := randomBatch(g.N(), 20_000, rnd)
			if err := stage(b, m, batch, z, start.Weights); err != nil { // compiles
				b.Fatal(err)
			}
			return func() error { return stage(b, m, batch, z, start.Weights) }
		})
	}
}

// BenchmarkStepGathered measures a step on large graphs. Except for cache
// effects, its time should not depend on n.
func BenchmarkStepGathered(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		rnd := rand.New(rand.NewPCG(1, 2))
		batch := randomBatch(n, 20_000, rnd)
		m := NewGathered(modeltest.RandomRows(n, 128, 1), InitialState(128, 500, rnd), Probability, 0.001, 20_000)
		return func() error {
			_, err := m.Step(batch)
			return err
		}
	})
}
