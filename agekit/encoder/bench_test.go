package encoder

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testgraph"
)

func BenchmarkSelect(b *testing.B) {
	testgraph.Bench(b, func(b *testing.B, g *graph.Graph) func() error {
		z := randomRows(g.N(), 500, 1)
		return func() error {
			_, err := Select(b.Context(), z, 0.005, 0.3)
			return err
		}
	})
}

func BenchmarkSelectSampled(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		z := randomRows(n, 500, 1)
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
