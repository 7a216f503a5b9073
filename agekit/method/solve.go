package method

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/floats"
)

// solveBlock is the number of rows and columns of a factorization's blocks: so few that the
// blocks of L that a product reads stay in a core's caches.
const solveBlock = 64

// matrix64 is a float64 matrix in [newSystem]'s layout, or a part of one.
type matrix64 = linalg.Matrix[float64]

// newSystem returns a matrix of zeros for [solve], with cols rounded up to whole panels
// ([linalg.WholePanels]). The distance between rows is an odd number of panels, so that the
// entries of a column do not all compete for the same lines of the cache.
func newSystem(rows, cols int) matrix64 {
	cols = linalg.WholePanels(cols)
	oddPanels := cols/simd.PanelWidth | 1
	stride := oddPanels * simd.PanelWidth
	return matrix64{Rows: rows, Cols: cols, Stride: stride, Data: make([]float64, rows*stride)}
}

// solve replaces b with A⁻¹B for a symmetric positive definite matrix A, whose lower triangle
// is in a. It overwrites a with the factors A = LLᵗ (Cholesky) and solves LLᵗX = B by
// substitution, in blocks and with all cores. Both matrices have the layout of [newSystem].
// (gonum's Cholesky takes several times as long for a few thousand rows.)
func solve(ctx context.Context, a, b matrix64) error {
	if err := factor(ctx, a); err != nil {
		return err
	}
	return linalg.ParallelContext(ctx, b.Cols, solveBlock, func(lo, hi int) {
		// A core works on a compact copy of its columns.
		columns, compact := b.Slice(0, b.Rows, lo, hi), linalg.NewMatrix[float64](b.Rows, hi-lo)
		linalg.CopyRows(compact, columns)
		substitute(a, compact)
		linalg.CopyRows(columns, compact)
	})
}

// factor computes the Cholesky factor L of a symmetric positive definite matrix A = LLᵗ,
// given the lower triangle of A in a, which factor overwrites. The blocks on the diagonal
// get L. The entries below these blocks get −L, because all products with them subtract L,
// and [linalg.MulAdd] can only add. factor returns an error if A is not positive definite.
func factor(ctx context.Context, a matrix64) error {
	n := a.Rows
	for start := 0; start < n; start += solveBlock {
		end := min(n, start+solveBlock)
		if err := factorDiagonal(a, start, end); err != nil {
			return err
		}
		// L in the columns start to end of the rows below the block: a gets −L, transpose Lᵗ.
		transpose := newSystem(end-start, a.Cols)
		err := linalg.ParallelContext(ctx, n-end, solveBlock, func(lo, hi int) {
			for i := end + lo; i < end+hi; i++ {
				for j := start; j < end; j++ {
					setEntry(a, i, j, start)
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
		// The product −L·Lᵗ of these columns is added to the lower triangle of what is left of A,
		// for a band of rows at a time: up to the diagonal, and to the end of its panel of columns.
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

// factorDiagonal replaces the lower triangle of the block of rows and columns start to end
// of a with L, column by column. The products of the columns before start have been
// subtracted already.
func factorDiagonal(a matrix64, start, end int) error {
	for j := start; j < end; j++ {
		var squares float64
		for _, v := range a.Row(j)[start:j] {
			squares += v * v
		}
		pivot := a.Row(j)[j] - squares
		if !(pivot > 0) {
			return fmt.Errorf("row %d of %d: pivot %v: the matrix is not positive definite", j, a.Rows, pivot)
		}
		a.Row(j)[j] = math.Sqrt(pivot)
		for i := j + 1; i < end; i++ {
			setEntry(a, i, j, start)
		}
	}
	return nil
}

// setEntry replaces entry (i, j) of a, below the diagonal, with that of L. It reads L's row j
// up to the diagonal and L's row i up to column j, both from column start on: the products
// of the columns before start have been subtracted already.
func setEntry(a matrix64, i, j, start int) {
	row, above := a.Row(i), a.Row(j)
	sum := row[j]
	for c := start; c < j; c++ {
		sum -= row[c] * above[c]
	}
	row[j] = sum / above[j]
}

// substitute replaces the right-hand side B in x with the solution X of LLᵗX = B. In l is L
// as [factor] leaves it: negated outside the blocks on the diagonal.
func substitute(l, x matrix64) {
	n := l.Rows
	rows := func(lo, hi int) matrix64 { return x.Slice(lo, hi, 0, x.Cols) }
	// Y, the solution of LY = B, from the top. It replaces B.
	for start := 0; start < n; start += solveBlock {
		end := min(n, start+solveBlock)
		linalg.MulAdd(rows(start, end), l.Slice(start, end, 0, start), rows(0, start))
		for i := start; i < end; i++ {
			for j := start; j < i; j++ {
				floats.AddScaled(x.Row(i), -l.Row(i)[j], x.Row(j))
			}
			divide(x.Row(i), l.Row(i)[i])
		}
	}
	// X, the solution of LᵗX = Y, from the bottom. It replaces Y.
	lastBlock := (n - 1) / solveBlock * solveBlock
	for start := lastBlock; start >= 0; start -= solveBlock {
		end := min(n, start+solveBlock)
		linalg.MulTransAdd(rows(start, end), l.Slice(end, n, start, end), rows(end, n))
		for i := end - 1; i >= start; i-- {
			for j := i + 1; j < end; j++ {
				floats.AddScaled(x.Row(i), -l.Row(j)[i], x.Row(j))
			}
			divide(x.Row(i), l.Row(i)[i])
		}
	}
}

// divide divides all entries of row, in place.
func divide(row []float64, divisor float64) {
	for c := range row {
		row[c] /= divisor
	}
}
