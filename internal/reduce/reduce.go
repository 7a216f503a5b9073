// Package reduce replaces many features by fewer columns that keep most of the distances
// between the nodes, for methods whose time grows with the number of columns.
package reduce

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
)

// Columns returns XV, n×to, where the orthonormal columns of V span about the leading right
// singular vectors of X (Halko, Martinsson and Tropp, SIAM Review 53(2), 2011, with one
// power iteration): distances between rows of XV are those of X, but for what the other
// directions add. If X has no more columns than that, it returns X.
func Columns(x graph.Features, to int, rnd *rand.Rand) graph.Features {
	_, f := x.Dims()
	if f <= to {
		return x
	}
	v := dense.New(f, to)
	for p := range v.Data {
		v.Data[p] = float32(rnd.NormFloat64())
	}
	y := times(x, v)
	z := transposedTimes(x, y)
	m := mat.NewDense(f, to, nil)
	for j := range f {
		for c := range to {
			m.Set(j, c, float64(z.Data[j*z.Stride+c]))
		}
	}
	var qr mat.QR
	qr.Factorize(m)
	var q mat.Dense
	qr.QTo(&q)
	for j := range f {
		for c := range to {
			v.Data[j*v.Stride+c] = float32(q.At(j, c))
		}
	}
	out := times(x, v)
	return graph.Features{Dense: &out}
}

// times returns X·v.
func times(x graph.Features, v blas32.General) blas32.General {
	n, _ := x.Dims()
	y := dense.New(n, v.Cols)
	if x.Dense != nil {
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, *x.Dense, v, 0, y)
		return y
	}
	parallel.Blocks(n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.Data[i*y.Stride:][:y.Cols]
			x.EachInRow(i, func(j int, w float32) {
				for c, r := range v.Data[j*v.Stride:][:v.Cols] {
					row[c] += w * r
				}
			})
		}
	})
	return y
}

// transposedTimes returns Xᵀ·y.
func transposedTimes(x graph.Features, y blas32.General) blas32.General {
	if x.Dense == nil {
		return times(graph.Features{Sparse: x.Sparse.Transpose()}, y)
	}
	z := dense.New(x.Dense.Cols, y.Cols)
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, *x.Dense, y, 0, z)
	return z
}
