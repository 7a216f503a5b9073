package laplacian

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/simd"
)

// tile smooths the features of a graph, a few columns at a time, where all columns would take too much
// memory. All cores work on one tile. Each takes a range of rows, and computes these rows of H anew in
// each layer. The results have the same bytes as those of [Filter.Smooth].
type tile struct {
	filter Filter
	op     *Operator
	x      graph.Features
	unit   float64 // X is divided by it
	width  int     // number of columns ([TileWidth])
	// rows and next have n rows of width columns each, before and after a layer, and room that the kernels
	// may read beyond the last row.
	rows, next []float32
	// parts has matrices of some rows of H, to reuse. It is a pointer because the runtime keeps each pool,
	// and all memory that the pool is a part of, until the second garbage collection: the tile's memory
	// would be free too late.
	parts *sync.Pool
}

// NarrowTile returns the bytes of the narrowest tile of n nodes: two buffers of 16 columns
// of float32.
func NarrowTile(n int) int64 { return 2 * 4 * simd.NarrowWidth * int64(n) }

// TileWidth returns the width of a tile of n nodes: 16, 32 or 64 columns, as many as the wanted
// columns need and the memory, in bytes, has room for, but at least 16. (48 are slower: their
// rows begin within a cache line.)
func TileWidth(n, columns int, memory int64) int {
	width := simd.TileWidth
	for width > simd.NarrowWidth && (width/2 >= columns || memory < NarrowTile(n)*int64(width/simd.NarrowWidth)) {
		width /= 2
	}
	return width
}

// EachTile computes the columns [from, end) of Hᵗ(X/unit), some at a time: as many as [TileWidth] gives for
// memory, in bytes. For each tile, it calls do with the number of the first column and the columns, which
// are valid during the call. It returns an error of do, if ctx is done, or for a number beyond the
// largest float32, which can occur with k > 2/λmax.
func (f Filter) EachTile(ctx context.Context, op *Operator, x graph.Features, unit float64, from, end int, memory int64, do func(from int, columns blas32.General) error) error {
	return f.eachTile(ctx, op, x, unit, from, end, memory, func(from int, columns blas32.General) error {
		if err := f.checkRange(columns, from); err != nil {
			return err
		}
		return do(from, columns)
	})
}

// eachTile is EachTile without the check for numbers beyond the largest float32.
func (f Filter) eachTile(ctx context.Context, op *Operator, x graph.Features, unit float64, from, end int, memory int64, do func(from int, columns blas32.General) error) error {
	t := f.newTile(op, x, unit, end-from, memory)
	for ; from < end; from += t.width {
		columns, err := t.smooth(ctx, from, min(t.width, end-from))
		if err == nil {
			err = do(from, columns)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newTile returns a tile for Hᵗ(X/unit), as wide as [TileWidth] says for the wanted columns and the memory.
func (f Filter) newTile(op *Operator, x graph.Features, unit float64, columns int, memory int64) *tile {
	n := len(op.scale)
	t := &tile{filter: f, op: op, x: x, unit: unit, width: TileWidth(n, columns, memory)}
	t.parts = &sync.Pool{New: func() any { return new(graph.CSR) }}
	for _, buffer := range []*[]float32{&t.rows, &t.next} {
		*buffer = make([]float32, n*t.width+simd.TileWidth)
		mapped.LargePages(*buffer)
	}
	return t
}

// tileRows is the number of rows that a core multiplies at a time: these rows of H stay in its cache.
const tileRows = 1024

// smooth returns `width` columns of Hᵗ(X/unit), from the given one on. They are in the tile's memory, which
// the next call overwrites.
func (t *tile) smooth(ctx context.Context, from, width int) (blas32.General, error) {
	n := len(t.op.scale)
	linalg.Parallel(n, tileRows, func(lo, hi int) { load(t.rows[lo*t.width:], t.width, t.x, t.unit, from, width, lo, hi) })
	for range t.filter.Layers {
		if err := linalg.ParallelContext(ctx, n, tileRows, t.multiply); err != nil {
			return blas32.General{}, fmt.Errorf("smoothing features %d to %d: %w", from, from+width, err)
		}
		t.rows, t.next = t.next, t.rows
	}
	return blas32.General{Rows: n, Cols: width, Stride: t.width, Data: t.rows}, nil
}

// multiply sets rows lo to hi−1 of t.next to those of H times t.rows.
func (t *tile) multiply(lo, hi int) {
	h := t.parts.Get().(*graph.CSR)
	defer t.parts.Put(h)
	t.op.filterRows(h, t.filter.K, lo, hi)
	dst := t.next[lo*t.width:]
	if t.width == simd.TileWidth {
		simd.CSRTile(dst, t.width, h.Indptr, h.Indices, h.Values, t.rows, t.width, 0, hi-lo)
		return
	}
	for c := 0; c < t.width; c += simd.NarrowWidth {
		simd.CSRNarrow(dst[c:], t.width, h.Indptr, h.Indices, h.Values, t.rows[c:], t.width, 0, hi-lo)
	}
}

// load copies the columns [from, from+width) of rows [lo, hi) of x, divided by the unit, to the first rows of
// tile, which are a stride apart, and sets the other columns of these rows to 0. It divides in float64,
// because 1/unit can exceed the largest float32, and subnormal features would lose digits.
func load(tile []float32, stride int, x graph.Features, unit float64, from, width, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := tile[(i-lo)*stride:][:stride]
		clear(row)
		if x.Dense != nil {
			copy(row[:width], x.Dense.Data[i*x.Dense.Stride+from:])
		} else {
			columns, values := x.Sparse.Row(i)
			p, _ := slices.BinarySearch(columns, int32(from))
			for ; p < len(columns) && int(columns[p]) < from+width; p++ {
				v := float32(1)
				if values != nil {
					v = values[p]
				}
				row[int(columns[p])-from] = v
			}
		}
		if unit != 1 {
			for k, v := range row {
				row[k] = float32(float64(v) / unit)
			}
		}
	}
}

// checkRange returns an error that names a number of the smoothed features that is beyond the largest
// float32, if there is one. from is the number of the feature in the first column.
func (f Filter) checkRange(smoothed blas32.General, from int) error {
	for i := range smoothed.Rows {
		for c, v := range smoothed.Data[i*smoothed.Stride:][:smoothed.Cols] {
			if !(math.Abs(float64(v)) <= math.MaxFloat32) {
				return fmt.Errorf("smoothed features: node %d, feature %d: beyond the largest float32: want smaller features, or k of at most 2/λmax instead of %v with %d layers",
					i, from+c, f.K, f.Layers)
			}
		}
	}
	return nil
}
