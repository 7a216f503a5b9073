package agekit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestPeaks: a star with three leaves, a triangle, two isolated pairs and an
// isolated node have eigenvalues 0 (five components), ½ (3 − 1), 1 (3 − 1 and
// two of the pairs) and, for the star, 5/4.
func TestPeaks(t *testing.T) {
	x := blas32.General{Rows: 12, Cols: 1, Stride: 1, Data: slices.Repeat([]float32{1}, 12)}
	g := fromEdges(t, x, nil, [2]int32{0, 1}, [2]int32{0, 2}, [2]int32{0, 3},
		[2]int32{4, 5}, [2]int32{5, 6}, [2]int32{4, 6}, [2]int32{7, 8}, [2]int32{9, 10})
	values := testutil.Value(Eigenvalues(g)).OrFatal(t)
	var rows []string
	for line := range strings.Lines(Peaks(g, values).Text) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"λ eigenvalues explained by nodes groups",
		"0 5 5 connected components 12 5",
		"0.5 2 2 leaves of the same node 3 1",
		"1 4 4 linked twins 7 3",
		"2 of these, isolated pairs 4 2",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

// TestHistogramsAgree: the histograms of one spectrum are the same, whichever
// function counts, although eigenvalues at ½ and 1 come with rounding errors.
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
		below := 0.0
		for _, count := range drawn[:bins/4] {
			below += count
		}
		want := count(values, func(v float64) bool { return v < 0.5-1e-9 })
		if bins%4 == 0 && int(below) != want { // ½ is an edge
			t.Errorf("%d bins: %v values below ½, want %d: those at ½ belong to its right", bins, below, want)
		}
	}
}

func count(values []float64, keep func(float64) bool) (n int) {
	for _, v := range values {
		if keep(v) {
			n++
		}
	}
	return n
}

// TestSpectrum uses the complete graph, which has the eigenvalues 0, 1, 1, 1,
// 1. The density estimate finds both extremes.
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

func eigenvalues(t *testing.T) []float64 {
	t.Helper()
	if testing.Short() {
		t.Skip("all eigenvalues take seconds")
	}
	return must(Eigenvalues(cora()))
}
