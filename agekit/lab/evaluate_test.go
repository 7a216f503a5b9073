package lab

import (
	"testing"

	gomlx "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestEvaluate: the sum of a matrix times a vector is that by hand, so the numbers between the
// rows of the matrix, beyond its columns, are left out. Vectors that do not fit are an error.
func TestEvaluate(t *testing.T) {
	x := blas32.General{Rows: 2, Cols: 3, Stride: 5, Data: []float32{1, 2, 3, 100, 100, 4, 5, 6, 100, 100}}
	weighted := func(x, w *gomlx.Node) *gomlx.Node { return gomlx.ReduceAllSum(gomlx.Dot(x, w).Product()) }
	if got := must(Evaluate(weighted, x, []float32{1, 10, 100})); got != 975 {
		t.Errorf("sum is %v, want 5 + 10·7 + 100·9 = 975", got)
	}
	if _, err := Evaluate(weighted, x, []float32{1, 10}); err == nil {
		t.Error("no error for vectors of different lengths")
	}
}
