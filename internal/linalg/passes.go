package linalg

// This part has what is computed in one pass over the rows of a matrix that may be too
// large to be kept, such as the embedding of a million nodes. A pass is data: another process
// can do it for a range of the rows, and the result has the same bytes.

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// PassKind says what a pass computes of the rows z₁ … zₙ with d columns.
type PassKind string

const (
	// Sums are the sums of the rows of each group: groups×d, added up over the ranges.
	Sums PassKind = "sums"
	// PassGram is the lower triangle of Σ yᵢᵀyᵢ, d×d, with yᵢ = (zᵢ − m)/√Of[i], where m is the
	// row of Matrix and either may be missing. Sums over a block of rows are float32, and
	// sums of these float64: the rounding error does not grow with n.
	PassGram PassKind = "gram"
	// Degrees are zᵢ·s − zᵢ·zᵢ for the row s of Matrix, n×1: 0 if rounding errors alone are
	// left.
	Degrees PassKind = "degrees"
	// Product is zᵢ·Matrix for a matrix of d rows and whole panels of columns.
	Product PassKind = "product"
	// Lengths are |(zᵢ − c)·L|², n×1, with c the row Of[i] of Matrix and the lower triangle
	// L = Factor. The products are float32, but the result is a sum of squares: no large
	// terms cancel.
	Lengths PassKind = "lengths"
)

// Pass is what to compute.
type Pass struct {
	Kind PassKind
	// Unit scales the rows to length 1 first.
	Unit bool
	// Groups is the number of groups of Sums.
	Groups int
	// Matrix and Factor are small: they do not grow with n.
	Matrix, Factor Matrix[float64]
	// Of has a number for each row: its group, the row of Matrix, or its degree. nil: one
	// group, or no degrees.
	Of []float64
}

// Rows are the rows of a matrix that may be too large to be kept, such as an embedding. They are
// read block by block, and passes are made over them. They are in memory ([InMemory]), computed
// when they are asked for ([LocalRows]), or in files of an engine, whose processes make the passes.
type Rows interface {
	Source
	// Sum returns what a pass of the kind Sums or Gram adds up.
	Sum(ctx context.Context, p Pass) (Matrix[float64], error)
	// Each calls use with what a pass of another kind computes of the rows from row first on,
	// until all have been there. Calls may be concurrent. They must not change or
	// keep the matrix.
	Each(ctx context.Context, p Pass, use func(first int, computed Matrix[float64])) error
}

// PassColumn returns what a pass computes of each row, for one that computes one number.
func PassColumn(ctx context.Context, z Rows, p Pass) ([]float64, error) {
	n, _ := z.Dims()
	column := make([]float64, n)
	err := z.Each(ctx, p, func(first int, computed Matrix[float64]) { copy(column[first:], computed.Data) })
	return column, err
}

// PassRanges returns how a pass over n rows is divided into ranges: the number of rows of a range, and the
// number of ranges, at most 32. Each range has a sum of its own, and these sums are added up in order:
// neither the number of cores nor which process computes a range changes the result.
func PassRanges(n int) (grain, count int) {
	grain = WholeBlocks(RowGrain(n))
	return grain, (n + grain - 1) / grain
}

// LocalRows returns the rows of a source, over which this process makes the passes.
func LocalRows(z Source) Rows {
	if m, ok := z.(InMemory); ok {
		return m
	}
	return local{z}
}

// Sum implements [Rows].
func (m InMemory) Sum(ctx context.Context, p Pass) (Matrix[float64], error) {
	return local{m}.Sum(ctx, p)
}

// Each implements [Rows].
func (m InMemory) Each(ctx context.Context, p Pass, use func(first int, computed Matrix[float64])) error {
	return local{m}.Each(ctx, p, use)
}

// local makes passes over the rows of a source in this process, on all cores.
type local struct{ Source }

// Sum implements [Rows].
func (h local) Sum(ctx context.Context, p Pass) (Matrix[float64], error) {
	n, d := h.Dims()
	grain, _ := PassRanges(n)
	height, width := p.Size(d)
	part := p.Prepare()
	return SumOfRanges(ctx, n, grain, height, width, func(sum Matrix[float64], lo, hi int) {
		part(h.Source, sum, lo, hi)
	})
}

// Each implements [Rows].
func (h local) Each(ctx context.Context, p Pass, use func(first int, computed Matrix[float64])) error {
	n, d := h.Dims()
	_, width := p.Size(d)
	part := p.Prepare()
	return eachBlockRange(ctx, n, func(lo, hi int) {
		computed := NewMatrix[float64](hi-lo, width)
		part(h.Source, computed, lo, hi)
		use(lo, computed)
	})
}

