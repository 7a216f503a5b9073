package testgraph

import (
	"fmt"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// Bench measures a stage on the three of the paper's data sets that every
// developer has, as Stage/cora/native and so on. setup returns the function to
// measure; setup itself is not timed.
func Bench(b *testing.B, setup func(b *testing.B, g *graph.Graph) (run func() error)) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		BenchOne(b, name, "native", func(b *testing.B) func() error { return setup(b, Load(b, name)) })
	}
}

// BenchSizes does the same for three sizes, as Stage/n=1000/native.
func BenchSizes(b *testing.B, sizes [3]int, setup func(b *testing.B, n int) (run func() error)) {
	for _, n := range sizes {
		BenchOne(b, fmt.Sprintf("n=%d", n), "native", func(b *testing.B) func() error { return setup(b, n) })
	}
}

// BenchOne measures a stage on one data set or size and one backend, with allocations.
func BenchOne(b *testing.B, name, backend string, setup func(b *testing.B) (run func() error)) {
	b.Run(name+"/"+backend, func(b *testing.B) {
		run := setup(b)
		b.ReportAllocs()
		for b.Loop() {
			if err := run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
