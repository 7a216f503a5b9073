//go:build goexperiment.simd && amd64

package simd

import "simd/archsimd"

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
		gramBlockAVX512(dst, a, b, rows, cols, k, stride)
	case hasAVX2:
		gramBlockAVX2(dst, a, b, rows, cols, k, stride)
	default:
		gramBlockGo(dst, a, b, rows, cols, k, stride)
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
