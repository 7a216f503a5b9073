package graph_test

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSideBySide: each row holds both rows, in the form that its entries ask for.
func TestSideBySide(t *testing.T) {
	dense := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{1, 0, -2, 3}}
	right := graph.FromEntries(2, 3, []graph.Entry{{Row: 1, Col: 2, Value: 5}})
	got := graph.SideBySide(graph.Features{Dense: &dense}, graph.Features{Sparse: right})
	want := blas32.General{Rows: 2, Cols: 5, Stride: 5, Data: []float32{1, 0, 0, 0, 0, -2, 3, 0, 0, 5}}
	if !slices.Equal(got.ToDense().Data, want.Data) || got.Dense == nil {
		t.Errorf("%v, want %v", got.ToDense().Data, want.Data)
	}
	if none := graph.SideBySide(graph.Features{Sparse: right}, graph.Features{Sparse: right}); none.Sparse == nil || none.NNZ() != 2 {
		t.Errorf("two sparse matrices became %v", none.ToDense().Data)
	}
}
