package tsne

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

var benchSizes = [3]int{500, 2_708, 10_000}

// BenchmarkTSNE runs 100 iterations on 500 columns.
func BenchmarkTSNE(b *testing.B) {
	testutil.BenchSizes(b, benchSizes, func(b *testing.B, n int) func() error {
		x, _ := clusters(n, 500, 7, 1, rand.New(rand.NewPCG(1, 1)))
		return func() error {
			_, err := Map(b.Context(), x, Options{Iterations: 100}, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}

// BenchmarkTSNEGradient measures one iteration late in the descent, when the
// map has its final spread.
func BenchmarkTSNEGradient(b *testing.B) {
	testutil.BenchSizes(b, benchSizes, func(b *testing.B, n int) func() error {
		rnd := rand.New(rand.NewPCG(1, 1))
		x, _ := clusters(n, 50, 7, 1, rnd)
		p := testutil.Value(affinities(b.Context(), x, 30)).OrFatal(b)
		m := newLayout(p, 0.5, rnd)
		for i := range m.points {
			m.points[i].X, m.points[i].Y = 40*rnd.NormFloat64(), 40*rnd.NormFloat64()
		}
		return func() error { return m.gradient(1) }
	})
}
