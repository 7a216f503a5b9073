package spectrum

import (
	"fmt"
	"math"
	"slices"
)

// edgeTolerance is the distance from a bin's edge, as a fraction of the
// histogram's range, within which a value counts as lying on the edge.
// Laplacians of graphs have many eigenvalues at exactly 0 and 1, and rounding
// should not put them on both sides of an edge.
const edgeTolerance = 1e-9

// Histogram counts values in equal bins over [lo, hi]. A bin contains its
// lower edge and not its upper one, except for the last bin, which contains
// both. A value within 10⁻⁹·(hi − lo) of an edge counts as lying on it, even
// just outside the range. Values farther out are not counted.
//
// It panics unless bins > 0 and lo < hi.
func Histogram(values []float64, bins int, lo, hi float64) []int {
	counts := make([]int, bins)
	for _, v := range values {
		if b := bin(v, bins, lo, hi); b >= 0 {
			counts[b]++
		}
	}
	return counts
}

// bin returns the bin of value v, or −1 outside the range.
func bin(v float64, bins int, lo, hi float64) int {
	if bins <= 0 || !(lo < hi) {
		panic(fmt.Sprintf("spectrum: %d bins over [%v, %v]", bins, lo, hi))
	}
	at := (v - lo) / (hi - lo)
	if !(at >= -edgeTolerance && at <= 1+edgeTolerance) {
		return -1
	}
	return min(int((max(0, at)+edgeTolerance)*float64(bins)), bins-1)
}

// Quantiles returns the p-quantile of values for each p in [0, 1], with linear
// interpolation between the two nearest order statistics, as numpy does: p = 0
// is the smallest value, p = 1 the largest. It panics if there are no values
// or p is out of range.
func Quantiles(values []float64, p ...float64) []float64 {
	if len(values) == 0 {
		panic("spectrum: quantiles of no values")
	}
	sorted := slices.Sorted(slices.Values(values))
	result := make([]float64, len(p))
	for i, share := range p {
		if !(share >= 0 && share <= 1) {
			panic(fmt.Sprintf("spectrum: quantile %v, want 0 to 1", share))
		}
		below, fraction := math.Modf(share * float64(len(sorted)-1))
		at := int(below)
		result[i] = sorted[at]
		if fraction > 0 {
			result[i] += fraction * (sorted[at+1] - sorted[at])
		}
	}
	return result
}
