package dense

import (
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

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
