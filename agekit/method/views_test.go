package method

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// TestViews: the map and its transpose match dense products, to 1e-5, also for
// filters that are not symmetric.
func TestViews(t *testing.T) {
	g := planted(t, 130, false)
	x := unitSums(g.Features)
	const d = 70
	rnd := rand.New(rand.NewPCG(1, 1))
	l, n := views{x: x}, g.N()
	w, y := randomMatrix(x.f, d, 1, rnd), randomMatrix(2*n, d, 1, rnd)
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
		var whole, part mat.Dense // FXm
		whole.Product(linalg.Float64(filter.Dense()), linalg.Float64(graph.Features{Sparse: x.Sparse}.ToDense()), mask)
		wantY.Slice(k*n, (k+1)*n, 0, d).(*mat.Dense).Mul(&whole, linalg.Float64(w))
		part.Mul(whole.T(), linalg.Float64(linalg.RowRange(y, k*n, n)))
		wantW.Add(wantW, &part)
	}
	wantMatrix(t, "views", l.mul(w), wantY, 1e-5)
	got := randomMatrix(x.f, d, 1, rnd)
	l.mulT(got, y)
	wantMatrix(t, "gradient", got, wantW, 1e-5)
}
