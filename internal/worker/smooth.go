package worker

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"sync"

	"github.com/dustin/go-humanize"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// Smooth smooths a block of columns of the features of a graph's folder: columns From to To
// of HᵗX, the same bytes as those of [laplacian.Filter.Smooth] at the same SIMD level.
type Smooth struct {
	Folder   string
	From, To int
	Filter   laplacian.Filter // with a number as K
	Unit     float64          // that divides X, a power of two; 0 for 1
	// Memory is what two buffers of a tile of 16, 32, 48 or 64 columns may take. Mapped
	// files do not count, since the system may drop their pages.
	Memory int64
	// Out is the file, n rows of To − From float32 numbers, little endian, and the footer of
	// a task.
	Out string
}

// smoothTask is what decides about the bytes of the file.
type smoothTask struct {
	Task   string  `json:"task"`
	Graph  string  `json:"graph"` // graphfolder.Folder.Sum
	From   int     `json:"from"`
	To     int     `json:"to"`
	K      float64 `json:"k"`
	Layers int     `json:"layers"`
	Unit   float64 `json:"unit"`
	Rows   int     `json:"rows"`
	SIMD   string  `json:"simd"`
}

// Run does the task, and reports whether its file was there already.
func (s Smooth) Run(ctx context.Context) (there bool, err error) {
	if err := s.Filter.Validate(); err != nil {
		return false, err
	}
	f, err := graphfolder.Open(ctx, s.Folder)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if f.Features == nil {
		return false, fmt.Errorf("%s: no features: want a graph that was built with some", s.Folder)
	}
	n, columns := f.Graph.Features.Dims()
	if s.From < 0 || s.From >= s.To || s.To > columns {
		return false, fmt.Errorf("columns %d to %d: want from below to, within 0 to %d", s.From, s.To, columns)
	}
	narrow := int64(2*4*simd.NarrowWidth) * int64(n) // bytes of two buffers
	if s.Memory < narrow {
		return false, fmt.Errorf("memory is %s: want at least %s, for two buffers of %d columns of %d nodes",
			humanize.Bytes(uint64(max(0, s.Memory))), humanize.Bytes(uint64(narrow)), simd.NarrowWidth, n)
	}
	width := min(simd.TileWidth, simd.Padded(s.To-s.From), int(s.Memory/narrow)*simd.NarrowWidth)
	task := smoothTask{Task: "smooth", Graph: f.Sum(), From: s.From, To: s.To, K: s.Filter.K, Layers: s.Filter.Layers, Unit: cmp.Or(s.Unit, 1), Rows: n, SIMD: simd.Level()}
	return write(ctx, s.Out, "", task, func(w io.Writer) error { return s.write(ctx, f, width, w) })
}

// write writes the rows of the block, which it smooths in tiles of a width.
func (s Smooth) write(ctx context.Context, f *graphfolder.Folder, width int, w io.Writer) error {
	t, cols := newTile(f, width, s.Filter.K, cmp.Or(s.Unit, 1)), s.To-s.From
	if cols <= width {
		if err := t.smooth(ctx, s.From, cols, s.Filter); err != nil {
			return err
		}
		return writeRows(ctx, w, t.src, width, cols, f.Nodes)
	}
	// Rows are complete when all tiles are: until then they are in a file.
	whole, err := mapped.NewScratch(filepath.Dir(s.Out), f.Nodes*cols)
	if err != nil {
		return err
	}
	defer whole.Close()
	for from := 0; from < cols; from += width {
		width := min(width, cols-from)
		if err := t.smooth(ctx, s.From+from, width, s.Filter); err != nil {
			return err
		}
		for i := range f.Nodes {
			copy(whole.Numbers[i*cols+from:][:width], t.src[i*t.width:])
		}
	}
	return writeRows(ctx, w, whole.Numbers, cols, cols, f.Nodes)
}

// writeRows writes the first columns of rows that lie stride apart.
func writeRows(ctx context.Context, w io.Writer, numbers []float32, stride, cols, rows int) error {
	for i := range rows {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.Write(mapped.Bytes(numbers[i*stride:][:cols])); err != nil {
			return err
		}
	}
	return nil
}

// tile smooths a few columns of X at a time.
type tile struct {
	*graphfolder.Folder
	op       *laplacian.Operator
	width    int
	k, unit  float64
	src, dst []float32 // n rows of width numbers, and what the kernels may read beyond the last
	filters  sync.Pool // of rows of H
}

// blockRows rows are multiplied at a time: their part of H stays in the cache.
const blockRows = 256

func newTile(f *graphfolder.Folder, width int, k, unit float64) *tile {
	size := f.Nodes*width + simd.TileWidth
	src, dst := make([]float32, size), make([]float32, size)
	mapped.LargePages(src)
	mapped.LargePages(dst)
	return &tile{Folder: f, op: laplacian.WithScale(f.Graph.Adjacency, f.Scale, f.MeanWeight), width: width, k: k, unit: unit, src: src, dst: dst,
		filters: sync.Pool{New: func() any { return &graph.CSR{} }}}
}

// smooth sets src to the columns from on of HᵗX.
func (t *tile) smooth(ctx context.Context, from, width int, filter laplacian.Filter) error {
	t.load(from, width)
	for range filter.Layers {
		if err := parallel.BlocksContext(ctx, t.Nodes, blockRows, t.block); err != nil {
			return fmt.Errorf("smoothing columns %d to %d: %w", from, from+width, err)
		}
		t.src, t.dst = t.dst, t.src
	}
	for i := range t.Nodes {
		for c, v := range t.src[i*t.width:][:width] {
			if !(math.Abs(float64(v)) <= math.MaxFloat32) {
				return fmt.Errorf("smoothed features: node %d, feature %d: beyond the largest float32: want smaller features, or k of at most 2/λmax instead of %v with %d layers", i, from+c, filter.K, filter.Layers)
			}
		}
	}
	return nil
}

// block multiplies the rows lo to hi of H with src.
func (t *tile) block(lo, hi int) {
	h := t.filters.Get().(*graph.CSR)
	defer t.filters.Put(h)
	t.op.FilterRows(h, t.k, lo, hi)
	if t.width == simd.TileWidth {
		simd.CSRTile(t.dst[lo*t.width:], t.width, h.Indptr, h.Indices, h.Values, t.src, t.width, 0, hi-lo)
		return
	}
	for c := 0; c < t.width; c += simd.NarrowWidth {
		simd.CSRNarrow(t.dst[lo*t.width+c:], t.width, h.Indptr, h.Indices, h.Values, t.src[c:], t.width, 0, hi-lo)
	}
}

// load sets src to the columns from on of X/unit, and to 0 beyond them.
func (t *tile) load(from, width int) {
	clear(t.src)
	x := t.Graph.Features
	parallel.Blocks(t.Nodes, blockRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := t.src[i*t.width:][:width]
			if x.Dense != nil {
				copy(row, x.Dense.Data[i*x.Dense.Stride+from:])
			} else {
				for j, v := range x.Sparse.Each(i) {
					if j >= from && j < from+width {
						row[j-from] = v
					}
				}
			}
			if t.unit != 1 {
				for c, v := range row { // in float64, as laplacian does
					row[c] = float32(float64(v) / t.unit)
				}
			}
		}
	})
}
