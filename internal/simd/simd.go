// Package simd holds the inner loops that this module spends its time in: float32 dot
// products, sparse and dense products with tiles of 64 columns, Gram blocks, narrow
// float64 products and the row operations of the encoder. Each exists at several
// levels: assembly for AVX-512, for AVX2 with FMA and for NEON, and plain Go. The
// processor decides at start; Level says which one is in use, and the environment
// variable AGEKIT_SIMD forces one.
//
// Within a level a dot product has the same bits from Dot and from GramBlock: the exact
// pair selection compares the two. tools/asm generates the assembly for amd64.
package simd

import (
	"fmt"
	"unsafe"
)

// Lanes is the multiple to which the length of vectors is padded with zeros,
// for Dot and GramBlock.
const Lanes = 16

// TileWidth is the number of columns of a tile: 64 float32 are four AVX-512
// registers, and a tile of Cora's 2,708 rows is 0.7 MB, which stays in a
// core's L2 cache while all layers of the filter pass over it.
const TileWidth = 64

// Padded returns n rounded up to a multiple of Lanes.
func Padded(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// Tiles returns the number of tiles that cover n columns.
func Tiles(n int) int { return (n + TileWidth - 1) / TileWidth }

// Dot returns Σ aᵢ·bᵢ. The length must be a multiple of Lanes.
func Dot(a, b []float32) float32 {
	if len(a) != len(b) || len(a)%Lanes != 0 {
		panic(fmt.Sprintf("simd: Dot of lengths %d and %d: want equal multiples of %d", len(a), len(b), Lanes))
	}
	switch {
	case len(a) == 0:
		return 0
	case active == nil:
		return dotGo(a, b)
	}
	return active.dot(&a[0], &b[0], len(a))
}

// PairDots writes the dot products of pairs of rows of the matrix a to dst: dst[p] is that of the rows i[p]
// and j[p], with the bits of [Dot]. Rows have k numbers, a multiple of Lanes, and lie stride apart. The
// assembly takes four pairs at a time.
func PairDots(dst, a []float32, stride, k int, i, j []int32) {
	j, dst = j[:len(i)], dst[:len(i)]
	last := int32(-1) // the number of the last row
	if k <= len(a) {
		last = int32((len(a) - k) / stride)
	}
	for p := range i {
		if min(i[p], j[p]) < 0 || max(i[p], j[p]) > last {
			panic(fmt.Sprintf("simd: PairDots of rows %d and %d: there are %d", i[p], j[p], last+1))
		}
	}
	p := 0
	if k > 0 && active != nil {
		row := func(n int32) *float32 { return &a[int(n)*stride] }
		for ; p+4 <= len(i); p += 4 {
			active.dots4(&dst[p], k, row(i[p]), row(j[p]), row(i[p+1]), row(j[p+1]), row(i[p+2]), row(j[p+2]), row(i[p+3]), row(j[p+3]))
		}
	}
	for ; p < len(i); p++ {
		x, y := int(i[p])*stride, int(j[p])*stride
		dst[p] = Dot(a[x:x+k], a[y:y+k])
	}
}

// GramBlock writes dst[i*cols+j] = a_i·b_j for rows a_0…a_(rows−1) and b_0…b_(cols−1)
// of width k, a multiple of Lanes, which lie stride apart in a and b.
func GramBlock(dst, a, b []float32, rows, cols, k, stride int) {
	if k%Lanes != 0 || k > stride || len(dst) < rows*cols ||
		rows > 0 && len(a) < (rows-1)*stride+k || cols > 0 && len(b) < (cols-1)*stride+k {
		panic(fmt.Sprintf("simd: GramBlock %d×%d of width %d, stride %d: lengths %d, %d, %d", rows, cols, k, stride, len(dst), len(a), len(b)))
	}
	switch {
	case k == 0:
		clear(dst[:rows*cols])
	case active == nil:
		gramBlockGo(dst, a, b, rows, cols, k, stride)
	default:
		active.gramBlock(dst, a, b, rows, cols, k, stride)
	}
}

// gramBlock is [GramBlock] in assembly: four columns at a time, and the columns that are left one by one.
// Four rows of b stay in the L1 cache while a passes from the L2 cache.
func (l *kernels) gramBlock(dst, a, b []float32, rows, cols, k, stride int) {
	j := 0
	for ; j+4 <= cols; j += 4 {
		i := 0
		for _, tile := range l.gram {
			for ; i+tile.rows <= rows; i += tile.rows {
				tile.run(&dst[i*cols+j], cols, &a[i*stride], &b[j*stride], k, stride)
			}
		}
	}
	for ; j < cols; j++ {
		for i := range rows {
			dst[i*cols+j] = l.dot(&a[i*stride], &b[j*stride], k)
		}
	}
}

// CSRTile computes rows [lo, hi) of the product of a sparse matrix (indptr, indices, values), where nil
// values stand for ones, and a tile of TileWidth columns, src:
//
//	dst[i·dstStride+c] = Σ_p values[p] · src[indices[p]·srcStride+c],  p = indptr[i] … indptr[i+1]−1
func CSRTile(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	if lo < 0 || hi >= len(indptr) || hi > lo && len(dst) < (hi-1)*dstStride+TileWidth {
		panic(fmt.Sprintf("simd: CSRTile rows %d to %d of %d into %d numbers", lo, hi, len(indptr)-1, len(dst)))
	}
	if active == nil {
		csrTileGo(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
		return
	}
	for i := lo; i < hi; i += csrRows {
		active.csrRows(&dst[i*dstStride], dstStride, &indptr[i], min(csrRows, hi-i),
			unsafe.SliceData(indices), unsafe.SliceData(values), unsafe.SliceData(src), srcStride)
	}
}

// csrRows is the number of rows that a kernel multiplies at a time, because nothing can interrupt it.
const csrRows = 256

// NarrowWidth is the number of columns of a narrow tile: 16 float32 are a cache line, so a
// matrix of few columns that is in no cache is read without waste.
const NarrowWidth = 16

// CSRNarrow is [CSRTile] for a tile of NarrowWidth columns, with the same bits. It may read TileWidth
// numbers from the beginning of each row of src on, so there must be as many.
func CSRNarrow(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	if lo < 0 || hi >= len(indptr) || hi > lo && len(dst) < (hi-1)*dstStride+NarrowWidth {
		panic(fmt.Sprintf("simd: CSRNarrow rows %d to %d of %d into %d numbers", lo, hi, len(indptr)-1, len(dst)))
	}
	if active != nil && active.csrNarrow != nil {
		for i := lo; i < hi; i += csrRows {
			active.csrNarrow(&dst[i*dstStride], dstStride, &indptr[i], min(csrRows, hi-i),
				unsafe.SliceData(indices), unsafe.SliceData(values), unsafe.SliceData(src), srcStride)
		}
		return
	}
	var row [TileWidth]float32
	for i := lo; i < hi; i++ {
		CSRTile(row[:], 0, indptr[i:i+2], indices, values, src, srcStride, 0, 1)
		copy(dst[i*dstStride:][:NarrowWidth], row[:])
	}
}

// DenseTile computes rows [lo, hi) of the product of a dense matrix, whose rows of k numbers lie stride
// apart in a, and a tile of TileWidth columns, src:
//
//	dst[i·dstStride+c] = Σ_j a[i·stride+j] · src[j·srcStride+c]
func DenseTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	if hi <= lo {
		return
	}
	if len(a) < (hi-1)*stride+k || len(dst) < (hi-1)*dstStride+TileWidth || k > 0 && len(src) < (k-1)*srcStride+TileWidth {
		panic(fmt.Sprintf("simd: DenseTile rows %d to %d of width %d: lengths %d, %d, %d", lo, hi, k, len(dst), len(a), len(src)))
	}
	for i := lo; i < hi; i++ {
		clear(dst[i*dstStride : i*dstStride+TileWidth])
	}
	addDenseTile(dst, dstStride, a, stride, 1, k, src, srcStride, lo, hi)
}

// TransposedRows rows of src stay in the L1 cache while AddTransposedTile uses them.
const TransposedRows = denseBlock

// AddTransposedTile adds to dst rows [lo, hi) of the product of a transposed matrix, which has k rows that
// lie stride apart in a before it is transposed, and a tile of TileWidth columns, src:
//
//	dst[i·dstStride+c] += Σ_j a[j·stride+i] · src[j·srcStride+c]
//
// The numbers are added in the order of j.
func AddTransposedTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	if hi <= lo {
		return
	}
	if k > 0 && len(a) < (k-1)*stride+hi || len(dst) < (hi-1)*dstStride+TileWidth || k > 0 && len(src) < (k-1)*srcStride+TileWidth {
		panic(fmt.Sprintf("simd: AddTransposedTile rows %d to %d of width %d: lengths %d, %d, %d", lo, hi, k, len(dst), len(a), len(src)))
	}
	addDenseTile(dst, dstStride, a, 1, stride, k, src, srcStride, lo, hi)
}

