package graph_test

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSideBySide compares two matrices side by side with the result by hand: each row has the entries
// of both rows. The result is dense if a quarter of its entries are not 0, and otherwise sparse.
func TestSideBySide(t *testing.T) {
	dense := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{1, 0, -2, 3}}
	sparse := graph.FromEntries(2, 3, []graph.Entry{{Row: 1, Col: 2, Value: 5}})
	got := graph.SideBySide(graph.Features{Dense: &dense}, graph.Features{Sparse: sparse})
	want := []float32{
		1, 0, 0, 0, 0,
		-2, 3, 0, 0, 5,
	}
	if !slices.Equal(got.ToDense().Data, want) || got.Dense == nil {
		t.Errorf("%v, want the dense %v", got.ToDense().Data, want)
	}
	twice := graph.SideBySide(graph.Features{Sparse: sparse}, graph.Features{Sparse: sparse})
	if twice.Sparse == nil || twice.NNZ() != 2 {
		t.Errorf("two sparse matrices became %v", twice.ToDense().Data)
	}
}
