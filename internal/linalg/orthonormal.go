package linalg

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Orthonormalize replaces the columns of m, which has at least as many rows, by an
// orthonormal basis of their span, by QR decomposition. (mat.QR would form a square Q.)
func Orthonormalize(m Matrix[float64]) {
	a := blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
	tau, size := make([]float64, m.Cols), []float64{0} // of the reflections; and what a step needs as work space
	for _, step := range []func(a blas64.General, tau, work []float64, lwork int){lapack64.Geqrf, lapack64.Orgqr} {
		step(a, tau, size, -1) // only sets size
		work := make([]float64, int(size[0]))
		step(a, tau, work, len(work))
	}
}
