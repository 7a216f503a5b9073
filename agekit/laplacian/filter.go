package laplacian

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Filter is the smoothing filter Hᵗ = (I − k·L̃sym)ᵗ.
type Filter struct {
	// K is k, a positive number, or [InverseLambdaMax]. The paper derives 1/λmax as the
	// optimum but uses 2/3 on all data sets (§3.3.3, §4.3). There is no default.
	K float64 `json:"k" group:"training" more:"" words:"auto=-1" range:"(0..)" want:"a positive number or auto" chosen:"" placeholder:"0.6667|auto" help:"k of the filter I − kL; auto is 1/λmax (default: 2/3)."`
	// Layers is t, how many times H is applied, up to [MaxLayers]; 0 keeps the features.
	Layers int `json:"layers" group:"training" more:"" words:"0=-1" range:"1..1000" want:"0 to 1000" chosen:"" placeholder:"8" help:"t, the number of times the filter is applied; 0 for none."`
}

// MaxLayers is the largest number of layers. The paper's is 35 (table 5); after a
// thousand, all nodes of a component have the same features.
const MaxLayers = 1000

// InverseLambdaMax as a filter's K means k = 1/λmax. [Filter.Resolve] replaces it.
const InverseLambdaMax = -1

// NoLayers as the layers of settings, in which 0 is not given, means none.
const NoLayers = -1

// Resolve returns f with K set to 1/λmax if K is [InverseLambdaMax], and otherwise f itself. If K is a
// number, lambdaMax may be 0 for unknown. It returns an error if the filter is invalid, if 1/λmax is
// needed and does not exist, and if k > 2/λmax, so that |1 − kλmax| > 1: each layer then
// makes the roughest signal larger instead of smoother. With k ≤ 2/λmax, no entry of a
// column HᵗX exceeds the column's length in X.
func (f Filter) Resolve(lambdaMax float64) (Filter, error) {
	if f.K == InverseLambdaMax {
		const tiny = 1e-12 // a λmax of 0, up to rounding
		if lambdaMax < tiny {
			return f, message.Errorf("%s = 1/λmax does not exist: λmax is 0 because the graph has no edges, or only edges of tiny weights; set %[1]s to a positive number", optionK)
		}
		f.K = 1 / lambdaMax
	}
	const rounding = 1e-6
	if f.Layers > 0 && f.K*lambdaMax > 2+rounding {
		return f, message.Errorf("%s is %v: want at most 2/λmax = %.5g on this graph; a larger k amplifies rough signals instead of smoothing", optionK, f.K, 2/lambdaMax)
	}
	return f, f.Check()
}

// optionK is the name of [Filter].K in messages.
const optionK message.Option = "k"

// Amplitude returns |1 − kλ|ᵗ, the factor by which the filter changes the length of an eigenvector of L̃sym
// with the eigenvalue λ (paper, §3.3.2). K must be a number.
func (f Filter) Amplitude(lambda float64) float64 {
	return math.Abs(math.Pow(1-f.K*lambda, float64(f.Layers)))
}

// Check returns an error if k or t does not define a filter.
func (f Filter) Check() error {
	switch {
	case f.K == 0:
		return message.Errorf("%s is 0: want a positive number, or laplacian.InverseLambdaMax for 1/λmax (in Go, 2/3 is integer division: write 2.0/3)", optionK)
	case f.K == InverseLambdaMax:
		return message.Errorf("%s is 1/λmax, which is not known here: call Resolve with λmax first", optionK)
	case !(f.K > 0) || math.IsInf(f.K, 1):
		return message.Errorf("%s is %v: want a positive number, or %d for 1/λmax", optionK, f.K, InverseLambdaMax)
	}
	if f.Layers < 0 || f.Layers > MaxLayers {
		return message.Errorf("%s is %d: want 0 to %d", message.Option("layers"), f.Layers, MaxLayers)
	}
	return nil
}

// SmoothSignal returns Hᵗx for one signal, in float64; [Filter.Smooth] is for all features.
func (f Filter) SmoothSignal(op *Operator, x []float64) []float64 {
	smooth, lx := mat.NewVecDense(len(x), slices.Clone(x)), mat.NewVecDense(len(x), nil)
	for range f.Layers {
		op.MulVecTo(lx, false, smooth)
		smooth.AddScaledVec(smooth, -f.K, lx)
	}
	return smooth.RawVector().Data
}

