package step

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// product multiplies X̃ by tiles of 64 columns, on all cores, for the native step.
type product interface {
	// forward writes X̃W into z, and calls done with every range of rows that is complete.
	// Tiles of W are f×64.
	forward(z blas32.General, w [][]float32, done func(lo, hi int))
	// backward calls use with the tiles of X̃ᵗ·g, f×64, which are valid until use returns.
	// It may call use on several cores at a time.
	backward(g blas32.General, use func(tile int, gradient []float32))
	// String describes how the product is computed, for the log.
	String() string
}

// newProduct chooses between filtering within every step and multiplying features
// smoothed beforehand, by what a column costs.
func newProduct(input *Input) product {
	if filteredCost(input) < denseCost(input) {
		return newFiltered(graph.DivideFeatures(input.Features, cmp.Or(input.Unit, 1)).Sparse, input.Operator.FilterMatrix(input.Filter.K), input.Filter.Layers)
	}
	return &dense{x: input.Smoothed}
}

// gathers reports whether encoding only a batch's nodes, about as many as pairs of random nodes
// have, takes fewer multiply-adds. Copying their rows takes less than the tenth.
func gathers(input *Input, maxPairs int) bool {
	n := float64(input.Smoothed.Rows)
	nodes := -n * math.Expm1(-2*float64(maxPairs)/n)
	return cost.Of(cost.Step, nodes*float64(input.Smoothed.Cols)).Cost() < 0.9*min(filteredCost(input), denseCost(input))
}

// filteredCost and denseCost return what a column of both methods costs.
func filteredCost(input *Input) float64 {
	if input.Features.Sparse == nil || input.Operator == nil {
		return math.Inf(1)
	}
	entries := input.Features.Sparse.NNZ() + input.Filter.Layers*input.Operator.FilterEntries()
	return cost.Of(cost.StepEntry, float64(entries)).Cost()
}

func denseCost(input *Input) float64 {
	return cost.Of(cost.Step, float64(input.Smoothed.Rows)*float64(input.Smoothed.Cols)).Cost()
}

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

func (p *filtered) forward(z blas32.General, w [][]float32, done func(lo, hi int)) {
	linalg.Parallel(len(w), 1, func(tile, _ int) {
		p.forwardTile(z.Data[tile*simd.TileWidth:], z.Stride, w[tile])
	})
	linalg.Parallel(z.Rows, RowGrain, done)
}

// forwardTile writes X̃·w, n×64, into dst.
func (p *filtered) forwardTile(dst []float32, stride int, w []float32) {
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

func (p *filtered) backward(g blas32.General, use func(tile int, gradient []float32)) {
	linalg.Parallel(simd.Tiles(g.Cols), 1, func(tile, _ int) {
		p.backwardTile(g.Data[tile*simd.TileWidth:], g.Stride, func(gradient []float32) { use(tile, gradient) })
	})
}

// backwardTile relies on the symmetry of H.
func (p *filtered) backwardTile(src []float32, stride int, use func([]float32)) {
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

// dense is X̃W with the smoothed features. Rows are multiplied by all tiles of W while they
// are in a core's cache.
type dense struct {
	x    blas32.General
	sums []float32 // of the gradient, of each part of the rows: a workspace
}

func (p *dense) forward(z blas32.General, w [][]float32, done func(lo, hi int)) {
	linalg.Parallel(p.x.Rows, RowGrain, func(lo, hi int) {
		multiplyRows(z, p.x, w, lo, hi)
		done(lo, hi)
	})
}

// multiplyRows writes rows [lo, hi) of x·W into z.
func multiplyRows(z, x blas32.General, w [][]float32, lo, hi int) {
	for tile := range w {
		simd.DenseTile(z.Data[tile*simd.TileWidth:], z.Stride, x.Data, x.Stride, x.Cols, w[tile], simd.TileWidth, lo, hi)
	}
}

// partRows is the least number of rows whose gradient is added up by itself.
const partRows = 4096

// backward adds up the gradient of at most 32 parts of the rows, so that one tile is enough
// for many cores. A core takes up to four tiles at a time, which does not change the sums.
func (p *dense) backward(g blas32.General, use func(tile int, gradient []float32)) {
	tiles, rows := simd.Tiles(g.Cols), max(partRows, (p.x.Rows+31)/32)
	parts, size := max(1, (p.x.Rows+rows-1)/rows), p.x.Cols*simd.TileWidth
	width := max(1, min(4, parts*tiles/runtime.GOMAXPROCS(0)))
	groups := (tiles + width - 1) / width
	p.sums = resize(p.sums, parts*tiles*size)
	clear(p.sums)
	sumOf := func(part, tile int) []float32 { return p.sums[(part*tiles+tile)*size:][:size] }
	linalg.Parallel(parts*groups, 1, func(k, _ int) {
		part, first := k/groups, k%groups*width
		end := min(p.x.Rows, (part+1)*rows)
		for lo := part * rows; lo < end; lo += simd.TransposedRows {
			count := min(simd.TransposedRows, end-lo)
			for tile := first; tile < min(tiles, first+width); tile++ {
				simd.AddTransposedTile(sumOf(part, tile), simd.TileWidth, p.x.Data[lo*p.x.Stride:], p.x.Stride, count, g.Data[lo*g.Stride+tile*simd.TileWidth:], g.Stride, 0, p.x.Cols)
			}
		}
	})
	linalg.Parallel(tiles, 1, func(tile, _ int) {
		sum := sumOf(0, tile)
		for part := 1; part < parts; part++ {
			simd.Axpy(1, sumOf(part, tile), sum)
		}
		use(tile, sum)
	})
}

func (p *dense) String() string {
	return fmt.Sprintf("smoothed beforehand (%d multiply-adds a column)", p.x.Rows*p.x.Cols)
}
