package agekit

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/laplacian"
)

// TestHistogramsAgree: figure.BinValues and laplacian.Histogram count the same values in each
// bin, although values at the edges ½ and 1 come with rounding errors. The values at ½ are
// counted in the bin above ½.
func TestHistogramsAgree(t *testing.T) {
	values := []float64{0, -1e-15, 0.5, 0.5 - 3e-15, 0.5 + 3e-15, 1, 1 - 4e-15, 1 + 4e-15, 1.48}
	if !testing.Short() {
		values = append(values, eigenvalues(t)...)
	}
	for _, bins := range []int{4, 40, 50, 100} {
		drawn, counted := figure.BinValues(values, bins, 0, 2).Counts, laplacian.Histogram(values, bins, 0, 2)
		for b := range counted {
			if drawn[b] != float64(counted[b]) {
				t.Errorf("%d bins: the figure has %v in bin %d, the table %d", bins, drawn[b], b, counted[b])
			}
		}
		below := 0.0 // of [0, 2], the first quarter of the bins is below ½
		for _, count := range drawn[:bins/4] {
			below += count
		}
		want := count(values, func(v float64) bool { return v < 0.5-1e-9 })
		if bins%4 == 0 && int(below) != want { // ½ is an edge
			t.Errorf("%d bins: %v values below ½, want %d: those at ½ belong to its right", bins, below, want)
		}
	}
}

// count returns the number of values that keep accepts.
func count(values []float64, keep func(float64) bool) (n int) {
	for _, v := range values {
		if keep(v) {
			n++
		}
	}
	return n
}

// TestSpectrum: the complete graph has the eigenvalues 0, 1, 1, 1, 1, computed as well as read
// from the store, and LambdaMax finds 1.
func TestSpectrum(t *testing.T) {
	g := complete(t)
	for range 2 { // computed, then read from the store
		var values []float64
		printed(t, func() { values = Must(Eigenvalues(g)) })
		if len(values) != 5 {
			t.Fatalf("eigenvalues %v", values)
		}
		for i, want := range []float64{0, 1, 1, 1, 1} {
			if math.Abs(values[i]-want) > 1e-12 {
				t.Errorf("eigenvalues %v, want 0, 1, 1, 1, 1", values)
			}
		}
	}
	if lambda, err := LambdaMax(g); err != nil || math.Abs(lambda-1) > 1e-12 {
		t.Errorf("λmax %v, %v", lambda, err)
	}
}

// eigenvalues returns all eigenvalues of Cora. It skips the test in short mode.
func eigenvalues(t *testing.T) []float64 {
	t.Helper()
	if testing.Short() {
		t.Skip("all eigenvalues take seconds")
	}
	return must(Eigenvalues(cora()))
}
