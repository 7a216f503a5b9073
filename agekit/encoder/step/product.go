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
	// The tiles of W are f×64.
	forward(z blas32.General, tiles [][]float32, done func(lo, hi int))
	// backward calls use with the tiles of X̃ᵗ·g, f×64, which are valid until use returns.
	// It may call use on several cores at a time.
	backward(g blas32.General, use func(tile int, gradient []float32))
	// String describes how the product is computed, for the log.
	String() string
}

// newProduct returns the product with the lower cost per column of W: the one that filters
// within every step, or the one that multiplies features smoothed beforehand.
func newProduct(input *Input) product {
	if filteredCost(input) < denseCost(input) {
		return newFiltered(graph.DivideFeatures(input.Features, cmp.Or(input.Unit, 1)).Sparse, input.Operator.FilterMatrix(input.Filter.K), input.Filter.Layers)
	}
	return &dense{x: input.Smoothed}
}

// gathers reports whether a step costs less if it encodes only the nodes of a batch of maxPairs
// pairs, from copies of their rows of X̃, than if it encodes all nodes.
func gathers(input *Input, maxPairs int) bool {
	// A node is none of the 2·maxPairs random ends of pairs with probability e^(−2·maxPairs/n).
	n := float64(input.Smoothed.Rows)
	nodes := -n * math.Expm1(-2*float64(maxPairs)/n)
	gathered := cost.Of(cost.Step, nodes*float64(input.Smoothed.Cols)).Cost()
	const lessCopies = 0.9 // copying the rows takes less than the other tenth
	return gathered < lessCopies*min(filteredCost(input), denseCost(input))
}

// filteredCost returns the cost of one column of Hᵗ(XW), filtered within the step: +Inf if the
// input lacks the sparse X or the operator that this takes.
func filteredCost(input *Input) float64 {
	if input.Features.Sparse == nil || input.Operator == nil {
		return math.Inf(1)
	}
	entries := input.Features.Sparse.NNZ() + input.Filter.Layers*input.Operator.FilterEntries()
	return cost.Of(cost.StepEntry, float64(entries)).Cost()
}

// denseCost returns the cost of one column of X̃W, with features smoothed beforehand.
func denseCost(input *Input) float64 {
	return cost.Of(cost.Step, float64(input.Smoothed.Rows)*float64(input.Smoothed.Cols)).Cost()
}

// filtered is the product Hᵗ(XW), with sparse X and H.
type filtered struct {
	x, transposed columnBlocks // X and Xᵗ
	h             *graph.CSR
	layers        int       // t, the exponent of H
	buffers       sync.Pool // of *tileBuffers
}

// tileBuffers is the workspace of one core for one tile.
type tileBuffers struct {
	product  []float32 // n×64, with the room that products with X need
	other    []float32 // n×64: layers read one of product and other and write the other one
	gradient []float32 // f×64, with the room that products with Xᵗ need
}

// newFiltered returns the product for X (features divided by their unit), H and t layers.
func newFiltered(x, h *graph.CSR, layers int) *filtered {
	p := &filtered{x: newColumnBlocks(x), transposed: newColumnBlocks(x.Transpose()), h: h, layers: layers}
	p.buffers.New = func() any {
		return &tileBuffers{
			product:  make([]float32, p.x.room()),
			other:    make([]float32, x.Rows*simd.TileWidth),
			gradient: make([]float32, p.transposed.room()),
		}
	}
	return p
}

// forward computes one tile on each core and calls done in the end, because every row needs all tiles.
func (p *filtered) forward(z blas32.General, tiles [][]float32, done func(lo, hi int)) {
	linalg.Parallel(len(tiles), 1, func(k, _ int) {
		p.forwardTile(z.Data[k*simd.TileWidth:], z.Stride, tiles[k])
	})
	linalg.Parallel(z.Rows, RowGrain, done)
}

