package laplacian

import (
	"context"
	"fmt"
	"math"
	"sort"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// Filter is the smoothing filter Hᵗ = (I − k·L̃sym)ᵗ.
type Filter struct {
	// K is k, a positive number, or [InverseLambdaMax]. The paper's optimum
	// is 1/λmax, and it uses 2/3 on all data sets (§3.3.3, §4.3). There is no
	// default.
	K float64 `json:"k"`
	// Layers is t, the number of times that H is applied; 0 leaves the
	// features as they are.
	Layers int `json:"layers"`
}

// InverseLambdaMax as a filter's K stands for k = 1/λmax, until [Filter.Resolve]
// puts the number in its place.
const InverseLambdaMax = -1

// Resolve returns f with 1/λmax as its K if that is [InverseLambdaMax]. It
// returns an error for a filter that is not valid, and where λmax is 0.
func (f Filter) Resolve(lambdaMax float64) (Filter, error) {
	if f.K == InverseLambdaMax {
		if lambdaMax < 1e-12 {
			return f, fmt.Errorf("k = 1/λmax does not exist: λmax is 0, the graph has no edges; give a positive k")
		}
		f.K = 1 / lambdaMax
	}
	return f, f.Validate()
}

// Validate reports a k or t with which there is no filter.
func (f Filter) Validate() error {
	switch {
	case f.K == 0:
		return fmt.Errorf("k is 0: want a positive number, or laplacian.InverseLambdaMax for 1/λmax (in Go, 2/3 is an integer division: write 2.0/3)")
	case f.K == InverseLambdaMax:
		return fmt.Errorf("k is 1/λmax, which is not known here: call Resolve with λmax first")
	case !(f.K > 0) || math.IsInf(f.K, 1):
		return fmt.Errorf("k is %v: want a positive number, or %d for 1/λmax", f.K, InverseLambdaMax)
	}
	if f.Layers < 0 {
		return fmt.Errorf("layers is %d: want 0 or more", f.Layers)
	}
	return nil
}

// Response returns the frequency response (1 − kλ)ᵗ.
func (f Filter) Response(lambda float64) float64 {
	return math.Pow(1-f.K*lambda, float64(f.Layers))
}

// Smooth returns X̃ = HᵗX, n×f. The matrix's stride is f rounded up to a
// multiple of 16, the padding being zero, which is what the fast products of
// this module want.
//
// It works on 64 columns at a time through all layers, so that a tile stays
// in the cache, and stops with the context's error when that is done.
func (f Filter) Smooth(ctx context.Context, op *Operator, x graph.Features) (blas32.General, error) {
	out := SmoothShape(x)
	out.Data = make([]float32, out.Rows*out.Stride)
	return out, f.SmoothTo(ctx, out, op, x)
}

// SmoothShape returns rows, columns and stride of X̃, without its numbers.
func SmoothShape(x graph.Features) blas32.General {
	n, cols := x.Dims()
	return blas32.General{Rows: n, Cols: cols, Stride: max(simd.Lanes, simd.Padded(cols))}
}

// SmoothTo does what Smooth does into a zero matrix of that shape, which need
// not fit into memory if its numbers are those of a mapped file.
func (f Filter) SmoothTo(ctx context.Context, out blas32.General, op *Operator, x graph.Features) error {
	if err := f.Validate(); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	n, cols := x.Dims()
	if n != len(op.scale) || out.Rows != n || out.Cols != cols {
		panic(fmt.Sprintf("laplacian: %d×%d features of %d nodes smoothed to %d×%d", n, cols, len(op.scale), out.Rows, out.Cols))
	}
	h := op.FilterMatrix(f.K)
	buffers := sync.Pool{New: func() any { return &[2][]float32{make([]float32, n*simd.TileWidth), make([]float32, n*simd.TileWidth)} }}
	parallel.Blocks(simd.Tiles(cols), 1, func(tile, _ int) {
		if ctx.Err() != nil {
			return
		}
		b := buffers.Get().(*[2][]float32)
		defer buffers.Put(b)
		from := tile * simd.TileWidth
		width := min(simd.TileWidth, cols-from)
		src, dst := b[0], b[1]
		loadTile(src, x, from, width)
		for range f.Layers {
			if ctx.Err() != nil {
				return // a layer of a million nodes takes half a second
			}
			simd.CSRTile(dst, simd.TileWidth, h.Indptr, h.Indices, h.Values, src, simd.TileWidth, 0, n)
			src, dst = dst, src
		}
		for i := range n {
			copy(out.Data[i*out.Stride+from:][:width], src[i*simd.TileWidth:])
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("smoothing %d features: %w", cols, err)
	}
	return nil
}

// loadTile copies columns from to from+width of x into a tile, zero elsewhere.
func loadTile(tile []float32, x graph.Features, from, width int) {
	if x.Dense != nil {
		clear(tile)
		for i := range x.Dense.Rows {
			copy(tile[i*simd.TileWidth:][:width], x.Dense.Data[i*x.Dense.Stride+from:])
		}
		return
	}
	clear(tile)
	for i := range x.Sparse.Rows {
		columns, values := x.Sparse.Row(i)
		first := sort.Search(len(columns), func(p int) bool { return int(columns[p]) >= from })
		for p := first; p < len(columns) && int(columns[p]) < from+width; p++ {
			v := float32(1)
			if values != nil {
				v = values[p]
			}
			tile[i*simd.TileWidth+int(columns[p])-from] = v
		}
	}
}
