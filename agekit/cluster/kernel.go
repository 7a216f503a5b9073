package cluster

import (
	"context"
	"fmt"

	"github.com/agekit/age/internal/parallel"
)

// lanes is the width of the narrow products below: 8 float64 are one cache
// line. Every block of vectors in this package has a multiple of lanes
// columns.
const lanes = 8

// padded returns n rounded up to a multiple of lanes.
func padded(n int) int { return (n + lanes - 1) / lanes * lanes }

// matrix is a row-major dense matrix of either precision. Sums over its
// entries are float64 in both: with float32 sums the leading eigenvectors
// would lose the digits that the eigenvalues' small gaps need.
type matrix[T float32 | float64] struct {
	rows, cols, stride int
	data               []T
}

func newMatrix(rows, cols int) matrix[float64] {
	return matrix[float64]{rows, cols, cols, make([]float64, rows*cols)}
}

func (m matrix[T]) row(i int) []T { return m.data[i*m.stride : i*m.stride+m.cols] }

// slice returns the part of m with rows [r0, r1) and columns [c0, c1), which
// shares m's storage.
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
	eachTile(a.rows, a.cols, func(r0, r1, c0, c1 int) {
		for c := 0; c < x.cols; c += lanes {
			mulPanel(dst.slice(r0, r1, c, c+lanes), a.slice(r0, r1, c0, c1), x.slice(c0, c1, c, c+lanes))
		}
	})
}

// mulTransAdd adds aᵀ·x to dst, where x and dst have a multiple of lanes
// columns.
func mulTransAdd[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	if dst.rows != a.cols || a.rows != x.rows || dst.cols != x.cols || x.cols%lanes != 0 {
		panic(fmt.Sprintf("cluster: product of %d×%d, transposed, and %d×%d into %d×%d", a.rows, a.cols, x.rows, x.cols, dst.rows, dst.cols))
	}
	eachTile(a.rows, a.cols, func(r0, r1, c0, c1 int) {
		for c := 0; c < x.cols; c += lanes {
			mulTransPanel(dst.slice(c0, c1, c, c+lanes), a.slice(r0, r1, c0, c1), x.slice(r0, r1, c, c+lanes))
		}
	})
}

// eachTile calls f on tiles of a matrix that stay in a core's cache while the
// panels pass over them: 256 columns, because a panel of as many rows takes
// 16 KB, half of the L1 cache.
func eachTile(rows, cols int, f func(r0, r1, c0, c1 int)) {
	for r := 0; r < rows; r += 64 {
		for c := 0; c < cols; c += 256 {
			f(r, min(rows, r+64), c, min(cols, c+256))
		}
	}
}

// mul sets dst = a·x, on all cores.
func mul[T float32 | float64](ctx context.Context, dst matrix[float64], a matrix[T], x matrix[float64]) error {
	return parallel.BlocksContext(ctx, a.rows, rowGrain(a.rows), func(lo, hi int) {
		part := dst.slice(lo, hi, 0, dst.cols)
		for i := range part.rows {
			clear(part.row(i))
		}
		mulAdd(part, a.slice(lo, hi, 0, a.cols), x)
	})
}

// mulTrans returns aᵀ·x, on all cores. Each range of rows has a sum of its
// own and these are added in order, so that the result does not depend on the
// number of cores.
func mulTrans[T float32 | float64](ctx context.Context, a matrix[T], x matrix[float64]) (matrix[float64], error) {
	grain := max(256, (a.rows+15)/16) // few sums, which one core adds up
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

// sumInOrder adds matrices up, into the first.
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

// rowGrain is the number of rows a core takes at a time: at most 32 ranges,
// because some callers keep a sum for each.
func rowGrain(rows int) int { return max(128, (rows+31)/32) }

// mulPanelGo adds a·x to dst, both lanes columns wide.
func mulPanelGo[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	for i := range a.rows {
		d := (*[lanes]float64)(dst.data[i*dst.stride:])
		s0, s1, s2, s3, s4, s5, s6, s7 := d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]
		for j, v := range a.row(i) {
			f, y := float64(v), (*[lanes]float64)(x.data[j*x.stride:])
			s0 += f * y[0]
			s1 += f * y[1]
			s2 += f * y[2]
			s3 += f * y[3]
			s4 += f * y[4]
			s5 += f * y[5]
			s6 += f * y[6]
			s7 += f * y[7]
		}
		*d = [lanes]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// mulTransPanelGo adds aᵀ·x to dst, both lanes columns wide.
func mulTransPanelGo[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	for i := range a.rows {
		y := (*[lanes]float64)(x.data[i*x.stride:])
		for j, v := range a.row(i) {
			f, d := float64(v), (*[lanes]float64)(dst.data[j*dst.stride:])
			d[0] += f * y[0]
			d[1] += f * y[1]
			d[2] += f * y[2]
			d[3] += f * y[3]
			d[4] += f * y[4]
			d[5] += f * y[5]
			d[6] += f * y[6]
			d[7] += f * y[7]
		}
	}
}
