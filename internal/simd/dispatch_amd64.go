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
		gramTiles(dst, a, b, rows, cols, k, stride, gram2x4AVX512, dotAVX512)
	case hasAVX2:
		gramTiles(dst, a, b, rows, cols, k, stride, gram2x4AVX2, dotAVX2)
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

// gramTiles makes the products in tiles of 2×4, and what is left at the edges one
// by one. Four rows of b stay in the L1 cache while a passes from the L2 cache.
func gramTiles(dst, a, b []float32, rows, cols, k, stride int,
	tile func(dst []float32, dstStride int, a, b []float32, k, stride int), dot func(a, b []float32) float32,
) {
	evenRows, tiledCols := rows&^1, cols&^3
	for j := 0; j < tiledCols; j += 4 {
		for i := 0; i < evenRows; i += 2 {
			tile(dst[i*cols+j:], cols, a[i*stride:], b[j*stride:], k, stride)
		}
	}
	for i := range rows {
		first := tiledCols
		if i >= evenRows {
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

func denseTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	switch {
	case hasAVX512:
		denseTileAVX512(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
	case hasAVX2:
		denseTileAVX2(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
	default:
		denseTileGo(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
	}
}
