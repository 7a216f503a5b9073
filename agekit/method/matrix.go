package method

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Rows of products are divided among the cores. Each row is computed by one
// core, so the number of cores does not change a bit of the result.

// mulSparse sets dst = a·b. It reads and writes whole tiles of columns, so the rows of b and dst must
// be padded, as [linalg.New] makes them.
func mulSparse(dst blas32.General, a *graph.CSR, b blas32.General) {
	linalg.Parallel(a.Rows, 256, func(lo, hi int) {
		for c := range simd.Tiles(b.Cols) {
			column := c * simd.TileWidth // the tile's first
			simd.CSRTile(dst.Data[column:], dst.Stride, a.Indptr, a.Indices, a.Values, b.Data[column:], b.Stride, lo, hi)
		}
	})
}

// mulDense sets dst = a·b.
func mulDense(dst, a, b blas32.General) {
	eachBand(dst, func(lo, hi, column int) { denseTile(dst, a, b, lo, hi, column) })
}

// mulTransposed sets dst = aᵗ·b.
func mulTransposed(dst, a, b blas32.General) {
	eachBand(dst, func(lo, hi, column int) { transposedTile(dst, a, b, lo, hi, column) })
}

// gram sets dst = aᵗa. It computes the upper triangle and copies it to the lower one.
func gram(dst, a blas32.General) {
	eachBand(dst, func(lo, hi, column int) {
		if lo < column+simd.TileWidth { // the band reaches above the diagonal
			transposedTile(dst, a, a, lo, hi, column)
		}
	})
	for i := range dst.Rows {
		for j := range i {
			dst.Data[i*dst.Stride+j] = dst.Data[j*dst.Stride+i]
		}
	}
}

// eachBand divides dst into pieces of at most bandHeight rows and one tile of columns, and calls f on
// all cores with the rows lo to hi of each piece and the tile's first column. It goes through all bands
// of one tile before the next, so that the other factor's tile stays in the cache. A band copies that tile
// once: with 32 rows, that was 29 % of the products' time in a profile of CoCo. 96 are whole blocks of
// 1, 2, 3, 4 or 6 rows.
func eachBand(dst blas32.General, f func(lo, hi, column int)) {
	const bandHeight = 96
	bands := (dst.Rows + bandHeight - 1) / bandHeight
	linalg.Parallel(simd.Tiles(dst.Cols)*bands, 1, func(k, _ int) {
		tile, band := k/bands, k%bands
		lo := band * bandHeight
		f(lo, min(dst.Rows, lo+bandHeight), tile*simd.TileWidth)
	})
}

// denseTile sets rows lo to hi of dst = a·b in the tile that begins at column.
func denseTile(dst, a, b blas32.General, lo, hi, column int) {
	simd.DenseTile(dst.Data[column:], dst.Stride, a.Data, a.Stride, a.Cols, b.Data[column:], b.Stride, lo, hi)
}

// transposedTile sets rows lo to hi of dst = aᵗ·b in the tile that begins at column.
func transposedTile(dst, a, b blas32.General, lo, hi, column int) {
	for i := lo; i < hi; i++ {
		clear(dst.Data[i*dst.Stride+column:][:simd.TileWidth])
	}
	simd.AddTransposedTile(dst.Data[column:], dst.Stride, a.Data, a.Stride, a.Rows, b.Data[column:], b.Stride, lo, hi)
}

// transposed returns mᵗ, a new matrix.
func transposed(m blas32.General) blas32.General {
	t := linalg.New(m.Cols, m.Rows)
	linalg.Parallel(m.Cols, 16, func(lo, hi int) {
		for i := range m.Rows {
			for j := lo; j < hi; j++ {
				t.Data[j*t.Stride+i] = m.Data[i*m.Stride+j]
			}
		}
	})
	return t
}

// series returns Σₚ weights[p]·matrixᵖ·x for a sparse matrix, with the power p from 0. It overwrites x.
func series(ctx context.Context, matrix *graph.CSR, x blas32.General, weights []float64) (blas32.General, error) {
	sum, next := linalg.New(x.Rows, x.Cols), linalg.New(x.Rows, x.Cols)
	for power, weight := range weights {
		if err := ctx.Err(); err != nil {
			return sum, fmt.Errorf("smoothing %d of %d times: %w", power, len(weights)-1, err)
		}
		if power > 0 {
			mulSparse(next, matrix, x)
			x, next = next, x
		}
		eachRow(x, func(r []float32, i int) { simd.Axpy(float32(weight), r, linalg.Row(sum, i)) })
	}
	return sum, nil
}

// gramOperator returns products with an affinity of Z whose diagonal is zᵢ·zᵢ: with ZZᵗ for s =
// cluster.Gram(z), or |ZZᵗ| for cluster.GramAbs(z). An affinity's own products leave the diagonal
// out, so it is added here.
func gramOperator(s cluster.Affinity, z blas32.General) linalg.Operator {
	squares := make([]float64, z.Rows)
	for i := range squares {
		for _, v := range linalg.Row(z, i) {
			squares[i] += float64(v) * float64(v)
		}
	}
	return linalg.NewOperator(z.Rows, func(ctx context.Context, dst, x blas64.General) error {
		if err := s.MulTo(ctx, dst, x); err != nil {
			return err
		}
		for i, square := range squares {
			floats.AddScaled(dst.Data[i*dst.Stride:][:dst.Cols], square, x.Data[i*x.Stride:][:x.Cols])
		}
		return nil
	})
}

// rounded returns m in float32, with padded rows.
func rounded(m blas64.General) blas32.General {
	out := linalg.New(m.Rows, m.Cols)
	for i := range m.Rows {
		for c, v := range m.Data[i*m.Stride:][:m.Cols] {
			out.Data[i*out.Stride+c] = float32(v)
		}
	}
	return out
}

// inner returns Σᵢⱼ aᵢⱼ·bᵢⱼ for matrices of the same size.
func inner(a, b blas32.General) float64 {
	var sum float64
	for i := range a.Rows {
		for k, v := range linalg.Row(a, i) {
			sum += float64(v) * float64(b.Data[i*b.Stride+k])
		}
	}
	return sum
}

// drawMatrix returns a matrix whose numbers draw returns one by one, row by row.
func drawMatrix(rows, cols int, draw func() float64) blas32.General {
	m := linalg.New(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = float32(draw())
		}
	}
	return m
}

// normal returns a matrix of standard normal numbers.
func normal(rows, cols int, rnd *rand.Rand) blas32.General {
	return drawMatrix(rows, cols, rnd.NormFloat64)
}

// uniform returns a matrix of numbers drawn uniformly from ±bound.
func uniform(rows, cols int, bound float64, rnd *rand.Rand) blas32.General {
	return drawMatrix(rows, cols, func() float64 { return (2*rnd.Float64() - 1) * bound })
}

// glorot returns an inputs×outputs matrix of initial weights, drawn uniformly from ±√(6/(inputs+outputs)) (Glorot and
// Bengio 2010).
func glorot(inputs, outputs int, rnd *rand.Rand) blas32.General {
	return uniform(inputs, outputs, math.Sqrt(6/float64(inputs+outputs)), rnd)
}
