package baseline

import (
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
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

// drawn returns a matrix of numbers that are drawn row by row.
func drawn(rows, cols int, draw func() float64) blas32.General {
	m := dense.New(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = float32(draw())
		}
	}
	return m
}

// normal returns a matrix of standard normal numbers.
func normal(rows, cols int, rnd *rand.Rand) blas32.General { return drawn(rows, cols, rnd.NormFloat64) }

// uniform returns a matrix of numbers drawn uniformly from ±bound.
func uniform(rows, cols int, bound float64, rnd *rand.Rand) blas32.General {
	return drawn(rows, cols, func() float64 { return (2*rnd.Float64() - 1) * bound })
}

// glorot returns initial weights drawn uniformly from ±√(6/(in+out)) (Glorot and
// Bengio 2010).
func glorot(in, out int, rnd *rand.Rand) blas32.General {
	return uniform(in, out, math.Sqrt(6/float64(in+out)), rnd)
}

// features is X with what products with its transpose need.
type features struct {
	graph.Features
	n, f    int
	sparseT *graph.CSR
	denseT  blas32.General
}

// newFeatures divides X by its unit ([graph.Features.Unit]), because the step sizes
// of the training assume features of about 1.
func newFeatures(x graph.Features) features { return withTranspose(x.DividedBy(x.Unit())) }

func withTranspose(x graph.Features) features {
	n, f := x.Dims()
	if x.Sparse != nil {
		return features{Features: x, n: n, f: f, sparseT: x.Sparse.Transpose()}
	}
	return features{Features: x, n: n, f: f, denseT: transposed(*x.Dense)}
}

// mul sets dst = X·b, and mulT dst = Xᵗ·b.
func (x features) mul(dst, b blas32.General) {
	if x.Sparse != nil {
		mulSparse(dst, x.Sparse, b)
	} else {
		mulDense(dst, *x.Dense, b)
	}
}

func (x features) mulT(dst, b blas32.General) {
	if x.Sparse != nil {
		mulSparse(dst, x.sparseT, b)
	} else {
		mulDense(dst, x.denseT, b)
	}
}
