package baseline

import (
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/blas/blas32"
)

// views is the first layer of a network on several versions of a graph: the linear map
// of weights W to the matrices
//
//	FₖX(mₖ∘W),
//
// one below the other. The filter Fₖ is the version's own, and a feature is
// missing where mₖ is 0. The host computes it, because X and F are sparse. As
// trainer.layers[w], its value at W is what graph code gets as the weight W.
type views struct {
	x       features
	filters []*graph.CSR
	kept    [][]float32 // m; nil: ones
}

func (l views) mul(w blas32.General) blas32.General {
	n := l.x.n
	xw, y := dense.New(n, w.Cols), dense.New(len(l.filters)*n, w.Cols)
	for k, filter := range l.filters {
		l.x.mul(xw, l.masked(k, w))
		mulSparse(dense.Rows(y, k*n, n), filter, xw)
	}
	return y
}

// mulT sets dst to the gradient with respect to W, given that with respect to the value.
func (l views) mulT(dst, g blas32.General) {
	n := l.x.n
	filtered, part := dense.New(n, g.Cols), dense.New(dst.Rows, dst.Cols)
	clear(dst.Data)
	for k, filter := range l.filters {
		mulSparse(filtered, filter.Transpose(), dense.Rows(g, k*n, n))
		l.x.mulT(part, filtered)
		addScaled(dst, l.masked(k, part), 1)
	}
}

// masked returns mₖ∘W.
func (l views) masked(k int, w blas32.General) blas32.General {
	if l.kept == nil {
		return w
	}
	masked := dense.New(w.Rows, w.Cols)
	eachRow(masked, func(r []float32, j int) {
		if l.kept[k][j] != 0 {
			copy(r, dense.Row(w, j))
		}
	})
	return masked
}
