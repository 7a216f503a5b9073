package cluster_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestShifted: the inner products are (1 + those of the rows)/2, to 1e-6, and rows
// without negative entries stay as they are unless asked for.
func TestShifted(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	z := blas32.General{Rows: 7, Cols: 5, Stride: 8, Data: make([]float32, 7*8)}
	for k := range z.Data {
		z.Data[k] = float32(rnd.NormFloat64())
	}
	gram := func(z blas32.General) []float32 {
		g := blas32.General{Rows: z.Rows, Cols: z.Rows, Stride: z.Rows, Data: make([]float32, z.Rows*z.Rows)}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, z, z, 0, g)
		return g.Data
	}
	want := gram(z)
	for k, got := range gram(cluster.NonNegative(z)) {
		if math.Abs(float64(got-(1+want[k])/2)) > 1e-6 {
			t.Errorf("entry %d: %v, want %v", k, got, (1+want[k])/2)
		}
	}
	for k, v := range z.Data {
		z.Data[k] = max(v, -v)
	}
	if got := cluster.NonNegative(z); got.Cols != z.Cols || &got.Data[0] != &z.Data[0] {
		t.Error("rows without a negative entry were changed")
	}
}
