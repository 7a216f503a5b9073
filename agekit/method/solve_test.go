package method

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/internal/testutil"
)

// TestSolve compares with gonum's Cholesky solution, to 1e-12 of its largest
// entry, for sizes around that of a block.
func TestSolve(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 5, 63, 64, 65, 130, 200} {
		half := mat.NewDense(n, n+3, nil)
		right := mat.NewDense(n, n/2+1, nil)
		for _, m := range []*mat.Dense{half, right} {
			r, c := m.Dims()
			for i := range r {
				for j := range c {
					m.Set(i, j, rnd.NormFloat64())
				}
			}
		}
		var a mat.SymDense
		a.SymOuterK(1, half)
		for i := range n {
			a.SetSym(i, i, a.At(i, i)+1)
		}
		matrix, b := newSystem(n, n), newSystem(n, n/2+1)
		for i := range n {
			for j := range i + 1 { // the upper triangle is not read
				matrix.Data[i*matrix.Stride+j] = a.At(i, j)
			}
			copy(b.Data[i*b.Stride:], right.RawRowView(i))
		}
		var c mat.Cholesky
		if !c.Factorize(&a) {
			t.Fatal("not positive definite")
		}
		var want, difference mat.Dense
		testutil.NoError(t, c.SolveTo(&want, right))
		testutil.NoError(t, solve(t.Context(), matrix, b))
		got := mat.NewDense(n, n/2+1, nil)
		for i := range n {
			got.SetRow(i, b.Data[i*b.Stride:][:n/2+1])
		}
		difference.Sub(got, &want)
		if worst := maxAbs(&difference); !(worst <= 1e-12*maxAbs(&want)) {
			t.Errorf("n = %d: solution off by %.3g of %.3g", n, worst, maxAbs(&want))
		}
	}
	singular := newSystem(2, 2)
	for i := range 4 {
		singular.Data[i/2*singular.Stride+i%2] = 1
	}
	testutil.Fails(t, solve(t.Context(), singular, newSystem(2, 2)), "row 1 of 2: pivot 0")
}
