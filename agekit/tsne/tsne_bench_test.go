package tsne

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkEmbed(b *testing.B) {
	for _, n := range []int{500, 2708, 10000} {
		b.Run(fmt.Sprintf("n=%d,f=500,100 iterations", n), func(b *testing.B) {
			x, _ := clusters(n, 500, 7, 1, rand.New(rand.NewPCG(1, 1)))
			for b.Loop() {
				if _, err := Embed(b.Context(), x, Options{Iterations: 100}, rand.New(rand.NewPCG(1, 2))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGradient measures one iteration late in the descent, when the map
// has its final spread.
func BenchmarkGradient(b *testing.B) {
	for _, n := range []int{500, 2708, 10000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 1))
			x, _ := clusters(n, 50, 7, 1, rnd)
			p, err := affinities(b.Context(), x, 30)
			if err != nil {
				b.Fatal(err)
			}
			m := newLayout(p, 0.5, rnd)
			for i := range m.points {
				m.points[i].X, m.points[i].Y = 40*rnd.NormFloat64(), 40*rnd.NormFloat64()
			}
			for b.Loop() {
				if err := m.gradient(1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
