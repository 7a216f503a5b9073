package affine

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// product multiplies X̃ by one tile of 64 columns at a time, for the native step.
// Its methods are safe for concurrent use.
type product interface {
	// forward writes X̃·w, n×64, into dst with the given stride; w is f×64.
	forward(dst []float32, stride int, w []float32)
	// backward calls use with X̃ᵗ·src, f×64, for an n×64 tile src with the
	// given stride. The slice is valid until use returns.
	backward(src []float32, stride int, use func(gradient []float32))
	// String describes how the product is computed, for the log.
	String() string
}

// denseSpeed is the number of dense multiply-adds that take as long as a sparse one: a
// dense product reuses the data that it loads.
const denseSpeed = 4

// newProduct chooses between filtering within every step and multiplying features
// smoothed beforehand, by the number of multiply-adds per column.
func newProduct(in *Input) product {
	if filteredCost(in) < denseCost(in) {
		return newFiltered(graph.DivideFeatures(in.Features, cmp.Or(in.Unit, 1)).Sparse, in.Operator.FilterMatrix(in.Filter.K), in.Filter.Layers)
	}
	return newSmoothed(in.Smoothed)
}

// gathers reports whether encoding only a batch's nodes, about as many as pairs of random nodes
// have, takes fewer multiply-adds. Copying their rows takes less than the tenth.
func gathers(in *Input, maxPairs int) bool {
	n := float64(in.Smoothed.Rows)
	nodes := -n * math.Expm1(-2*float64(maxPairs)/n)
	return nodes*float64(in.Smoothed.Cols) < 0.9*float64(min(filteredCost(in), denseCost(in)))
}

// filteredCost and denseCost return both methods' multiply-adds per column, in dense ones.
func filteredCost(in *Input) int {
	if in.Features.Sparse == nil || in.Operator == nil {
		return math.MaxInt
	}
	h := in.Operator.FilterEntries()
	return (in.Features.Sparse.NNZ() + in.Filter.Layers*h) * denseSpeed
}

func denseCost(in *Input) int { return in.Smoothed.Rows * in.Smoothed.Cols }

// filtered is Hᵗ(Xw), with sparse X and H.
type filtered struct {
	x, transposed columnBlocks
	h             *graph.CSR
	layers        int
	buffers       sync.Pool // of *[3][]float32: n×64, n×64 and f×64; the first and the last have room for products with X and Xᵗ
}

func newFiltered(x, h *graph.CSR, layers int) *filtered {
	p := &filtered{x: newColumnBlocks(x), transposed: newColumnBlocks(x.Transpose()), h: h, layers: layers}
	p.buffers.New = func() any {
		return &[3][]float32{make([]float32, p.x.room()), make([]float32, x.Rows*simd.TileWidth), make([]float32, p.transposed.room())}
	}
	return p
}

func (p *filtered) forward(dst []float32, stride int, w []float32) {
	b := p.buffers.Get().(*[3][]float32)
	defer p.buffers.Put(b)
	src, other := p.x.multiply(b[0], w, simd.TileWidth), b[1]
	if p.layers == 0 {
		for i := range p.h.Rows {
			copy(dst[i*stride:][:simd.TileWidth], src[i*simd.TileWidth:])
		}
		return
	}
	for range p.layers - 1 {
		multiply(other, simd.TileWidth, p.h, src, simd.TileWidth)
		src, other = other, src
	}
	multiply(dst, stride, p.h, src, simd.TileWidth)
}

// backward relies on the symmetry of H.
func (p *filtered) backward(src []float32, stride int, use func([]float32)) {
	b := p.buffers.Get().(*[3][]float32)
	defer p.buffers.Put(b)
	dst, other := b[0], b[1]
	for range p.layers {
		multiply(dst, simd.TileWidth, p.h, src, stride)
		src, stride = dst, simd.TileWidth
		dst, other = other, dst
	}
	use(p.transposed.multiply(b[2], src, stride))
}

func (p *filtered) String() string {
	return fmt.Sprintf("filtered within each step (%d + %d×%d multiply-adds a column)", p.x.entries, p.layers, p.h.NNZ())
}

// smoothed is X̃w with a dense X̃, and its transpose: both products read along rows.
type smoothed struct{ x, transposed blas32.General }

func newSmoothed(x blas32.General) *smoothed {
	t := blas32.General{Rows: x.Cols, Cols: x.Rows, Stride: x.Rows, Data: make([]float32, x.Cols*x.Rows)}
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			t.Data[j*t.Stride+i] = v
		}
	}
	return &smoothed{x, t}
}

func (p *smoothed) forward(dst []float32, stride int, w []float32) {
	simd.DenseTile(dst, stride, p.x.Data, p.x.Stride, p.x.Cols, w, simd.TileWidth, 0, p.x.Rows)
}

func (p *smoothed) backward(src []float32, stride int, use func([]float32)) {
	g := make([]float32, p.x.Cols*simd.TileWidth)
	simd.DenseTile(g, simd.TileWidth, p.transposed.Data, p.transposed.Stride, p.transposed.Cols, src, stride, 0, p.transposed.Rows)
	use(g)
}

func (p *smoothed) String() string {
	return fmt.Sprintf("smoothed beforehand (%d multiply-adds a column)", p.x.Rows*p.x.Cols)
}
