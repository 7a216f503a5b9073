package eigen

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestRestarts runs with the smallest basis on a cycle of n nodes.
// Its eigenvalues 2cos(2πj/n) are close together at the upper end, and come in
// pairs.
func TestRestarts(t *testing.T) {
	const n, k = 200, 5
	m := scaled{New(n, func(_ context.Context, dst, x blas64.General) error {
		to, from := dense.Matrix[float64](dst), dense.Matrix[float64](x)
		for i := range n {
			before, after := from.Row((i+n-1)%n), from.Row((i+1)%n)
			for c := range to.Row(i) {
				to.Row(i)[c] = before[c] + after[c]
			}
		}
		return nil
	}), 2}
	values, vectors, err := blockLanczos(t.Context(), m, k, 0, simd.PanelWidth, dense.WholePanels(k)+4*simd.PanelWidth, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range values {
		if want := math.Cos(2 * math.Pi * float64((c+1)/2) / n); math.Abs(v-want) > 1e-12 {
			t.Errorf("eigenvalue %d is %.15f, want %.15f", c, v, want)
		}
	}
	image := dense.NewMatrix[float64](n, vectors.Cols)
	if err := m.mul(t.Context(), image, vectors); err != nil {
		t.Fatal(err)
	}
	products, err := dense.MulTrans(t.Context(), vectors, vectors)
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

// TestLargestBound stops early: the residual must bound the distance to the
// nearest eigenvalue, and Steps must say where the iteration stopped.
func TestLargestBound(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(9, 1))
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, rnd.NormFloat64())
		}
	}
	op := New(n, func(_ context.Context, dst, x blas64.General) error {
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
