package encoder_test

import (
	"math/rand/v2"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testgraph"
)

func BenchmarkStep(b *testing.B)  { BenchStep(b, affine.Native) }
func BenchmarkEmbed(b *testing.B) { BenchEmbed(b, affine.Native) }

// BenchmarkStepGathered measures a step on large graphs. Except for cache
// effects, its time should not depend on n.
func BenchmarkStepGathered(b *testing.B) {
	testgraph.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		rnd := rand.New(rand.NewPCG(1, 2))
		batch := RandomBatch(n, 20_000, rnd)
		m := affine.NewGathered(RandomRows(n, 128, 1), affine.InitialState(128, 500, rnd), Probability, 0.001, 20_000)
		return func() error {
			_, err := m.Step(batch)
			return err
		}
	})
}
