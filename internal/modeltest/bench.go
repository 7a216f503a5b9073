package modeltest

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/paper"
	. "github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas32"
)

// BenchStep measures a training step of the paper's model on each data set.
func BenchStep(b *testing.B, on Backend) {
	bench(b, on, func(_ *testing.B, m Model, batch Batch, _ blas32.General, _ Weights) error {
		_, err := m.Step(batch)
		return err
	})
}

// BenchEmbed measures the computation of an embedding.
func BenchEmbed(b *testing.B, on Backend) {
	bench(b, on, func(b *testing.B, m Model, _ Batch, z blas32.General, w Weights) error {
		return m.EmbedTo(b.Context(), z, w)
	})
}

func bench(b *testing.B, on Backend, stage func(*testing.B, Model, Batch, blas32.General, Weights) error) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		testgraph.BenchOne(b, name, on.Name(), func(b *testing.B) func() error {
			g, rnd := testgraph.Load(b, name), rand.New(rand.NewPCG(1, 2))
			c, _ := paper.Settings(name)
			in, _ := Inputs(b, g, c.Filter)
			start := InitialState(in.Smoothed.Cols, c.Dims, rnd)
			m, err := on.NewModel(in, start, Probability, c.LearningRate, 20_000)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(m.Close)
			z := dense.New(g.N(), c.Dims)
			batch := RandomBatch(g.N(), 20_000, rnd)
			if err := stage(b, m, batch, z, start.Weights); err != nil { // compiles
				b.Fatal(err)
			}
			return func() error { return stage(b, m, batch, z, start.Weights) }
		})
	}
}