// Smooth returns X̃ = HᵗX, n×f, with a stride of f rounded up to a multiple of 16 and zero
// padding, which this module's fast products need. k may be above 2/λmax, to show what the
// filter then does ([Filter.Resolve]). A result beyond the range of float32 is an error.
func (f Filter) Smooth(ctx context.Context, op *Operator, x graph.Features) (blas32.General, error) {
	out := linalg.Narrow(x.Dims())
	out.Data = make([]float32, out.Rows*out.Stride)
	if err := f.SmoothTo(ctx, out, op, x, 1); err != nil {
		return out, err
	}
	return out, f.checkRange(out, 0)
}

// SmoothTo writes Hᵗ(X/unit) to out, which must be a zero matrix of the shape linalg.Narrow. The unit is a
// power of two: with [graph.FeatureUnit] and k ≤ 2/λmax, no entry of the result is above 2√n. With an
// operator of [Extended], out has the rows of the new nodes only.
//
// It takes 64 columns, a tile, at a time through all layers, so that the tile stays in a core's cache. If
// there are more nodes than a cache holds, all cores share one tile, which may take five eighths of the
// memory, and the result has the same bytes.
func (f Filter) SmoothTo(ctx context.Context, out blas32.General, op *Operator, x graph.Features, unit float64) error {
	if err := f.Check(); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	n, cols := x.Dims()
	if n != len(op.scale) || out.Rows != n-op.old || out.Cols != cols {
		panic(fmt.Sprintf("laplacian: %d×%d features of %d nodes smoothed to %d×%d", n, cols, len(op.scale), out.Rows, out.Cols))
	}
	if op.old == 0 && n > cachedNodes {
		return f.smoothLarge(ctx, out, op, x, unit, system.TotalMemory()/8*5)
	}
	return f.smoothTiles(ctx, out, op, x, unit)
}

// cachedNodes is the number of nodes above which a tile, of 256 bytes each, fits into no
// cache that cores have for themselves.
const cachedNodes = 1 << 16

// smoothLarge writes Hᵗ(X/unit) to out, tile by tile. All cores share one tile, of at most `memory` bytes
// ([TileWidth]).
func (f Filter) smoothLarge(ctx context.Context, out blas32.General, op *Operator, x graph.Features, unit float64, memory int64) error {
	return f.eachTile(ctx, op, x, unit, 0, out.Cols, memory, func(from int, columns blas32.General) error {
		linalg.Parallel(columns.Rows, tileRows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(out.Data[i*out.Stride+from:][:columns.Cols], columns.Data[i*columns.Stride:])
			}
		})
		return nil
	})
}

// smoothTiles writes Hᵗ(X/unit) to out, with H as a matrix in memory. Each core takes a tile of its own
// through all layers.
func (f Filter) smoothTiles(ctx context.Context, out blas32.General, op *Operator, x graph.Features, unit float64) error {
	n, cols := len(op.scale), out.Cols
	h := op.FilterMatrix(f.K)
	// A tile's rows before and after a layer.
	buffers := sync.Pool{New: func() any { return &[2][]float32{make([]float32, n*simd.TileWidth), make([]float32, n*simd.TileWidth)} }}
	linalg.Parallel(simd.Tiles(cols), 1, func(tile, _ int) {
		if ctx.Err() != nil {
			return
		}
		b := buffers.Get().(*[2][]float32)
		defer buffers.Put(b)
		from := tile * simd.TileWidth
		width := min(simd.TileWidth, cols-from)
		src, dst := b[0], b[1]
		load(src, simd.TileWidth, x, unit, from, width, 0, n)
		// The last layer writes whole tiles directly to the result.
		buffered := f.Layers
		if f.Layers > 0 && width == simd.TileWidth && op.old == 0 {
			buffered--
		}
		for range buffered {
			if ctx.Err() != nil {
				return
			}
			simd.CSRTile(dst, simd.TileWidth, h.Indptr, h.Indices, h.Values, src, simd.TileWidth, 0, n)
			src, dst = dst, src
		}
		if buffered < f.Layers {
			if ctx.Err() == nil {
				simd.CSRTile(out.Data[from:], out.Stride, h.Indptr, h.Indices, h.Values, src, simd.TileWidth, 0, n)
			}
			return
		}
		for i := range out.Rows {
			copy(out.Data[i*out.Stride+from:][:width], src[(op.old+i)*simd.TileWidth:])
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("smoothing %d features: %w", cols, err)
	}
	return nil
}
