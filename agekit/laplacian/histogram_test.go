package laplacian_test

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/laplacian"
)

// TestHistogram compares [laplacian.Histogram] with counts by hand, for values at the edges of bins,
// exactly or up to rounding: a bin contains its lower edge, and the last bin both of its edges. Values
// outside are not counted.
func TestHistogram(t *testing.T) {
	// The values in each of the two bins over [0, 1], and those in none.
	first := []float64{-1e-12, 0, 0.1}
	second := []float64{0.5 - 1e-12, 0.5, 0.75, 1 - 1e-12, 1, 1 + 1e-12}
	outside := []float64{-1, 1.1, math.NaN()}
	want := []int{len(first), len(second)}
	if got := laplacian.Histogram(slices.Concat(outside, second, first), 2, 0, 1); !slices.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
	if got := laplacian.Histogram([]float64{-2.5, -2, -1.01, 4}, 3, -2, 1); !slices.Equal(got, []int{2, 0, 0}) {
		t.Errorf("counts %v, want [2 0 0]", got)
	}
}

// TestQuantiles compares [laplacian.Quantiles] with the results of numpy.quantile.
func TestQuantiles(t *testing.T) {
	// numpy.quantile([4, 1, 3, 2], [0, .1, .5, .75, 1])
	got := laplacian.Quantiles([]float64{4, 1, 3, 2}, 0, 0.1, 0.5, 0.75, 1)
	for i, want := range []float64{1, 1.3, 2.5, 3.25, 4} {
		wantNear(t, "quantile", got[i], want, 1e-15)
	}
	wantNear(t, "quantile of one", laplacian.Quantiles([]float64{7}, 0.3)[0], 7, 0)
}