// MatrixOf returns the matrix that has the rows, if it is in memory.
func MatrixOf(z Rows) (m blas32.General, ok bool) {
	matrix, ok := z.(InMemory)
	return blas32.General(matrix), ok
}

// PerRow reports whether a pass computes something of each row.
func (p Pass) PerRow() bool { return p.Kind != Sums && p.Kind != PassGram }

// Size returns the rows and columns of what the pass computes over rows of d columns: of the whole sum
// or, if it computes something of each row, of what it computes of one.
func (p Pass) Size(d int) (height, width int) {
	switch p.Kind {
	case Sums:
		return p.Groups, d
	case PassGram:
		return d, d
	case Product:
		return 1, p.Matrix.Cols
	}
	return 1, 1
}

// Check returns an error if the pass has inputs that do not suit n rows of d columns. Such a pass can only
// come from another process.
func (p Pass) Check(n, d int) error {
	wrong := func(what string) error { return fmt.Errorf("pass %q over %d×%d: %s", p.Kind, n, d, what) }
	if p.Of != nil && len(p.Of) != n {
		return wrong(fmt.Sprintf("%d numbers for the rows: want %d", len(p.Of), n))
	}
	groups := 0 // of which Of has one for each row; 0 if Of has something else
	switch p.Kind {
	case Sums:
		if groups = p.Groups; groups < 1 {
			return wrong("no groups")
		}
	case PassGram, Degrees:
		isRow := p.Matrix.Rows == 1 && p.Matrix.Cols == d
		isMissing := p.Matrix.Rows == 0 && p.Kind == PassGram // which needs none
		if !isRow && !isMissing {
			return wrong(fmt.Sprintf("a matrix of %d×%d: want one row", p.Matrix.Rows, p.Matrix.Cols))
		}
	case Product:
		if p.Matrix.Rows != d || p.Matrix.Cols < 1 || p.Matrix.Cols != WholePanels(p.Matrix.Cols) {
			return wrong(fmt.Sprintf("a matrix of %d×%d", p.Matrix.Rows, p.Matrix.Cols))
		}
	case Lengths:
		groups = p.Matrix.Rows
		hasCenters := groups >= 1 && p.Matrix.Cols == d && p.Of != nil
		hasFactor := p.Factor.Rows == d && p.Factor.Cols == d
		if !hasCenters || !hasFactor {
			return wrong(fmt.Sprintf("a matrix of %d×%d and a factor of %d×%d", p.Matrix.Rows, p.Matrix.Cols, p.Factor.Rows, p.Factor.Cols))
		}
	default:
		return wrong("no such pass")
	}
	if groups > 0 {
		for i, v := range p.Of {
			if !(v >= 0 && v < float64(groups) && v == math.Trunc(v)) {
				return wrong(fmt.Sprintf("row %d is in group %v of %d", i, v, groups))
			}
		}
	}
	return nil
}

// Prepare returns a function that makes the pass over the rows [lo, hi) of z. It adds their part to the
// sum out or, if the pass computes something of each row, adds that to the rows of out, which must be
// zero and begins with row lo.
func (p Pass) Prepare() func(z Source, out Matrix[float64], lo, hi int) {
	newBlockPass := p.blockPasses()
	return func(z Source, out Matrix[float64], lo, hi int) {
		if p.Unit {
			z = UnitSource(z)
		}
		addBlock := newBlockPass(z)
		EachBlock(z, lo, hi, func(first int, b blas32.General) {
			target := out
			if p.PerRow() {
				target = out.Slice(first-lo, first-lo+b.Rows, 0, out.Cols)
			}
			addBlock(From32(b), target, first)
		})
	}
}

// blockPass makes a pass over a block z of rows, whose first one is row `first` of the source. It
// adds to out: to the sum, or to a row of zeros for each row of the block.
type blockPass func(z Matrix[float32], out Matrix[float64], first int)

// blockPasses prepares what all cores share. It returns a function that each core calls with the source
// of its rows for a blockPass of its own, which may have buffers.
func (p Pass) blockPasses() func(Source) blockPass {
	switch p.Kind {
	case Sums:
		return func(Source) blockPass { return p.sums }
	case PassGram:
		return p.newGram
	case Degrees:
		return func(Source) blockPass { return p.degrees }
	case Product:
		return func(Source) blockPass {
			return func(z Matrix[float32], out Matrix[float64], _ int) { MulAdd(out, z, p.Matrix) }
		}
	default: // Lengths
		tiles := tilesOf(p.Factor)
		return func(Source) blockPass {
			return func(z Matrix[float32], out Matrix[float64], first int) { p.lengths(tiles, z, out, first) }
		}
	}
}

