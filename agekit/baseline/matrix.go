package baseline

import (
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/units"
	"gonum.org/v1/gonum/blas/blas32"
)

// Rows of products are divided among the cores. Each row is computed by one
// core, so the number of cores does not change a bit of the result.

// mulSparse sets dst = a·b.
func mulSparse(dst blas32.General, a *graph.CSR, b blas32.General) {
	parallel.Blocks(a.Rows, 256, func(lo, hi int) {
		for c := range simd.Tiles(b.Cols) {
			at := c * simd.TileWidth
			simd.CSRTile(dst.Data[at:], dst.Stride, a.Indptr, a.Indices, a.Values, b.Data[at:], b.Stride, lo, hi)
		}
	})
}

// mulDense sets dst = a·b.
func mulDense(dst, a, b blas32.General) {
	eachBand(dst, func(lo, hi, column int) { denseTile(dst, a, b, lo, hi, column) })
}

// gram sets dst = aᵗa. It computes the upper half.
func gram(dst, a blas32.General) {
	t := transposed(a)
	eachBand(dst, func(lo, hi, column int) {
		if lo < column+simd.TileWidth {
			denseTile(dst, t, a, lo, hi, column)
		}
	})
	for i := range dst.Rows {
		for j := range i {
			dst.Data[i*dst.Stride+j] = dst.Data[j*dst.Stride+i]
		}
	}
}

// eachBand calls f for bands of rows lo to hi, one column tile after another,
// so that a tile stays in the cache.
func eachBand(dst blas32.General, f func(lo, hi, column int)) {
	const rows = 32
	bands := (dst.Rows + rows - 1) / rows
	parallel.Blocks(simd.Tiles(dst.Cols)*bands, 1, func(k, _ int) {
		lo := k % bands * rows
		f(lo, min(dst.Rows, lo+rows), k/bands*simd.TileWidth)
	})
}

// denseTile sets rows lo to hi of dst = a·b in the tile that begins at column.
func denseTile(dst, a, b blas32.General, lo, hi, column int) {
	simd.DenseTile(dst.Data[column:], dst.Stride, a.Data, a.Stride, a.Cols, b.Data[column:], b.Stride, lo, hi)
}

// transposed returns mᵗ.
func transposed(m blas32.General) blas32.General {
	t := dense.New(m.Cols, m.Rows)
	parallel.Blocks(m.Cols, 16, func(lo, hi int) {
		for i := range m.Rows {
			for j := lo; j < hi; j++ {
				t.Data[j*t.Stride+i] = m.Data[i*m.Stride+j]
			}
		}
	})
	return t
}

// inner returns Σ aᵢⱼ·bᵢⱼ.
func inner(a, b blas32.General) float64 {
	var sum float64
	for i := range a.Rows {
		for k, v := range dense.Row(a, i) {
			sum += float64(v) * float64(b.Data[i*b.Stride+k])
		}
	}
	return sum
}

// features is X in two layouts, one for products with X and one for products
// with its transpose. X is divided by its unit (units.Of), because
// the step sizes of the training assume features of about 1.
type features struct {
	n, f              int
	sparse, sparseT   *graph.CSR
	dense, transposed blas32.General
}

func newFeatures(x graph.Features) features {
	n, f := x.Dims()
	x = units.Normalized(x)
	if x.Sparse != nil {
		return features{n: n, f: f, sparse: x.Sparse, sparseT: x.Sparse.Transpose()}
	}
	return features{n: n, f: f, dense: *x.Dense, transposed: transposed(*x.Dense)}
}

// mul sets dst = X·b, and mulT dst = Xᵗ·b.
func (x features) mul(dst, b blas32.General) {
	if x.sparse != nil {
		mulSparse(dst, x.sparse, b)
	} else {
		mulDense(dst, x.dense, b)
	}
}

func (x features) mulT(dst, b blas32.General) {
	if x.sparse != nil {
		mulSparse(dst, x.sparseT, b)
	} else {
		mulDense(dst, x.transposed, b)
	}
}

// squares returns Σ xᵢⱼ².
func (x features) squares() float64 {
	var sum float64
	switch {
	case x.sparse == nil:
		for i := range x.n {
			for _, v := range x.dense.Data[i*x.dense.Stride:][:x.f] {
				sum += float64(v) * float64(v)
			}
		}
	case x.sparse.Values == nil:
		sum = float64(x.sparse.NNZ())
	default:
		for _, v := range x.sparse.Values {
			sum += float64(v) * float64(v)
		}
	}
	return sum
}
