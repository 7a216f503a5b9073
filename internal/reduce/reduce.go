// Package reduce replaces many features by fewer columns that keep most of the distances
// between the nodes, for methods whose time grows with the number of columns.
package reduce

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/rows"
)

// Columns returns XV, n×to, where the orthonormal columns of V span about the leading right
// singular vectors of X (Halko, Martinsson and Tropp, SIAM Review 53(2), 2011, with one
// power iteration): distances between rows of XV are those of X, but for what the other
// directions add. If X has no more columns than that, it returns X. It returns an error when ctx is done.
func Columns(ctx context.Context, x graph.Features, to int, rnd *rand.Rand) (graph.Features, error) {
	_, f := x.Dims()
	if f <= to {
		return x, nil
	}
	v := dense.NewMatrix[float64](f, dense.WholePanels(to))
	for j := range f {
		for c := range to {
			v.Row(j)[c] = rnd.NormFloat64()
		}
	}
	y, err := times(ctx, x, v)
	if err != nil {
		return x, err
	}
	z, err := transposedTimes(ctx, x, y)
	if err != nil {
		return x, err
	}
	basis := z.Slice(0, f, 0, to)
	dense.Orthonormalize(basis)
	dense.CopyRows(v.Slice(0, f, 0, to), basis)
	if y, err = times(ctx, x, v); err != nil {
		return x, err
	}
	out := dense.New(y.Rows, to)
	for i := range y.Rows {
		for c, v := range y.Row(i)[:to] {
			out.Data[i*out.Stride+c] = float32(v)
		}
	}
	return graph.Features{Dense: &out}, nil
}

// times returns X·v.
func times(ctx context.Context, x graph.Features, v dense.Matrix[float64]) (dense.Matrix[float64], error) {
	n, _ := x.Dims()
	y := dense.NewMatrix[float64](n, v.Cols)
	if x.Dense != nil {
		return y, dense.Mul(ctx, y, dense.From32(*x.Dense), v)
	}
	err := parallel.BlocksContext(ctx, n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, w := range x.Sparse.Each(i) {
				blas64.Axpy(float64(w), blas64.Vector{N: v.Cols, Data: v.Row(int(j)), Inc: 1}, blas64.Vector{N: v.Cols, Data: y.Row(i), Inc: 1})
			}
		}
	})
	return y, err
}

// transposedTimes returns Xᵀ·y.
func transposedTimes(ctx context.Context, x graph.Features, y dense.Matrix[float64]) (dense.Matrix[float64], error) {
	if x.Dense == nil {
		return times(ctx, graph.Features{Sparse: x.Sparse.Transpose()}, y)
	}
	return dense.MulTrans(ctx, dense.From32(*x.Dense), y)
}

// Rows is [Columns] for rows that are computed when they are asked for, in two passes.
func Rows(ctx context.Context, x rows.Source, to int, rnd *rand.Rand) (blas32.General, error) {
	n, d := x.Dims()
	to = min(to, d)
	width := dense.WholePanels(to)
	v := dense.NewMatrix[float64](d, width)
	for j := range d {
		for c := range to {
			v.Row(j)[c] = rnd.NormFloat64()
		}
	}
	y := func(block blas32.General) dense.Matrix[float64] { // XV
		part := dense.NewMatrix[float64](block.Rows, width)
		dense.MulAdd(part, dense.From32(block), v)
		return part
	}
	z, err := dense.SumOfRanges(ctx, n, rows.WholeBlocks(dense.Grain(n)), d, width, func(sum dense.Matrix[float64], lo, hi int) {
		rows.Each(x, lo, hi, func(_ int, block blas32.General) { dense.MulTransAdd(sum, dense.From32(block), y(block)) })
	})
	if err != nil {
		return blas32.General{}, err
	}
	basis := z.Slice(0, d, 0, to)
	dense.Orthonormalize(basis)
	dense.CopyRows(v.Slice(0, d, 0, to), basis)
	out := dense.New(n, to)
	return out, rows.Pass(ctx, x, func(at int, block blas32.General) {
		part := y(block)
		for i := range part.Rows {
			for c, v := range part.Row(i)[:to] {
				out.Data[(at+i)*out.Stride+c] = float32(v)
			}
		}
	})
}
