package testutil

import (
	"fmt"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// BenchGraphs measures a stage on the three of the paper's data sets that every
// developer has, as Stage/cora/native and so on. setup returns the function to
// measure; setup itself is not timed.
func BenchGraphs(b *testing.B, setup func(b *testing.B, g *graph.Graph) (run func() error)) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		BenchOne(b, name, "native", func(b *testing.B) func() error { return setup(b, LoadGraph(b, name)) })
	}
}

// BenchSizes measures a stage on inputs of three sizes, as Stage/n=1000/native and so on. setup
// returns the function to measure for the size n; setup itself is not timed.
func BenchSizes(b *testing.B, sizes [3]int, setup func(b *testing.B, n int) (run func() error)) {
	for _, n := range sizes {
		BenchOne(b, fmt.Sprintf("n=%d", n), "native", func(b *testing.B) func() error { return setup(b, n) })
	}
}

// BenchOne measures a stage on one data set or size and one backend, which give the benchmark its
// name, name/backend. It reports allocations. setup returns the function to measure.
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

// ReportFloor adds the metric "floors" to a benchmark: the time of a run as a multiple of a floor.
// The floor is the time that this machine needs at least for the run's float32 multiply-adds, or for
// reading and writing its bytes once, whichever is longer. Count a multiply-add in float64 as two.
// Call ReportFloor before the measurement: it reports at the end of the benchmark, because b.Loop
// forgets what was reported earlier.
func ReportFloor(b *testing.B, multiplyAdds, bytes float64) {
	b.Cleanup(func() {
		mostMultiplyAdds, mostBytes := peaks()
		floor := max(multiplyAdds/mostMultiplyAdds, bytes/mostBytes)
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/floor, "floors")
	})
}

// Nonzero returns the number of values that are not 0.
func Nonzero(values []float32) (count int) {
	for _, v := range values {
		if v != 0 {
			count++
		}
	}
	return count
}