// forwardTile writes Hᵗ(Xw), n×64, into dst, whose rows are stride numbers apart. The tile w
// of W is f×64.
func (p *filtered) forwardTile(dst []float32, stride int, w []float32) {
	b := p.buffers.Get().(*tileBuffers)
	defer p.buffers.Put(b)
	src, other := p.x.multiply(b.product, w, simd.TileWidth), b.other
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

// backward computes one tile on each core.
func (p *filtered) backward(g blas32.General, use func(tile int, gradient []float32)) {
	linalg.Parallel(simd.Tiles(g.Cols), 1, func(tile, _ int) {
		p.backwardTile(g.Data[tile*simd.TileWidth:], g.Stride, func(gradient []float32) { use(tile, gradient) })
	})
}

// backwardTile calls use with Xᵗ(Hᵗ·src), f×64, which is valid until use returns. The tile src
// of the gradient is n×64, and its rows are stride numbers apart. H is symmetric, so that it
// serves as its own transpose.
func (p *filtered) backwardTile(src []float32, stride int, use func(gradient []float32)) {
	b := p.buffers.Get().(*tileBuffers)
	defer p.buffers.Put(b)
	dst, other := b.product, b.other
	for range p.layers {
		multiply(dst, simd.TileWidth, p.h, src, stride)
		src, stride = dst, simd.TileWidth
		dst, other = other, dst
	}
	use(p.transposed.multiply(b.gradient, src, stride))
}

func (p *filtered) String() string {
	return fmt.Sprintf("filtered within each step (%d + %d×%d multiply-adds a column)", p.x.entries, p.layers, p.h.NNZ())
}

// dense is the product X̃W with the smoothed features. Rows are multiplied by all tiles of W
// while they are in a core's cache.
type dense struct {
	x    blas32.General // X̃
	sums []float32      // workspace: the gradient's tiles, f×64, of each part of the rows
}

// forward computes ranges of rows, by all tiles of W, on each core and calls done with each range.
func (p *dense) forward(z blas32.General, tiles [][]float32, done func(lo, hi int)) {
	linalg.Parallel(p.x.Rows, RowGrain, func(lo, hi int) {
		multiplyRows(z, p.x, tiles, lo, hi)
		done(lo, hi)
	})
}

// multiplyRows writes rows [lo, hi) of x·W into z. tiles are those of W: each has 64 of its columns, and the
// last one has zeros beyond them. z has the layout of [linalg.New],
// whose rows have room for whole tiles.
func multiplyRows(z, x blas32.General, tiles [][]float32, lo, hi int) {
	for k, tile := range tiles {
		simd.DenseTile(z.Data[k*simd.TileWidth:], z.Stride, x.Data, x.Stride, x.Cols, tile, simd.TileWidth, lo, hi)
	}
}

const (
	// partRows is the least number of rows in a part, whose gradient is added up by itself.
	partRows = 4096
	// mostParts bounds the memory for the sums of parts.
	mostParts = 32
	// mostTiles is the number of tiles that a core takes at a time, if all cores get some: the
	// rows of X̃ are read once for them.
	mostTiles = 4
)

// backward adds up each tile's gradient in parts of the rows, so that even one tile is work
// for many cores, and then adds the parts. The parts depend on the number of rows alone, and
// so do the bytes of the sums, whatever the number of cores.
func (p *dense) backward(g blas32.General, use func(tile int, gradient []float32)) {
	tiles, rows := simd.Tiles(g.Cols), max(partRows, (p.x.Rows+mostParts-1)/mostParts)
	parts, size := max(1, (p.x.Rows+rows-1)/rows), p.x.Cols*simd.TileWidth
	width := max(1, min(mostTiles, parts*tiles/runtime.GOMAXPROCS(0))) // tiles of a group
	groups := (tiles + width - 1) / width
	p.sums = resize(p.sums, parts*tiles*size)
	clear(p.sums)
	sumOf := func(part, tile int) []float32 { return p.sums[(part*tiles+tile)*size:][:size] }
	linalg.Parallel(parts*groups, 1, func(k, _ int) { // one part of one group of tiles
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