// addDenseTile adds to dst rows [lo, hi) of the product of a matrix and a tile. The rows of the matrix, of k
// numbers, lie stride apart in a, and the numbers of a row step apart, so that a may be transposed.
func addDenseTile(dst []float32, dstStride int, a []float32, stride, step, k int, src []float32, srcStride, lo, hi int) {
	if active == nil {
		addDenseTileGo(dst, dstStride, a, stride, step, k, src, srcStride, lo, hi)
		return
	}
	active.addDenseTile(dst, dstStride, a, stride, step, k, src, srcStride, lo, hi)
}

// denseBlock is the number of rows of the tile that are multiplied with all of a's rows at a time: 32 KB,
// which stay in the L1 cache.
const denseBlock = 128

// addDenseTile is the function addDenseTile in assembly. It takes denseBlock rows of src at a time, and
// copies them next to each other if they are not.
func (l *kernels) addDenseTile(dst []float32, dstStride int, a []float32, stride, step, k int, src []float32, srcStride, lo, hi int) {
	var packed []float32
	if srcStride != TileWidth {
		packed = make([]float32, min(denseBlock, k)*TileWidth)
	}
	for from := 0; from < k; from += denseBlock {
		rows, tile := min(denseBlock, k-from), src[from*srcStride:]
		if srcStride != TileWidth {
			for j := range rows {
				copy(packed[j*TileWidth:(j+1)*TileWidth], tile[j*srcStride:])
			}
			tile = packed
		}
		i := lo
		for _, block := range l.dense {
			for ; i+block.rows <= hi; i += block.rows {
				block.run(&dst[i*dstStride], dstStride, &a[i*stride+from*step], stride, step, rows, &tile[0])
			}
		}
	}
}

