package linalg

// This part creates float32 matrices in the layout with which this module's
// products are fastest: rows have room for whole tiles of 64 columns, are zero beyond
// the last column, and are an odd number of cache lines apart, so that a tile's rows
// spread over the whole cache.

import (
	"context"
	"fmt"
	"slices"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// New returns a zero matrix in that layout.
func New(rows, cols int) blas32.General {
	m := Shape(rows, cols)
	m.Data = make([]float32, rows*m.Stride)
	return m
}

// Shape returns a matrix in the layout of [New] without its data.
func Shape(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: simd.Tiles(cols)*simd.TileWidth + simd.Lanes}
}

// Narrow returns a matrix without its data whose rows are padded to a multiple of simd.Lanes only.
func Narrow(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: max(simd.Lanes, simd.Padded(cols))}
}

// Row returns row i of m with its zero padding up to a multiple of simd.Lanes.
func Row(m blas32.General, i int) []float32 {
	return m.Data[i*m.Stride : i*m.Stride+simd.Padded(m.Cols)]
}

// RowRange returns count rows of m, beginning with row from. They share m's storage.
func RowRange(m blas32.General, from, count int) blas32.General {
	m.Rows, m.Data = count, m.Data[from*m.Stride:]
	return m
}

// Padded returns a copy of m with zero padding up to a multiple of simd.Lanes columns, or m itself if it
// has such padding.
func Padded(m blas32.General) blas32.General {
	width := simd.Padded(m.Cols)
	clean := m.Stride >= width && len(m.Data) >= (m.Rows-1)*m.Stride+width
	for i := 0; clean && i < m.Rows; i++ {
		clean = !slices.ContainsFunc(m.Data[i*m.Stride+m.Cols:i*m.Stride+width], func(v float32) bool { return v != 0 })
	}
	if clean {
		return m
	}
	p := New(m.Rows, m.Cols)
	CopyRows(From32(p), From32(m))
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

// GramBand computes the inner products of rows [lo, hi) of a with the rows of b from row `from` on, in
// blocks of at most width rows of b. It calls visit for each block, in the order of b's rows, until
// visit returns false. A block has the products with cols rows of b, the first of which is row
// `from`: hi−lo rows of cols numbers. They are in the buffer, which must have room for
// (hi−lo)·width numbers. Both matrices have zero padding and the same stride.
func GramBand(a, b blas32.General, lo, hi, from, width int, buffer []float32, visit func(from, cols int, products []float32) bool) {
	for ; from < b.Rows; from += width {
		cols := min(width, b.Rows-from)
		products := buffer[:(hi-lo)*cols]
		simd.GramBlock(products, a.Data[lo*a.Stride:], b.Data[from*b.Stride:], hi-lo, cols, simd.Padded(a.Cols), a.Stride)
		if !visit(from, cols, products) {
			return
		}
	}
}

// Matrix is a row-major dense matrix of either precision; Matrix[float64] converts to
// blas64.General. Sums over its entries are always float64: with float32 sums, the
// leading eigenvectors would lose digits that small gaps between eigenvalues require.
type Matrix[T float32 | float64] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// NewMatrix returns a matrix of zeros without padding.
func NewMatrix[T float32 | float64](rows, cols int) Matrix[T] {
	return Matrix[T]{rows, cols, make([]T, rows*cols), cols}
}

// From32 returns m, whose fields gonum has in another order.
func From32(m blas32.General) Matrix[float32] {
	return Matrix[float32]{m.Rows, m.Cols, m.Data, m.Stride}
}

// WholePanels returns n columns rounded up to a multiple of simd.PanelWidth, the number of columns that
// [MulAdd] and [MulTransAdd] compute at a time.
func WholePanels(n int) int {
	return (n + simd.PanelWidth - 1) / simd.PanelWidth * simd.PanelWidth
}

// Row returns row i, which shares m's storage.
func (m Matrix[T]) Row(i int) []T { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// Slice returns rows [r0, r1) and columns [c0, c1) of m, which share m's storage.
func (m Matrix[T]) Slice(r0, r1, c0, c1 int) Matrix[T] {
	s := Matrix[T]{Rows: r1 - r0, Cols: c1 - c0, Stride: m.Stride}
	if s.Rows > 0 && s.Cols > 0 {
		s.Data = m.Data[r0*m.Stride+c0 : (r1-1)*m.Stride+c1]
	}
	return s
}

// CopyRows copies the rows of src to dst.
func CopyRows[T float32 | float64](dst, src Matrix[T]) {
	for i := range src.Rows {
		copy(dst.Row(i), src.Row(i))
	}
}

// MulAdd adds a·x to dst, where x and dst have a multiple of simd.PanelWidth columns.
func MulAdd[T float32 | float64](dst Matrix[float64], a Matrix[T], x Matrix[float64]) {
	if dst.Rows != a.Rows || a.Cols != x.Rows || dst.Cols != x.Cols || x.Cols%simd.PanelWidth != 0 {
		panic(fmt.Sprintf("dense: product of %d×%d and %d×%d into %d×%d", a.Rows, a.Cols, x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	eachTile(a, func(tile Matrix[float64], r, c int) {
		for p := 0; p < x.Cols; p += simd.PanelWidth {
			simd.MulPanel(dst.Data[r*dst.Stride+p:], dst.Stride, tile.Data, tile.Stride, tile.Rows, tile.Cols, x.Data[c*x.Stride+p:], x.Stride)
		}
	})
}

// MulTransAdd adds aᵀ·x to dst. Both x and dst have a multiple of simd.PanelWidth columns.
func MulTransAdd[T float32 | float64](dst Matrix[float64], a Matrix[T], x Matrix[float64]) {
	if dst.Rows != a.Cols || a.Rows != x.Rows || dst.Cols != x.Cols || x.Cols%simd.PanelWidth != 0 {
		panic(fmt.Sprintf("dense: product of %d×%d, transposed, and %d×%d into %d×%d", a.Rows, a.Cols, x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	eachTile(a, func(tile Matrix[float64], r, c int) {
		for p := 0; p < x.Cols; p += simd.PanelWidth {
			simd.MulTransPanel(dst.Data[c*dst.Stride+p:], dst.Stride, tile.Data, tile.Stride, tile.Rows, tile.Cols, x.Data[r*x.Stride+p:], x.Stride)
		}
	})
}

// A tile of 16 KB stays in a core's L1 cache while the panels pass over it.
const tileRows, tileCols = 32, 64

// eachTile calls f for each tile of a, with the tile in float64 and its first row r and column c in a. A
// tile of float32 is converted once here rather than by each panel: Intel CPUs convert in the same
// units that multiply.
func eachTile[T float32 | float64](a Matrix[T], f func(tile Matrix[float64], r, c int)) {
	var wide []float64
	for r := 0; r < a.Rows; r += tileRows {
		for c := 0; c < a.Cols; c += tileCols {
			part := a.Slice(r, min(a.Rows, r+tileRows), c, min(a.Cols, c+tileCols))
			switch part := any(part).(type) {
			case Matrix[float64]:
				f(part, r, c)
			case Matrix[float32]:
				if wide == nil {
					wide = make([]float64, min(a.Rows, tileRows)*min(a.Cols, tileCols))
				}
				tile := Matrix[float64]{part.Rows, part.Cols, wide, part.Cols}
				simd.Widen(tile.Data, tile.Stride, part.Data, part.Stride, part.Rows, part.Cols)
				f(tile, r, c)
			}
		}
	}
}

// Mul sets dst = a·x, using all cores.
func Mul[T float32 | float64](ctx context.Context, dst Matrix[float64], a Matrix[T], x Matrix[float64]) error {
	return ParallelContext(ctx, a.Rows, RowGrain(a.Rows), func(lo, hi int) {
		part := dst.Slice(lo, hi, 0, dst.Cols)
		for i := range part.Rows {
			clear(part.Row(i))
		}
		MulAdd(part, a.Slice(lo, hi, 0, a.Cols), x)
	})
}

// MulTrans returns aᵀ·x, using all cores.
func MulTrans[T float32 | float64](ctx context.Context, a Matrix[T], x Matrix[float64]) (Matrix[float64], error) {
	grain := max(256, (a.Rows+15)/16) // few sums, because one core adds them up
	return SumOfRanges(ctx, a.Rows, grain, a.Cols, x.Cols, func(sum Matrix[float64], lo, hi int) {
		MulTransAdd(sum, a.Slice(lo, hi, 0, a.Cols), x.Slice(lo, hi, 0, x.Cols))
	})
}

// SumOfRanges returns the rows×cols matrix that add adds up over the ranges of [0, n) as [Parallel]
// makes them, each of grain indices. Each range has a sum of its own, which is zero at first, and
// these sums are added in order, so that the number of cores does not change the result.
func SumOfRanges(ctx context.Context, n, grain, rows, cols int, add func(sum Matrix[float64], lo, hi int)) (Matrix[float64], error) {
	parts := make([]Matrix[float64], (n+grain-1)/grain)
	err := ParallelContext(ctx, n, grain, func(lo, hi int) {
		part := NewMatrix[float64](rows, cols)
		add(part, lo, hi)
		parts[lo/grain] = part
	})
	if err != nil || len(parts) == 0 {
		return NewMatrix[float64](rows, cols), err
	}
	sum := parts[0].Data
	const grainOfSum = 1 << 14 // numbers, so that a core has work for longer than it takes to begin
	Parallel(len(sum), grainOfSum, func(lo, hi int) {
		total := sum[lo:hi]
		for _, part := range parts[1:] {
			for i, v := range part.Data[lo:hi] {
				total[i] += v
			}
		}
	})
	return parts[0], nil
}

// CheckFinite returns an error that names the first entry of m that is NaN or infinite.
func CheckFinite[T float32 | float64](m Matrix[T]) error {
	return FirstError(m.Rows, RowGrain(m.Rows), func(i int) error {
		for j, v := range m.Row(i) {
			if v-v != 0 { // NaN for NaN and ±∞
				return fmt.Errorf("row %d, column %d: value %v, want a finite number", i, j, v)
			}
		}
		return nil
	})
}

// RowGrain returns the number of rows that a core takes at a time: at least 128, and so many that there
// are at most 32 ranges, because some callers keep one sum per range.
func RowGrain(rows int) int { return max(128, (rows+31)/32) }
