package views

// This part replaces many features by fewer columns that keep most of the distances
// between the nodes, for methods whose time grows with the number of columns.

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// ReduceColumns returns the n×dims matrix XV. The columns of V are orthonormal and span about the same
// space as the dims leading right singular vectors of X (Halko, Martinsson and Tropp, SIAM Review
// 53(2), 2011, with one power iteration). So the distances between the rows of XV are those between the
// rows of X, but for what the other directions add. If X has dims columns or fewer, ReduceColumns
// returns X. It returns an error when ctx is done.
func ReduceColumns(ctx context.Context, x graph.Features, dims int, rnd *rand.Rand) (graph.Features, error) {
	_, f := x.Dims()
	if f <= dims {
		return x, nil
	}
	v := linalg.NewMatrix[float64](f, linalg.WholePanels(dims)) // first random directions Ω
	for j := range f {
		for c := range dims {
			v.Row(j)[c] = rnd.NormFloat64()
		}
	}
	y, err := times(ctx, x, v) // XΩ
	if err != nil {
		return x, err
	}
	z, err := transposedTimes(ctx, x, y) // XᵀXΩ, in which the leading directions are larger
	if err != nil {
		return x, err
	}
	basis := z.Slice(0, f, 0, dims)
	linalg.Orthonormalize(basis)
	linalg.CopyRows(v.Slice(0, f, 0, dims), basis) // now V
	if y, err = times(ctx, x, v); err != nil {     // XV
		return x, err
	}
	out := linalg.New(y.Rows, dims)
	for i := range y.Rows {
		for c, v := range y.Row(i)[:dims] {
			out.Data[i*out.Stride+c] = float32(v)
		}
	}
	return graph.Features{Dense: &out}, nil
}

// times returns X·v.
func times(ctx context.Context, x graph.Features, v linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	n, _ := x.Dims()
	y := linalg.NewMatrix[float64](n, v.Cols)
	if x.Dense != nil {
		return y, linalg.Mul(ctx, y, linalg.From32(*x.Dense), v)
	}
	const rowsPerCall = 64 // enough that a call costs little beside its work
	err := linalg.ParallelContext(ctx, n, rowsPerCall, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, w := range x.Sparse.Each(i) {
				blas64.Axpy(float64(w), blas64.Vector{N: v.Cols, Data: v.Row(int(j)), Inc: 1}, blas64.Vector{N: v.Cols, Data: y.Row(i), Inc: 1})
			}
		}
	})
	return y, err
}

// transposedTimes returns Xᵀ·y.
func transposedTimes(ctx context.Context, x graph.Features, y linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	if x.Dense == nil {
		return times(ctx, graph.Features{Sparse: x.Sparse.Transpose()}, y)
	}
	return linalg.MulTrans(ctx, linalg.From32(*x.Dense), y)
}

// ReduceRows is [ReduceColumns] for a matrix x whose rows are computed, block by block, each time that
// they are asked for: it passes over them twice. The result has dims columns, or as many as x if
// these are fewer.
func ReduceRows(ctx context.Context, x linalg.Source, dims int, rnd *rand.Rand) (blas32.General, error) {
	n, d := x.Dims()
	dims = min(dims, d)
	width := linalg.WholePanels(dims)
	v := linalg.NewMatrix[float64](d, width) // first random directions Ω, then V
	for j := range d {
		for c := range dims {
			v.Row(j)[c] = rnd.NormFloat64()
		}
	}
	timesV := func(block blas32.General) linalg.Matrix[float64] { // the block's rows of x, times v
		product := linalg.NewMatrix[float64](block.Rows, width)
		linalg.MulAdd(product, linalg.From32(block), v)
		return product
	}
	// The first pass sums XᵀXΩ over the blocks.
	z, err := linalg.SumOfRanges(ctx, n, linalg.WholeBlocks(linalg.RowGrain(n)), d, width, func(sum linalg.Matrix[float64], lo, hi int) {
		linalg.EachBlock(x, lo, hi, func(_ int, block blas32.General) { linalg.MulTransAdd(sum, linalg.From32(block), timesV(block)) })
	})
	if err != nil {
		return blas32.General{}, err
	}
	basis := z.Slice(0, d, 0, dims)
	linalg.Orthonormalize(basis)
	linalg.CopyRows(v.Slice(0, d, 0, dims), basis)
	// The second pass computes XV.
	out := linalg.New(n, dims)
	return out, linalg.EachBlockParallel(ctx, x, func(start int, block blas32.General) {
		product := timesV(block)
		for i := range product.Rows {
			for c, v := range product.Row(i)[:dims] {
				out.Data[(start+i)*out.Stride+c] = float32(v)
			}
		}
	})
}
