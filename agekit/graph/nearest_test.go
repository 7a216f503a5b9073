package graph

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestNearestEdges compares the edges to the two nearest of four points on a line, nearest first, with
// those found by hand: from the points themselves, which are not their own neighbors, and from another
// point.
func TestNearestEdges(t *testing.T) {
	line := blas32.General{Rows: 4, Cols: 1, Stride: 1, Data: []float32{0, 1, 3, 7}}
	others := blas32.General{Rows: 1, Cols: 1, Stride: 1, Data: []float32{6}}
	const k = 2
	for _, test := range []struct {
		what    string
		queries blas32.General
		u, v    []int32
	}{
		{"points of the line", line, []int32{0, 0, 1, 1, 2, 2, 3, 3}, []int32{1, 2, 0, 2, 1, 0, 2, 1}},
		{"another point", others, []int32{0, 0}, []int32{3, 2}},
	} {
		found, err := NearestEdges(t.Context(), test.queries, line, k)
		if err != nil || !slices.Equal(found.U, test.u) || !slices.Equal(found.V, test.v) || found.Tied != 0 {
			t.Errorf("%s: %v, error %v, want from %v to %v", test.what, found, err, test.u, test.v)
		}
	}
}
