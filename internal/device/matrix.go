package device

import (
	"github.com/agekit/age/internal/parallel"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Floats returns the size of a float32 matrix in bytes.
func Floats(rows, cols int) int64 { return 4 * int64(rows) * int64(cols) }

// Matrix copies a matrix without its padding to a tensor.
func Matrix(a blas32.General) *tensors.Tensor {
	flat := make([]float32, a.Rows*a.Cols)
	parallel.Blocks(a.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(flat[i*a.Cols:(i+1)*a.Cols], a.Data[i*a.Stride:])
		}
	})
	return tensors.FromFlatDataAndDimensions(flat, a.Rows, a.Cols)
}

// CopyRows copies a tensor into a matrix of the same size.
func CopyRows(dst blas32.General, t *tensors.Tensor) error {
	return tensors.ConstFlatData(t, func(flat []float32) {
		parallel.Blocks(dst.Rows, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(dst.Data[i*dst.Stride:], flat[i*dst.Cols:(i+1)*dst.Cols])
			}
		})
	})
}
