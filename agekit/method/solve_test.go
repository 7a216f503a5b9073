package method

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/internal/testutil"
)

// TestSolve compares the solution of AX = B, for random positive definite matrices A, with gonum's
// Cholesky solution, to 1e-12 of its largest entry, for numbers of rows around that of a block.
// A singular matrix is an error.
func TestSolve(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	random := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, m)
		return m
	}
	for _, n := range []int{1, 5, solveBlock - 1, solveBlock, solveBlock + 1, 2*solveBlock + 2, 200} {
		columns := n/2 + 1 // of B
		half, right := random(n, n+3), random(n, columns)
		var a mat.SymDense // half·halfᵗ + I, which is positive definite
		a.SymOuterK(1, half)
		for i := range n {
			a.SetSym(i, i, a.At(i, i)+1)
		}
		matrix, b := newSystem(n, n), newSystem(n, columns)
		for i := range n {
			for j := range i + 1 { // solve must not need the upper triangle
				matrix.Row(i)[j] = a.At(i, j)
			}
			copy(b.Row(i), right.RawRowView(i))
		}
		var c mat.Cholesky
		if !c.Factorize(&a) {
			t.Fatal("not positive definite")
		}
		var want, difference mat.Dense
		testutil.NoError(t, c.SolveTo(&want, right))
		testutil.NoError(t, solve(t.Context(), matrix, b))
		got := mat.NewDense(n, columns, nil)
		for i := range n {
			got.SetRow(i, b.Row(i)[:columns])
		}
		difference.Sub(got, &want)
		if worst := maxAbs(&difference); !(worst <= 1e-12*maxAbs(&want)) {
			t.Errorf("n = %d: solution off by %.3g of %.3g", n, worst, maxAbs(&want))
		}
	}
	singular := newSystem(2, 2) // of ones
	for i := range 2 {
		copy(singular.Row(i), []float64{1, 1})
	}
	testutil.Fails(t, solve(t.Context(), singular, newSystem(2, 2)), "row 1 of 2: pivot 0")
}
