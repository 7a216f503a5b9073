package encoder

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas32"
)

// clusteredRows returns rows of length 1 of seven clusters, with similarities
// spread over [0, 1] as embeddings' are.
func clusteredRows(n, d int) blas32.General {
	z := randomRows(n, d, 1)
	rnd := rand.New(rand.NewPCG(2, 0))
	for i := range n {
		strength := rnd.Float32() / 8
		for c := i % 7; c < d; c += 7 {
			z.Data[i*z.Stride+c] += strength
		}
	}
	return Normalize(z)
}

func BenchmarkSelect(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{2_500, 7_000, 20_000}, func(b *testing.B, n int) func() error {
		z := clusteredRows(n, 500)
		return func() error {
			_, err := Select(b.Context(), z, 0.005, 0.3)
			return err
		}
	})
}

func BenchmarkDrawNegatives(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{2_500, 7_000, 20_000}, func(b *testing.B, n int) func() error {
		s, err := Select(b.Context(), clusteredRows(n, 500), 0.001, 0.75)
		if err != nil {
			b.Fatal(err)
		}
		return func() error {
			_, _, err := s.DrawNegatives(b.Context(), 100_000, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}

func BenchmarkSelectSampled(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		z := clusteredRows(n, 500)
		return func() error {
			_, err := SelectSampled(b.Context(), z, 0.005, 0.3, 1024, 500_000, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}

// benchModels measures the paper's model of each data set on each backend.
func benchModels(b *testing.B, stage func(m Model, batch Batch) error) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		for _, choice := range backends(b) {
			testgraph.BenchOne(b, name, choice.Name, func(b *testing.B) func() error {
				g, c, rnd := testgraph.Load(b, name), PaperConfig(name), rand.New(rand.NewPCG(1, 2))
				_, f := g.Features.Dims()
				m, err := NewModel(choice, inputs(b, g, c.K, c.Layers)["filtered"], InitialState(f, c.Dims, rnd), Probability, c.LearningRate, 20_000)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(m.Close)
				batch := randomBatch(g.N(), 20_000, rnd)
				if err := stage(m, batch); err != nil { // compiles
					b.Fatal(err)
				}
				return func() error { return stage(m, batch) }
			})
		}
	}
}

func BenchmarkStep(b *testing.B) {
	benchModels(b, func(m Model, batch Batch) error {
		_, err := m.Step(batch)
		return err
	})
}

func BenchmarkEmbed(b *testing.B) {
	benchModels(b, func(m Model, _ Batch) error {
		_, err := m.Embed()
		return err
	})
}

// BenchmarkStepGathered is a step on large graphs: it should not depend on n
// but for the cache.
func BenchmarkStepGathered(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		rnd := rand.New(rand.NewPCG(1, 2))
		batch := randomBatch(n, 20_000, rnd)
		m := newGathered(randomRows(n, 128, 1), InitialState(128, 500, rnd), Probability, 0.001, 20_000)
		return func() error {
			_, err := m.Step(batch)
			return err
		}
	})
}
