package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestRestarts: with the smallest basis, which makes many restarts, the eigenvalues of a cycle of n nodes
// are those of the formula, 2cos(2πj/n), close together at the upper end and in pairs. The
// eigenvectors are orthonormal and have small residuals. Eigenvalues are in units of 2.
func TestRestarts(t *testing.T) {
	const n, k = 200, 5
	m := scaled{NewOperator(n, func(_ context.Context, dst, x blas64.General) error {
		product, from := Matrix[float64](dst), Matrix[float64](x)
		for i := range n {
			before, after := from.Row((i+n-1)%n), from.Row((i+1)%n)
			for c := range product.Row(i) {
				product.Row(i)[c] = before[c] + after[c]
			}
		}
		return nil
	}), 2}
	const block = simd.PanelWidth
	smallest := WholePanels(k) + 4*block // basis vectors
	values, vectors, err := blockLanczos(t.Context(), m, k, 0, block, smallest, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range values {
		j := (c + 1) / 2 // 0, 1, 1, 2, 2: all but the first twice
		if want := math.Cos(2 * math.Pi * float64(j) / n); math.Abs(v-want) > 1e-12 {
			t.Errorf("eigenvalue %d is %.15f, want %.15f", c, v, want)
		}
	}
	image := NewMatrix[float64](n, vectors.Cols)
	if err := m.mul(t.Context(), image, vectors); err != nil {
		t.Fatal(err)
	}
	products, err := MulTrans(t.Context(), vectors, vectors)
	if err != nil {
		t.Fatal(err)
	}
	for c := range k {
		residual := 0.0
		for i := range n {
			residual += math.Pow(image.Row(i)[c]-values[c]*vectors.Row(i)[c], 2)
		}
		if math.Sqrt(residual) > 2*eigenTolerance {
			t.Errorf("eigenvector %d: residual %.2g", c, math.Sqrt(residual))
		}
		for e := range k {
			want := 0.0
			if c == e {
				want = 1
			}
			if math.Abs(products.Row(c)[e]-want) > 1e-12 {
				t.Errorf("eigenvectors %d and %d: product %v, want %v", c, e, products.Row(c)[e], want)
			}
		}
	}
}

// TestCrowded asks for four eigenvectors of a diagonal matrix with two large eigenvalues and all others
// crowded at −1/n, as a similarity of two features has them. The first two eigenvalues are those of
// the diagonal to 1e-12, and the others to 1e-5; all residuals are about crowdedTolerance at most.
// With eigenTolerance for all, 2,000 products would not suffice.
func TestCrowded(t *testing.T) {
	const n = 4000
	rnd := rand.New(rand.NewPCG(1, 2))
	diagonal := []float64{1, 0.5}
	for len(diagonal) < n {
		diagonal = append(diagonal, -(1+math.Pow(rnd.NormFloat64(), 2))/n)
	}
	m := NewOperator(n, func(_ context.Context, dst, x blas64.General) error {
		product, from := Matrix[float64](dst), Matrix[float64](x)
		for i, v := range diagonal {
			for c := range product.Row(i) {
				product.Row(i)[c] = v * from.Row(i)[c]
			}
		}
		return nil
	})
	values, vectors, err := LeadingEigenvectors(t.Context(), m, 4, LeadingOptions{Norm: 1}, rnd)
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range values {
		want, tolerance := -1./n, 1e-5
		if c < 2 {
			want, tolerance = diagonal[c], 1e-12
		}
		residual := 0.
		for i, d := range diagonal {
			residual += math.Pow((d-v)*vectors.Data[i*vectors.Stride+c], 2)
		}
		if math.Abs(v-want) > tolerance || math.Sqrt(residual) > 1.1*crowdedTolerance {
			t.Errorf("eigenvalue %d is %g, want %g; residual %.2g", c, v, want, math.Sqrt(residual))
		}
	}
}

// TestLargestBound: where the iteration for the largest eigenvalue of a random matrix is stopped after a
// few steps, its residual bounds the distance to the nearest eigenvalue of gonum's dense solution, its
// value is not above the largest, and Steps is the number of steps.
func TestLargestBound(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(9, 1))
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, rnd.NormFloat64())
		}
	}
	op := NewOperator(n, func(_ context.Context, dst, x blas64.General) error {
		mat.NewVecDense(n, dst.Data).MulVec(m, mat.NewVecDense(n, x.Data))
		return nil
	})
	var e mat.EigenSym
	e.Factorize(m, false)
	exact := e.Values(nil)
	for _, steps := range []int{1, 2, 5, 10, 20, 40} {
		x, err := largest(t.Context(), op, steps, rnd)
		if err != nil || x.Steps != steps {
			t.Errorf("%d steps, want %d, error %v", x.Steps, steps, err)
		}
		nearest := math.Inf(1)
		for _, v := range exact {
			nearest = min(nearest, math.Abs(v-x.Value))
		}
		if nearest > x.Residual+1e-11 || x.Value > exact[n-1]+1e-11 {
			t.Errorf("%d steps: %v is %g from an eigenvalue, residual %g, λmax %v", steps, x.Value, nearest, x.Residual, exact[n-1])
		}
	}
}
