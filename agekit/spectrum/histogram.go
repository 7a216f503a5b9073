package spectrum

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/internal/bins"
)

// Histogram counts values in n equal bins over [lo, hi]. A bin contains its
// lower edge and not its upper one, except for the last bin, which contains
// both. A value within 10⁻⁹·(hi − lo) of an edge counts as lying on it, even
// just outside the range. Values farther out are not counted.
//
// It panics unless n > 0 and lo < hi.
func Histogram(values []float64, n int, lo, hi float64) []int {
	counts := make([]int, n)
	for _, v := range values {
		if b := bins.Index(v, n, lo, hi); b >= 0 && b < n {
			counts[b]++
		}
	}
	return counts
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
