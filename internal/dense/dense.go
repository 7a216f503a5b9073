// Package dense creates float32 matrices in the layout with which this
// module's products are fastest: rows have room for whole tiles of 64 columns,
// are zero beyond the last column, and are an odd number of cache lines apart,
// so that the rows of a tile spread over the whole cache.
package dense

import (
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// New returns a zero matrix.
func New(rows, cols int) blas32.General {
	m := Shape(rows, cols)
	m.Data = make([]float32, rows*m.Stride)
	return m
}

// Shape returns the header of such a matrix, without its data.
func Shape(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: simd.Tiles(cols)*simd.TileWidth + simd.Lanes}
}

// Narrow returns the header of a matrix whose rows are padded to a multiple of
// simd.Lanes only.
func Narrow(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: max(simd.Lanes, simd.Padded(cols))}
}

// Row returns row i of m with its zero padding up to a multiple of simd.Lanes.
func Row(m blas32.General, i int) []float32 {
	return m.Data[i*m.Stride : i*m.Stride+simd.Padded(m.Cols)]
}

// Rows returns count rows of m, which share m's storage.
func Rows(m blas32.General, from, count int) blas32.General {
	m.Rows, m.Data = count, m.Data[from*m.Stride:]
	return m
}

// Padded returns m with zero padding up to a multiple of simd.Lanes columns,
// or m itself if it already has that padding.
func Padded(m blas32.General) blas32.General {
	width := simd.Padded(m.Cols)
	if m.Stride >= width && len(m.Data) >= (m.Rows-1)*m.Stride+width {
		clean := true
		for i := 0; i < m.Rows && clean; i++ {
			for _, v := range m.Data[i*m.Stride+m.Cols : i*m.Stride+width] {
				clean = clean && v == 0
			}
		}
		if clean {
			return m
		}
	}
	p := New(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(p.Data[i*p.Stride:], m.Data[i*m.Stride:i*m.Stride+m.Cols])
	}
	return p
}

// Float64 returns a copy of m, which may have any layout, in float64.
func Float64(m blas32.General) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			d.Set(i, j, float64(v))
		}
	}
	return d
}

// GramBand computes the inner products of rows lo to hi of left with the rows
// of right from a row on, and calls visit with blocks of them from left to
// right, each of at most width columns, until it returns false. A block's
// products are in rows of cols numbers, in the buffer, which must have room for
// hi−lo times width. Both matrices have zero padding and the same stride.
func GramBand(left, right blas32.General, lo, hi, from, width int, buffer []float32, visit func(from, cols int, products []float32) bool) {
	for ; from < right.Rows; from += width {
		cols := min(width, right.Rows-from)
		products := buffer[:(hi-lo)*cols]
		simd.GramBlock(products, left.Data[lo*left.Stride:], right.Data[from*right.Stride:], hi-lo, cols, simd.Padded(left.Cols), left.Stride)
		if !visit(from, cols, products) {
			return
		}
	}
}