// sums is the blockPass of [Sums]: it adds each row of the block to the sum of the row's group.
func (p Pass) sums(z Matrix[float32], out Matrix[float64], first int) {
	for i := range z.Rows {
		sum := out.Row(0)
		if p.Of != nil {
			sum = out.Row(int(p.Of[first+i]))
		}
		for j, v := range z.Row(i) {
			sum[j] += float64(v)
		}
	}
}

// degrees is the blockPass of [Degrees]: it sets the degree of each row of the block.
func (p Pass) degrees(z Matrix[float32], out Matrix[float64], _ int) {
	sums := p.Matrix.Row(0)
	for i := range z.Rows {
		sum := 0.
		self := 0. // the row's product with itself
		for j, v := range z.Row(i) {
			sum += float64(v) * sums[j]
			self += float64(v) * float64(v)
		}
		sum -= self
		const rounding = 1e-12 // of the products' sums, as a share
		if math.Abs(sum) > rounding*self {
			out.Row(i)[0] = sum
		}
	}
}

// newGram returns the blockPass of [PassGram] over rows of z. It multiplies the rows yᵢ of a block with each
// other in float32, a tile of columns at a time, and adds the products on and below the diagonal, and
// those above it within the tile.
func (p Pass) newGram(z Source) blockPass {
	_, d := z.Dims()
	product := make([]float32, d*simd.TileWidth) // a tile of columns of YᵀY, from the diagonal on
	return func(z Matrix[float32], out Matrix[float64], first int) {
		y := tiled(z)
		for i := range y.Rows {
			row := y.Row(i)
			if p.Matrix.Rows > 0 {
				for j, v := range row {
					row[j] = float32(float64(v) - p.Matrix.Data[j])
				}
			}
			if p.Of != nil {
				scale := float32(1 / math.Sqrt(p.Of[first+i]))
				for j := range row {
					row[j] *= scale
				}
			}
		}
		for from := 0; from < d; from += simd.TileWidth {
			clear(product)
			simd.AddTransposedTile(product, simd.TileWidth, y.Data[from:], y.Stride, y.Rows, y.Data[from:], y.Stride, 0, d-from)
			width := min(simd.TileWidth, d-from)
			for j := from; j < d; j++ {
				row := out.Row(j)[from : from+width]
				for c, v := range product[(j-from)*simd.TileWidth:][:width] {
					row[c] += float64(v)
				}
			}
		}
	}
}

// lengths is the blockPass of [Lengths]: it adds up |(zᵢ − c)·L|² for each row of the block, over the tiles
// of L's columns ([tilesOf]).
func (p Pass) lengths(tiles [][]float32, z Matrix[float32], out Matrix[float64], first int) {
	u := tiled(z)
	for i := range u.Rows {
		mean, row := p.Matrix.Row(int(p.Of[first+i])), u.Row(i)
		for j, v := range row {
			row[j] = float32(float64(v) - mean[j])
		}
	}
	products := make([]float32, u.Rows*simd.TileWidth)
	for c, tile := range tiles {
		// L is lower triangular: the tile's columns are zero above row from.
		from := c * simd.TileWidth
		simd.DenseTile(products, simd.TileWidth, u.Data[from:], u.Stride, u.Cols-from, tile, simd.TileWidth, 0, u.Rows)
		for i := range u.Rows {
			part := products[i*simd.TileWidth:][:simd.TileWidth]
			out.Row(i)[0] += float64(simd.Dot(part, part))
		}
	}
}

// tilesOf returns the lower triangle l, d×d, in tiles of 64 columns: tile c holds columns 64c to
// 64c+63, without the rows above 64c, where they are zero.
func tilesOf(l Matrix[float64]) [][]float32 {
	d := l.Rows
	tiles := make([][]float32, simd.Tiles(d))
	for c := range tiles {
		from := c * simd.TileWidth
		tiles[c] = make([]float32, (d-from)*simd.TileWidth)
		for i := from; i < d; i++ {
			for j := from; j <= min(i, from+simd.TileWidth-1); j++ {
				tiles[c][(i-from)*simd.TileWidth+j-from] = float32(l.Row(i)[j])
			}
		}
	}
	return tiles
}

// tiled returns a copy of a block of rows, padded with zeros to whole tiles of columns.
func tiled(m Matrix[float32]) Matrix[float32] {
	t := NewMatrix[float32](m.Rows, simd.Tiles(m.Cols)*simd.TileWidth)
	t.Cols = m.Cols
	CopyRows(t, m)
	return t
}
