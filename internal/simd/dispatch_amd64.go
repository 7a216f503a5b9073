//go:build goexperiment.simd && amd64

package simd

import (
	"simd/archsimd"
	"unsafe"
)

var (
	hasAVX512 = archsimd.X86.AVX512()
	hasAVX2   = archsimd.X86.AVX2() && archsimd.X86.FMA()
	level     = chooseLevel()
)

func chooseLevel() string {
	switch {
	case hasAVX512 && hasAVX2:
		return "avx512"
	case hasAVX2:
		return "avx2"
	}
	return "go"
}

func dot(a, b []float32) float32 {
	switch {
	case hasAVX512:
		return dotAVX512(a, b)
	case hasAVX2:
		return dotAVX2(a, b)
	}
	return dotGo(a, b)
}

func gramBlock(dst, a, b []float32, rows, cols, k, stride int) {
	switch {
	case hasAVX512:
		gramTiles(dst, a, b, rows, cols, k, stride, 4, gram4AVX512, dotAVX512)
	case hasAVX2:
		gramTiles(dst, a, b, rows, cols, k, stride, 2, gram2x4AVX2, dotAVX2)
	default:
		gramBlockGo(dst, a, b, rows, cols, k, stride)
	}
}

// pairDots does four pairs at a time and returns how many it did.
func pairDots(dst, a []float32, stride, k int, i, j []int32) int {
	dots := dots4AVX2
	switch {
	case hasAVX512:
		dots = dots4AVX512
	case !hasAVX2:
		return 0
	}
	at := func(row int32) unsafe.Pointer { return unsafe.Pointer(&a[int(row)*stride]) }
	n := len(i) &^ 3
	for p := 0; p < n; p += 4 {
		dots((*[4]float32)(dst[p:]), k, at(i[p]), at(j[p]), at(i[p+1]), at(j[p+1]), at(i[p+2]), at(j[p+2]), at(i[p+3]), at(j[p+3]))
	}
	return n
}

// gramTiles makes the products in tiles of rows×4, and what is left at the edges
// one by one. Four rows of b stay in the L1 cache while a passes from the L2 cache.
func gramTiles(dst, a, b []float32, rows, cols, k, stride, tileRows int,
	tile func(dst unsafe.Pointer, dstStride int, a, b unsafe.Pointer, k, stride int), dot func(a, b []float32) float32,
) {
	tiledRows, tiledCols := rows/tileRows*tileRows, cols&^3
	for j := 0; j < tiledCols; j += 4 {
		for i := 0; i < tiledRows; i += tileRows {
			tile(ptr(dst[i*cols+j:]), 4*cols, ptr(a[i*stride:]), ptr(b[j*stride:]), k, 4*stride)
		}
	}
	for i := range rows {
		first := tiledCols
		if i >= tiledRows {
			first = 0
		}
		for j := first; j < cols; j++ {
			dst[i*cols+j] = dot(a[i*stride:i*stride+k], b[j*stride:j*stride+k])
		}
	}
}

func csrTile(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	switch {
	case hasAVX512:
		csrTileAVX512(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
	case hasAVX2:
		csrTileAVX2(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
	default:
		csrTileGo(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
	}
}

// denseBlock rows of the tile are multiplied with all of a's rows at a time:
// 32 KB, which stay in the L1 cache.
const denseBlock = 128

func denseTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	addRows := denseRowsAVX512
	switch {
	case hasAVX512:
	case hasAVX2:
		addRows = denseRowsAVX2
	default:
		denseTileGo(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		clear(dst[i*dstStride : i*dstStride+TileWidth])
	}
	var packed [denseBlock * TileWidth]float32
	for from := 0; from < k; from += denseBlock {
		rows, tile := min(denseBlock, k-from), src[from*srcStride:]
		if srcStride != TileWidth {
			for j := range rows {
				copy(packed[j*TileWidth:(j+1)*TileWidth], tile[j*srcStride:])
			}
			tile = packed[:]
		}
		addRows(dst, dstStride, a[from:], stride, rows, tile, lo, hi)
	}
}
