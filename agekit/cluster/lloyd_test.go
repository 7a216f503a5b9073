package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainLloyd runs Lloyd's algorithm by its definition, with every distance
// computed from differences, until no label changes.
func plainLloyd(x, centers matrix[float64]) (labels []int, iterations int) {
	labels = make([]int, x.rows)
	for changed := true; changed; iterations++ {
		changed = iterations == 0
		counts, sums := make([]float64, centers.rows), newMatrix(centers.rows, x.cols)
		for i := range labels {
			nearest, least := 0, math.Inf(1)
			for c := range centers.rows {
				d := 0.0
				for j, v := range x.row(i) {
					d += (v - centers.row(c)[j]) * (v - centers.row(c)[j])
				}
				if d < least {
					nearest, least = c, d
				}
			}
			changed = changed || labels[i] != nearest
			labels[i] = nearest
			counts[nearest]++
			for j, v := range x.row(i) {
				sums.row(nearest)[j] += v
			}
		}
		for c, n := range counts {
			for j, s := range sums.row(c) {
				centers.row(c)[j] = s / n
			}
		}
	}
	return labels, iterations
}

// TestBoundsAgainstPlainLloyd: with bounds, an iteration gives every row the
// label that its distances to all centers give it. The points are in clusters
// that overlap, so that labels change for many iterations.
func TestBoundsAgainstPlainLloyd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, size := range []struct{ n, d, k int }{{200, 1, 4}, {300, 2, 9}, {1000, 17, 17}, {5000, 5, 12}, {17000, 3, 6}} {
		means := randomMatrix[float64](rnd, size.k, size.d, size.d)
		x := randomMatrix[float64](rnd, size.n, size.d, size.d+3)
		for i := range x.rows {
			for j, m := range means.row(rnd.IntN(size.k)) {
				x.row(i)[j] = x.row(i)[j] + 0.8*m + 3
			}
		}
		norms := make([]float64, x.rows)
		for i := range norms {
			norms[i] = squaredNorm(x.row(i))
		}
		l := newLloyd(x, norms, size.k)
		if err := l.start(t.Context(), drawStart(size.n, size.k, rnd)); err != nil {
			t.Fatal(err)
		}
		want, iterations := plainLloyd(x, l.centersAsRows())
		if err := l.iterate(t.Context(), 1000, 0); err != nil {
			t.Fatal(err)
		}
		if iterations < 3 {
			t.Fatalf("%v: plain Lloyd ends after %d iterations, too few for a comparison", size, iterations)
		}
		if !slices.Equal(l.labels, want) || l.iterations != iterations {
			t.Errorf("%v: the labels after %d iterations are not those of %d plain ones", size, l.iterations, iterations)
		}
	}
}
