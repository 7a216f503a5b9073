package linalg

// This part says which bin of a histogram contains a value. All histograms
// of eigenvalues use it, so that two of one spectrum have equal counts.

import "fmt"

// edgeTolerance is the distance from a bin's edge, as a fraction of the
// histogram's range, within which a value counts as lying on the edge.
// Laplacians of graphs have many eigenvalues at exactly 0, ½ and 1, and
// rounding should not put them on both sides of an edge.
const edgeTolerance = 1e-9

// Bin returns the bin of v among n equal bins over [lo, hi]. A bin contains
// its lower edge and not its upper one, except for the last bin, which contains
// both. A value within 10⁻⁹·(hi − lo) of an edge counts as lying on it, even
// just outside the range. Bin returns −1 for values below the range and for
// NaN, and n for values above it.
//
// It panics unless n > 0 and lo < hi.
func Bin(v float64, n int, lo, hi float64) int {
	if n <= 0 || !(lo < hi) {
		panic(fmt.Sprintf("%d bins over [%v, %v]: want at least one bin over an increasing range", n, lo, hi))
	}
	fraction := (v - lo) / (hi - lo)
	switch {
	case !(fraction >= -edgeTolerance): // also for NaN
		return -1
	case fraction > 1+edgeTolerance:
		return n
	}
	return min(int((max(0, fraction)+edgeTolerance)*float64(n)), n-1)
}
