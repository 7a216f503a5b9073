package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// solveBlock is the width of the blocks of a factorization. The blocks of L that
// the narrow products read stay in a core's caches.
const solveBlock = 64

// solve replaces b with A⁻¹B for a symmetric positive definite A, of which it
// reads and overwrites the lower triangle. It factors A = LLᵗ (Cholesky) and
// solves LLᵗX = B by substitution, in blocks and with all cores. The strides of
// both and the number of columns of b are multiples of simd.PanelWidth.
func solve(ctx context.Context, a, b blas64.General) error {
	if err := factor(ctx, a); err != nil {
		return err
	}
	return parallel.BlocksContext(ctx, b.Cols, solveBlock, func(from, to int) {
		columns := blas64.General{Rows: b.Rows, Cols: to - from, Stride: to - from, Data: make([]float64, b.Rows*(to-from))}
		for i := range b.Rows {
			copy(columns.Data[i*columns.Stride:][:columns.Cols], b.Data[i*b.Stride+from:])
		}
		substitute(a, columns)
		for i := range b.Rows {
			copy(b.Data[i*b.Stride+from:][:columns.Cols], columns.Data[i*columns.Stride:])
		}
	})
}

// factor replaces the lower triangle of a with L, but −L in the blocks below
// those on the diagonal: the narrow products add, and L is subtracted only.
func factor(ctx context.Context, a blas64.General) error {
	n, stride := a.Rows, a.Stride
	for at := 0; at < n; at += solveBlock {
		end := min(n, at+solveBlock)
		for j := at; j < end; j++ {
			pivot := a.Data[j*stride+j] - squares(a.Data[j*stride+at:j*stride+j])
			if !(pivot > 0) {
				return fmt.Errorf("row %d of %d: pivot %v: the matrix is not positive definite", j, n, pivot)
			}
			a.Data[j*stride+j] = math.Sqrt(pivot)
			for i := j + 1; i < end; i++ {
				fill(a, i, j, at)
			}
		}
		// The rows below, and their transpose.
		right := make([]float64, (end-at)*stride)
		err := parallel.BlocksContext(ctx, n-end, solveBlock, func(lo, hi int) {
			for i := end + lo; i < end+hi; i++ {
				for j := at; j < end; j++ {
					fill(a, i, j, at)
				}
				for j := at; j < end; j++ {
					right[(j-at)*stride+i] = a.Data[i*stride+j]
					a.Data[i*stride+j] = -a.Data[i*stride+j]
				}
			}
		})
		if err != nil {
			return err
		}
		// What remains of the rows below, up to the diagonal's block.
		err = parallel.BlocksContext(ctx, n-end, solveBlock, func(lo, hi int) {
			lo, hi = end+lo, end+hi
			for c := end; c < hi; c += simd.PanelWidth {
				simd.MulPanel(a.Data[lo*stride+c:], stride, a.Data[lo*stride+at:], stride, hi-lo, end-at, right[c:], stride)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill sets entry (i, j) of L, given the entries from column `at` on to the left
// of it, and L's row j.
func fill(a blas64.General, i, j, at int) {
	row, above := a.Data[i*a.Stride:], a.Data[j*a.Stride:]
	sum := row[j]
	for c := at; c < j; c++ {
		sum -= row[c] * above[c]
	}
	row[j] = sum / above[j]
}

func squares(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// substitute replaces x with the solution of LLᵗX = x, for L as factor leaves it.
func substitute(l, x blas64.General) {
	n := l.Rows
	panels := func(multiply func(column int)) {
		for c := 0; c < x.Cols; c += simd.PanelWidth {
			multiply(c)
		}
	}
	for at := 0; at < n; at += solveBlock {
		end := min(n, at+solveBlock)
		for from := 0; from < at; from += solveBlock {
			panels(func(c int) {
				simd.MulPanel(x.Data[at*x.Stride+c:], x.Stride, l.Data[at*l.Stride+from:], l.Stride, end-at, solveBlock, x.Data[from*x.Stride+c:], x.Stride)
			})
		}
		for i := at; i < end; i++ {
			for j := at; j < i; j++ {
				eliminate(x, i, l.Data[i*l.Stride+j], j)
			}
			divide(x, i, l.Data[i*l.Stride+i])
		}
	}
	for at := (n - 1) / solveBlock * solveBlock; at >= 0; at -= solveBlock {
		end := min(n, at+solveBlock)
		for from := end; from < n; from += solveBlock {
			panels(func(c int) {
				simd.MulTransPanel(x.Data[at*x.Stride+c:], x.Stride, l.Data[from*l.Stride+at:], l.Stride, min(n, from+solveBlock)-from, end-at, x.Data[from*x.Stride+c:], x.Stride)
			})
		}
		for i := end - 1; i >= at; i-- {
			for j := i + 1; j < end; j++ {
				eliminate(x, i, l.Data[j*l.Stride+i], j)
			}
			divide(x, i, l.Data[i*l.Stride+i])
		}
	}
}

// eliminate subtracts a multiple of row j from row i.
func eliminate(x blas64.General, i int, factor float64, j int) {
	to, from := x.Data[i*x.Stride:][:x.Cols], x.Data[j*x.Stride:][:x.Cols]
	for c, v := range from {
		to[c] -= factor * v
	}
}

func divide(x blas64.General, i int, by float64) {
	for c := range x.Data[i*x.Stride:][:x.Cols] {
		x.Data[i*x.Stride+c] /= by
	}
}
