//go:build goexperiment.simd && amd64

package simd

import (
	"simd/archsimd"
	"unsafe"
)

type ymm = archsimd.Float32x8

func at8(base unsafe.Pointer, offset int) ymm {
	return archsimd.LoadFloat32x8((*[8]float32)(unsafe.Add(base, offset*4)))
}

func put8(base unsafe.Pointer, offset int, v ymm) {
	v.Store((*[8]float32)(unsafe.Add(base, offset*4)))
}

// sum4 returns the sums of four registers, in the same order of additions as
// sum8.
func sum4(a, b, c, d ymm) archsimd.Float32x4 {
	t := a.AddPairsGrouped(b).AddPairsGrouped(c.AddPairsGrouped(d))
	return t.GetLo().Add(t.GetHi())
}

func sum8(v ymm) float32 { return sum4(v, v, v, v).GetElem(0) }

// put4 stores the sums of four registers at base + offset numbers.
func put4(base unsafe.Pointer, offset int, a, b, c, d ymm) {
	sum4(a, b, c, d).Store((*[4]float32)(unsafe.Add(base, offset*4)))
}

func dotAVX2(a, b []float32) float32 {
	pa, pb := ptr(a), ptr(b)
	var s ymm
	for i := 0; i < len(a); i += 8 {
		s = at8(pa, i).MulAdd(at8(pb, i), s)
	}
	r := sum8(s)
	archsimd.ClearAVXUpperBits()
	return r
}

// dots4AVX2 makes four dot products side by side, so that eight rows come from
// memory at the same time.
func dots4AVX2(dst *[4]float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 unsafe.Pointer) {
	var s0, s1, s2, s3 ymm
	for p := 0; p < k; p += 8 {
		s0 = at8(a0, p).MulAdd(at8(b0, p), s0)
		s1 = at8(a1, p).MulAdd(at8(b1, p), s1)
		s2 = at8(a2, p).MulAdd(at8(b2, p), s2)
		s3 = at8(a3, p).MulAdd(at8(b3, p), s3)
	}
	put4(unsafe.Pointer(dst), 0, s0, s1, s2, s3)
	archsimd.ClearAVXUpperBits()
}

// gram2x4AVX2 keeps 2×4 dot products in registers. Strides are in bytes.
func gram2x4AVX2(dst unsafe.Pointer, dstStride int, a0, b0 unsafe.Pointer, k, stride int) {
	a1, b1 := unsafe.Add(a0, stride), unsafe.Add(b0, stride)
	b2 := unsafe.Add(b1, stride)
	b3 := unsafe.Add(b2, stride)
	var s00, s01, s02, s03, s10, s11, s12, s13 ymm
	for p := 0; p < k; p += 8 {
		x0, x1 := at8(a0, p), at8(a1, p)
		y0, y1, y2, y3 := at8(b0, p), at8(b1, p), at8(b2, p), at8(b3, p)
		s00, s10 = x0.MulAdd(y0, s00), x1.MulAdd(y0, s10)
		s01, s11 = x0.MulAdd(y1, s01), x1.MulAdd(y1, s11)
		s02, s12 = x0.MulAdd(y2, s02), x1.MulAdd(y2, s12)
		s03, s13 = x0.MulAdd(y3, s03), x1.MulAdd(y3, s13)
	}
	put4(dst, 0, s00, s01, s02, s03)
	put4(unsafe.Add(dst, dstStride), 0, s10, s11, s12, s13)
	archsimd.ClearAVXUpperBits()
}

func csrTileAVX2(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	ps, pd := ptr(src), ptr(dst)
	for i := lo; i < hi; i++ {
		var s0, s1, s2, s3, s4, s5, s6, s7 ymm
		for p := indptr[i]; p < indptr[i+1]; p++ {
			w := float32(1)
			if values != nil {
				w = values[p]
			}
			o, v := int(indices[p])*srcStride, archsimd.BroadcastFloat32x8(w)
			s0, s1 = at8(ps, o).MulAdd(v, s0), at8(ps, o+8).MulAdd(v, s1)
			s2, s3 = at8(ps, o+16).MulAdd(v, s2), at8(ps, o+24).MulAdd(v, s3)
			s4, s5 = at8(ps, o+32).MulAdd(v, s4), at8(ps, o+40).MulAdd(v, s5)
			s6, s7 = at8(ps, o+48).MulAdd(v, s6), at8(ps, o+56).MulAdd(v, s7)
		}
		put64AVX2(pd, i*dstStride, s0, s1, s2, s3, s4, s5, s6, s7)
	}
	archsimd.ClearAVXUpperBits()
}

func denseRowsAVX2(dst []float32, dstStride int, a []float32, stride, k int, src []float32, lo, hi int) {
	ps := ptr(src)
	for i := lo; i < hi; i++ {
		pa, pd := ptr(a[i*stride:]), ptr(dst[i*dstStride:])
		s0, s1, s2, s3 := at8(pd, 0), at8(pd, 8), at8(pd, 16), at8(pd, 24)
		s4, s5, s6, s7 := at8(pd, 32), at8(pd, 40), at8(pd, 48), at8(pd, 56)
		for j := range k {
			o, v := j*TileWidth, archsimd.BroadcastFloat32x8(at(pa, j))
			s0, s1 = at8(ps, o).MulAdd(v, s0), at8(ps, o+8).MulAdd(v, s1)
			s2, s3 = at8(ps, o+16).MulAdd(v, s2), at8(ps, o+24).MulAdd(v, s3)
			s4, s5 = at8(ps, o+32).MulAdd(v, s4), at8(ps, o+40).MulAdd(v, s5)
			s6, s7 = at8(ps, o+48).MulAdd(v, s6), at8(ps, o+56).MulAdd(v, s7)
		}
		put64AVX2(pd, 0, s0, s1, s2, s3, s4, s5, s6, s7)
	}
	archsimd.ClearAVXUpperBits()
}

func put64AVX2(base unsafe.Pointer, o int, s0, s1, s2, s3, s4, s5, s6, s7 ymm) {
	put8(base, o, s0)
	put8(base, o+8, s1)
	put8(base, o+16, s2)
	put8(base, o+24, s3)
	put8(base, o+32, s4)
	put8(base, o+40, s5)
	put8(base, o+48, s6)
	put8(base, o+56, s7)
}
