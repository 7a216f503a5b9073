package method

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/floats"
)

// solveBlock is the width of the blocks of a factorization. The blocks of L that
// the narrow products read stay in a core's caches.
const solveBlock = 64

// matrix64 is a float64 matrix in [newSystem]'s layout, or a part of one.
type matrix64 = linalg.Matrix[float64]

// newSystem returns a zero matrix for solve: its columns are padded, and its rows are
// an odd number of cache lines apart, so that they spread over the cache.
func newSystem(rows, cols int) matrix64 {
	cols = linalg.WholePanels(cols)
	stride := (cols/simd.PanelWidth | 1) * simd.PanelWidth
	return matrix64{Rows: rows, Cols: cols, Stride: stride, Data: make([]float64, rows*stride)}
}

// solve replaces b with A⁻¹B for a symmetric positive definite A, of which it reads and
// overwrites the lower triangle. It factors A = LLᵗ (Cholesky) and solves LLᵗX = B by
// substitution, in blocks and with all cores. (gonum's Cholesky takes several times as
// long for a few thousand rows.)
func solve(ctx context.Context, a, b matrix64) error {
	if err := factor(ctx, a); err != nil {
		return err
	}
	return linalg.ParallelContext(ctx, b.Cols, solveBlock, func(lo, hi int) {
		part, columns := b.Slice(0, b.Rows, lo, hi), linalg.NewMatrix[float64](b.Rows, hi-lo)
		linalg.CopyRows(columns, part)
		substitute(a, columns)
		linalg.CopyRows(part, columns)
	})
}

// factor replaces the lower triangle of a with L, but −L in the blocks below
// those on the diagonal: the narrow products add, and L is subtracted only.
func factor(ctx context.Context, a matrix64) error {
	n := a.Rows
	for start := 0; start < n; start += solveBlock {
		end := min(n, start+solveBlock)
		// The block on the diagonal.
		for j := start; j < end; j++ {
			var squares float64
			for _, v := range a.Row(j)[start:j] {
				squares += v * v
			}
			pivot := a.Row(j)[j] - squares
			if !(pivot > 0) {
				return fmt.Errorf("row %d of %d: pivot %v: the matrix is not positive definite", j, n, pivot)
			}
			a.Row(j)[j] = math.Sqrt(pivot)
			for i := j + 1; i < end; i++ {
				fill(a, i, j, start)
			}
		}
		// The rows below the block, negated, and as they are in the transpose.
		transpose := newSystem(end-start, a.Cols)
		err := linalg.ParallelContext(ctx, n-end, solveBlock, func(lo, hi int) {
			for i := end + lo; i < end+hi; i++ {
				for j := start; j < end; j++ {
					fill(a, i, j, start)
				}
				row := a.Row(i)
				for j := start; j < end; j++ {
					transpose.Row(j - start)[i] = row[j]
					row[j] = -row[j]
				}
			}
		})
		if err != nil {
			return err
		}
		// The product of the two is subtracted from the rest of the rows below, up to the last
		// panel of columns that the band needs.
		err = linalg.ParallelContext(ctx, n-end, solveBlock, func(lo, hi int) {
			lo, hi = end+lo, end+hi
			width := linalg.WholePanels(hi - end)
			linalg.MulAdd(a.Slice(lo, hi, end, end+width), a.Slice(lo, hi, start, end), transpose.Slice(0, end-start, end, end+width))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill sets entry (i, j) of L, given the entries from column start on to the left of it,
// and L's row j.
func fill(a matrix64, i, j, start int) {
	row, above := a.Row(i), a.Row(j)
	sum := row[j]
	for c := start; c < j; c++ {
		sum -= row[c] * above[c]
	}
	row[j] = sum / above[j]
}

// substitute replaces x with the solution of LLᵗX = x, for L as factor leaves it.
func substitute(l, x matrix64) {
	n := l.Rows
	block := func(m matrix64, lo, hi int) matrix64 { return m.Slice(lo, hi, 0, x.Cols) }
	// LY = X, from the top.
	for start := 0; start < n; start += solveBlock {
		end := min(n, start+solveBlock)
		linalg.MulAdd(block(x, start, end), l.Slice(start, end, 0, start), block(x, 0, start))
		for i := start; i < end; i++ {
			for j := start; j < i; j++ {
				floats.AddScaled(x.Row(i), -l.Row(i)[j], x.Row(j))
			}
			divide(x.Row(i), l.Row(i)[i])
		}
	}
	// LᵗX = Y, from the bottom.
	for start := (n - 1) / solveBlock * solveBlock; start >= 0; start -= solveBlock {
		end := min(n, start+solveBlock)
		linalg.MulTransAdd(block(x, start, end), l.Slice(end, n, start, end), block(x, end, n))
		for i := end - 1; i >= start; i-- {
			for j := i + 1; j < end; j++ {
				floats.AddScaled(x.Row(i), -l.Row(j)[i], x.Row(j))
			}
			divide(x.Row(i), l.Row(i)[i])
		}
	}
}

// divide divides a row by a number.
func divide(row []float64, divisor float64) {
	for c := range row {
		row[c] /= divisor
	}
}