// PanelWidth is the number of columns of a panel: 8 float64 are one cache line.
const PanelWidth = 8

// MulPanel adds the product of the rows×cols matrix a and the panel x to the panel dst:
//
//	dst[i·dstStride+c] += Σ_j a[i·stride+j] · x[j·xStride+c],  c = 0 … PanelWidth−1
func MulPanel(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (rows-1)*dstStride+PanelWidth || len(a) < (rows-1)*stride+cols || len(x) < (cols-1)*xStride+PanelWidth {
		panic(fmt.Sprintf("simd: MulPanel %d×%d: lengths %d, %d, %d", rows, cols, len(dst), len(a), len(x)))
	}
	i := 0
	if active != nil {
		for _, block := range active.mulPanel {
			for ; i+block.rows <= rows; i += block.rows {
				block.run(&dst[i*dstStride], dstStride, &a[i*stride], stride, cols, &x[0], xStride)
			}
		}
	}
	if i < rows {
		mulPanelGo(dst[i*dstStride:], dstStride, a[i*stride:], stride, rows-i, cols, x, xStride)
	}
}

// MulTransPanel adds the product of the transposed rows×cols matrix a and the panel x to the panel dst:
//
//	dst[j·dstStride+c] += Σ_i a[i·stride+j] · x[i·xStride+c],  c = 0 … PanelWidth−1
func MulTransPanel(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (cols-1)*dstStride+PanelWidth || len(a) < (rows-1)*stride+cols || len(x) < (rows-1)*xStride+PanelWidth {
		panic(fmt.Sprintf("simd: MulTransPanel %d×%d: lengths %d, %d, %d", rows, cols, len(dst), len(a), len(x)))
	}
	j := 0
	if active != nil {
		for _, block := range active.mulTransPanel {
			for ; j+block.rows <= cols; j += block.rows {
				block.run(&dst[j*dstStride], dstStride, &a[j], stride, rows, &x[0], xStride)
			}
		}
	}
	if j < cols {
		mulTransPanelGo(dst[j*dstStride:], dstStride, a[j:], stride, rows, cols-j, x, xStride)
	}
}

// Widen writes a rows×cols matrix of float32 as float64:
//
//	dst[i·dstStride+j] = x[i·stride+j]
func Widen(dst []float64, dstStride int, x []float32, stride, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (rows-1)*dstStride+cols || len(x) < (rows-1)*stride+cols {
		panic(fmt.Sprintf("simd: Widen %d×%d: lengths %d, %d", rows, cols, len(dst), len(x)))
	}
	done := whole(cols)
	if done > 0 {
		active.widen(&dst[0], dstStride, &x[0], stride, rows, done)
	}
	for i := range rows {
		for j := done; j < cols; j++ {
			dst[i*dstStride+j] = float64(x[i*stride+j])
		}
	}
}
