//go:build goexperiment.simd && amd64

package simd

import (
	"simd/archsimd"
	"unsafe"
)

type zmm = archsimd.Float32x16

// at16 loads 16 numbers at base + offset numbers. The exported functions have
// checked the bounds: a check a load would double the loops' length.
func at16(base unsafe.Pointer, offset int) zmm {
	return archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(base, offset*4)))
}

func put16(base unsafe.Pointer, offset int, v zmm) {
	v.Store((*[16]float32)(unsafe.Add(base, offset*4)))
}

func at(base unsafe.Pointer, offset int) float32 {
	return *(*float32)(unsafe.Add(base, offset*4))
}

func ptr(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// fold adds the upper half of a register to the lower one.
func fold(v zmm) archsimd.Float32x8 { return v.GetLo().Add(v.GetHi()) }

func dotAVX512(a, b []float32) float32 {
	pa, pb := ptr(a), ptr(b)
	var s zmm
	for i := 0; i < len(a); i += 16 {
		s = at16(pa, i).MulAdd(at16(pb, i), s)
	}
	r := sum8(fold(s))
	archsimd.ClearAVXUpperBits()
	return r
}

// dots4AVX512 makes four dot products side by side, so that eight rows come from
// memory at the same time.
func dots4AVX512(dst *[4]float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 unsafe.Pointer) {
	var s0, s1, s2, s3 zmm
	for p := 0; p < k; p += 16 {
		s0 = at16(a0, p).MulAdd(at16(b0, p), s0)
		s1 = at16(a1, p).MulAdd(at16(b1, p), s1)
		s2 = at16(a2, p).MulAdd(at16(b2, p), s2)
		s3 = at16(a3, p).MulAdd(at16(b3, p), s3)
	}
	put4(unsafe.Pointer(dst), 0, fold(s0), fold(s1), fold(s2), fold(s3))
	archsimd.ClearAVXUpperBits()
}

// gram4AVX512 writes the 4×4 dot products of rows of a and b. Strides are in
// bytes.
//
//go:noescape
func gram4AVX512(dst unsafe.Pointer, dstStride int, a, b unsafe.Pointer, k, stride int)

// csrTileAVX512 calls the assembly, which nothing can interrupt, for some rows at
// a time.
func csrTileAVX512(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	const rows = 256
	for i := lo; i < hi; i += rows {
		csrRowsAVX512(ptr(dst[i*dstStride:]), 4*dstStride, unsafe.Pointer(&indptr[i]), min(rows, hi-i),
			unsafe.Pointer(unsafe.SliceData(indices)), ptr(values), ptr(src), 4*srcStride)
	}
}

// csrRowsAVX512 keeps a row of the tile in four registers while the entries of
// the sparse row pass. Strides are in bytes; no values stand for ones.
//
//go:noescape
func csrRowsAVX512(dst unsafe.Pointer, dstStride int, indptr unsafe.Pointer, rows int, indices, values, src unsafe.Pointer, srcStride int)

// denseRowsAVX512 works on four rows at a time.
func denseRowsAVX512(dst []float32, dstStride int, a []float32, stride, k int, src []float32, lo, hi int) {
	i := lo
	for ; i+4 <= hi; i += 4 {
		dense4AVX512(ptr(dst[i*dstStride:]), 4*dstStride, ptr(a[i*stride:]), 4*stride, k, ptr(src))
	}
	for ; i < hi; i++ {
		pa, ps, pd := ptr(a[i*stride:]), ptr(src), ptr(dst[i*dstStride:])
		s0, s1, s2, s3 := at16(pd, 0), at16(pd, 16), at16(pd, 32), at16(pd, 48)
		for j := range k {
			v := archsimd.BroadcastFloat32x16(at(pa, j))
			s0, s1 = at16(ps, 0).MulAdd(v, s0), at16(ps, 16).MulAdd(v, s1)
			s2, s3 = at16(ps, 32).MulAdd(v, s2), at16(ps, 48).MulAdd(v, s3)
			ps = unsafe.Add(ps, 4*TileWidth)
		}
		put64(pd, 0, s0, s1, s2, s3)
	}
	archsimd.ClearAVXUpperBits()
}

// dense4AVX512 adds the products of four rows of a, k wide, with a tile to four
// rows of dst. Strides are in bytes.
//
//go:noescape
func dense4AVX512(dst unsafe.Pointer, dstStride int, a unsafe.Pointer, stride, k int, src unsafe.Pointer)

func put64(base unsafe.Pointer, offset int, s0, s1, s2, s3 zmm) {
	put16(base, offset, s0)
	put16(base, offset+16, s1)
	put16(base, offset+32, s2)
	put16(base, offset+48, s3)
}
