package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestLeading: the five leading eigenvalues of a random matrix, with eigenvalues of both signs, are those
// of gonum's dense solution, to 1e-7 of the largest. The eigenvectors have length 1 and residuals as
// small.
func TestLeading(t *testing.T) {
	for _, n := range []int{30, 400} { // solved as a dense matrix, and by iteration
		for _, scale := range []float64{1e-9, 1, 1e9} {
			rnd := rand.New(rand.NewPCG(uint64(n), 1))
			full := mat.NewSymDense(n, nil)
			for i := range n {
				for j := i; j < n; j++ {
					full.SetSym(i, j, scale*(rnd.Float64()-0.3))
				}
			}
			m := NewOperator(n, func(_ context.Context, dst, x blas64.General) error {
				block, y := mat.NewDense(x.Rows, x.Cols, nil), mat.NewDense(x.Rows, x.Cols, nil)
				for i := range x.Rows {
					block.SetRow(i, x.Data[i*x.Stride:][:x.Cols])
				}
				y.Mul(full, block)
				for i := range dst.Rows {
					copy(dst.Data[i*dst.Stride:][:dst.Cols], y.RawRowView(i))
				}
				return nil
			})
			values, vectors, err := LeadingEigenvectors(t.Context(), m, 5, LeadingOptions{}, rnd)
			if err != nil {
				t.Fatal(err)
			}
			var e mat.EigenSym
			e.Factorize(full, true)
			want := e.Values(nil)
			for k := range 5 {
				if math.Abs(values[k]-want[n-1-k]) > 1e-7*values[0] {
					t.Errorf("n %d, scale %g: eigenvalue %d is %v, want %v", n, scale, k, values[k], want[n-1-k])
				}
				u, mu := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
				for i := range n {
					u.SetVec(i, vectors.Data[i*vectors.Stride+k])
				}
				mu.MulVec(full, u)
				mu.AddScaledVec(mu, -values[k], u)
				if r := mat.Norm(mu, 2); r > 1e-7*values[0] || math.Abs(mat.Norm(u, 2)-1) > 1e-9 {
					t.Errorf("n %d, scale %g: eigenvector %d has length %v and residual %v", n, scale, k, mat.Norm(u, 2), r)
				}
			}
		}
	}
}
