package method

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// TestViews compares the value of the map of two views, and the gradient with respect to W, with dense
// products in float64, to 1e-5. The filters are not symmetric, and each view lacks about half of the
// features.
func TestViews(t *testing.T) {
	g := planted(t, 130)
	x := unitSums(g.Features)
	const d = 70
	rnd := rand.New(rand.NewPCG(1, 1))
	l, n := views{x: x}, g.N()
	w, y := randomMatrix(x.f, d, 1, rnd), randomMatrix(2*n, d, 1, rnd) // W, and a gradient of the value
	wantY, wantW := mat.NewDense(2*n, d, nil), mat.NewDense(x.f, d, nil)
	for k := range 2 {
		filter, kept := *withDiagonal(g.Adjacency), make([]float32, x.f)
		filter.Values = make([]float32, filter.NNZ())
		for p := range filter.Values {
			filter.Values[p] = rnd.Float32()
		}
		mask := mat.NewDiagDense(x.f, nil)
		for j := range kept {
			kept[j] = float32(rnd.IntN(2))
			mask.SetDiag(j, float64(kept[j]))
		}
		l.filters, l.masks = append(l.filters, &filter), append(l.masks, kept)
		var view, gradient mat.Dense // FX·diag(m), and the view's part of the gradient
		view.Product(linalg.Float64(filter.Dense()), linalg.Float64(graph.Features{Sparse: x.Sparse}.ToDense()), mask)
		wantY.Slice(k*n, (k+1)*n, 0, d).(*mat.Dense).Mul(&view, linalg.Float64(w))
		gradient.Mul(view.T(), linalg.Float64(linalg.RowRange(y, k*n, n)))
		wantW.Add(wantW, &gradient)
	}
	wantMatrix(t, "views", l.mul(w), wantY, 1e-5)
	got := randomMatrix(x.f, d, 1, rnd) // which mulT has to overwrite
	l.mulT(got, y)
	wantMatrix(t, "gradient", got, wantW, 1e-5)
}
