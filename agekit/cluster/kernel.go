package cluster

import (
	"context"
	"fmt"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// lanes is the width of the narrow products below. Every block of vectors in
// this package has a multiple of lanes columns.
const lanes = simd.PanelWidth

// padded returns n rounded up to a multiple of lanes.
func padded(n int) int { return (n + lanes - 1) / lanes * lanes }

// matrix is a row-major dense matrix of either precision. Sums over its entries
// are float64 for both: with float32 sums, the leading eigenvectors would lose
// digits that the small gaps between eigenvalues require.
type matrix[T float32 | float64] struct {
	rows, cols, stride int
	data               []T
}

func newMatrix(rows, cols int) matrix[float64] {
	return matrix[float64]{rows, cols, cols, make([]float64, rows*cols)}
}

func (m matrix[T]) row(i int) []T { return m.data[i*m.stride : i*m.stride+m.cols] }

// slice returns rows [r0, r1) and columns [c0, c1) of m, sharing m's storage.
func (m matrix[T]) slice(r0, r1, c0, c1 int) matrix[T] {
	s := matrix[T]{rows: r1 - r0, cols: c1 - c0, stride: m.stride}
	if s.rows > 0 && s.cols > 0 {
		s.data = m.data[r0*m.stride+c0 : (r1-1)*m.stride+c1]
	}
	return s
}

// mulAdd adds a·x to dst, where x and dst have a multiple of lanes columns.
func mulAdd[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	if dst.rows != a.rows || a.cols != x.rows || dst.cols != x.cols || x.cols%lanes != 0 {
		panic(fmt.Sprintf("cluster: product of %d×%d and %d×%d into %d×%d", a.rows, a.cols, x.rows, x.cols, dst.rows, dst.cols))
	}
	eachTile(a, func(tile matrix[float64], r, c int) {
		for p := 0; p < x.cols; p += lanes {
			simd.MulPanel(dst.data[r*dst.stride+p:], dst.stride, tile.data, tile.stride, tile.rows, tile.cols, x.data[c*x.stride+p:], x.stride)
		}
	})
}

// mulTransAdd adds aᵀ·x to dst, where x and dst have a multiple of lanes
// columns.
func mulTransAdd[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	if dst.rows != a.cols || a.rows != x.rows || dst.cols != x.cols || x.cols%lanes != 0 {
		panic(fmt.Sprintf("cluster: product of %d×%d, transposed, and %d×%d into %d×%d", a.rows, a.cols, x.rows, x.cols, dst.rows, dst.cols))
	}
	eachTile(a, func(tile matrix[float64], r, c int) {
		for p := 0; p < x.cols; p += lanes {
			simd.MulTransPanel(dst.data[c*dst.stride+p:], dst.stride, tile.data, tile.stride, tile.rows, tile.cols, x.data[r*x.stride+p:], x.stride)
		}
	})
}

// A tile of 16 KB stays in a core's L1 cache while the panels pass over it.
const tileRows, tileCols = 32, 64

// eachTile calls f on tiles of a, with each tile's first row and column. It
// converts float32 tiles to float64 once for all panels, because Intel CPUs
// convert in the same units that multiply.
func eachTile[T float32 | float64](a matrix[T], f func(tile matrix[float64], r, c int)) {
	var wide []float64
	for r := 0; r < a.rows; r += tileRows {
		for c := 0; c < a.cols; c += tileCols {
			part := a.slice(r, min(a.rows, r+tileRows), c, min(a.cols, c+tileCols))
			switch part := any(part).(type) {
			case matrix[float64]:
				f(part, r, c)
			case matrix[float32]:
				if wide == nil {
					wide = make([]float64, min(a.rows, tileRows)*min(a.cols, tileCols))
				}
				tile := matrix[float64]{part.rows, part.cols, part.cols, wide}
				simd.Widen(tile.data, tile.stride, part.data, part.stride, part.rows, part.cols)
				f(tile, r, c)
			}
		}
	}
}

// mul sets dst = a·x, using all cores.
func mul[T float32 | float64](ctx context.Context, dst matrix[float64], a matrix[T], x matrix[float64]) error {
	return parallel.BlocksContext(ctx, a.rows, rowGrain(a.rows), func(lo, hi int) {
		part := dst.slice(lo, hi, 0, dst.cols)
		for i := range part.rows {
			clear(part.row(i))
		}
		mulAdd(part, a.slice(lo, hi, 0, a.cols), x)
	})
}

// mulTrans returns aᵀ·x, using all cores. Each range of rows has its own sum,
// and the sums are added in order, so that the result does not depend on the
// number of cores.
func mulTrans[T float32 | float64](ctx context.Context, a matrix[T], x matrix[float64]) (matrix[float64], error) {
	grain := max(256, (a.rows+15)/16) // few sums, because one core adds them up
	parts := make([]matrix[float64], (a.rows+grain-1)/grain)
	err := parallel.BlocksContext(ctx, a.rows, grain, func(lo, hi int) {
		part := newMatrix(a.cols, x.cols)
		mulTransAdd(part, a.slice(lo, hi, 0, a.cols), x.slice(lo, hi, 0, x.cols))
		parts[lo/grain] = part
	})
	if err != nil || len(parts) == 0 {
		return newMatrix(a.cols, x.cols), err
	}
	return sumInOrder(parts), nil
}

// sumInOrder adds the matrices to the first one and returns it.
func sumInOrder(parts []matrix[float64]) matrix[float64] {
	sum := parts[0].data
	parallel.Blocks(len(sum), 1<<14, func(lo, hi int) {
		to := sum[lo:hi]
		for _, part := range parts[1:] {
			for i, v := range part.data[lo:hi] {
				to[i] += v
			}
		}
	})
	return parts[0]
}

// rowGrain is the number of rows that a core takes at a time. It makes at most
// 32 ranges, because some callers keep one sum per range.
func rowGrain(rows int) int { return max(128, (rows+31)/32) }
