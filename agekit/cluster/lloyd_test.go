package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// plainLloyd runs Lloyd's algorithm by its definition, with every distance computed from differences, until no
// label changes. It returns the labels and the number of iterations, and moves the centers in place.
func plainLloyd(x, centers linalg.Matrix[float64]) (labels []int, iterations int) {
	labels = make([]int, x.Rows)
	for changed := true; changed; iterations++ {
		changed = iterations == 0
		counts := make([]float64, centers.Rows)
		sums := linalg.NewMatrix[float64](centers.Rows, x.Cols)
		for i := range labels {
			nearest, least := 0, math.Inf(1)
			for c := range centers.Rows {
				d := 0.0
				for j, v := range x.Row(i) {
					d += (v - centers.Row(c)[j]) * (v - centers.Row(c)[j])
				}
				if d < least {
					nearest, least = c, d
				}
			}
			changed = changed || labels[i] != nearest
			labels[i] = nearest
			counts[nearest]++
			for j, v := range x.Row(i) {
				sums.Row(nearest)[j] += v
			}
		}
		for c, n := range counts {
			for j, s := range sums.Row(c) {
				centers.Row(c)[j] = s / n
			}
		}
	}
	return labels, iterations
}

// TestBoundsAgainstPlainLloyd compares a run that skips rows by their bounds with [plainLloyd], which computes
// all distances, from the same centers: the labels and the number of iterations are the same. The
// points are in clusters that overlap, so that labels change for many iterations.
func TestBoundsAgainstPlainLloyd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, size := range []struct{ n, d, k int }{{200, 1, 4}, {300, 2, 9}, {1000, 17, 17}, {5000, 5, 12}, {17000, 3, 6}} {
		means := randomMatrix[float64](rnd, size.k, size.d, size.d)
		x := randomMatrix[float64](rnd, size.n, size.d, size.d+3)
		for i := range x.Rows {
			for j, m := range means.Row(rnd.IntN(size.k)) {
				x.Row(i)[j] += 0.8*m + 3 // 3: distances are small compared with the rows' lengths
			}
		}
		l := newLloyd(x, squaredLengths(x), size.k)
		testutil.NoError(t, l.start(t.Context(), drawStart(size.n, size.k, rnd)))
		want, iterations := plainLloyd(x, l.centersAsRows())
		const noLimit = 1000
		testutil.NoError(t, l.iterate(t.Context(), noLimit, 0))
		if iterations < 3 { // a precondition
			t.Fatalf("%v: plain Lloyd ends after %d iterations, too few for a comparison", size, iterations)
		}
		if !slices.Equal(l.labels, want) || l.iterations != iterations {
			t.Errorf("%v: the labels after %d iterations are not those of %d plain ones", size, l.iterations, iterations)
		}
	}
}
