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
