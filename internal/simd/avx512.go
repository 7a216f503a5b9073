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

// gram2x4AVX512 keeps 2×4 dot products in registers, of which the compiler
// hands out fifteen: six loads feed eight multiply-adds.
func gram2x4AVX512(dst []float32, dstStride int, a, b []float32, k, stride int) {
	a0, b0 := ptr(a), ptr(b)
	a1, b1 := unsafe.Add(a0, stride*4), unsafe.Add(b0, stride*4)
	b2 := unsafe.Add(b1, stride*4)
	b3 := unsafe.Add(b2, stride*4)
	var s00, s01, s02, s03, s10, s11, s12, s13 zmm
	for p := 0; p < k; p += 16 {
		x0, x1 := at16(a0, p), at16(a1, p)
		y := at16(b0, p)
		s00, s10 = x0.MulAdd(y, s00), x1.MulAdd(y, s10)
		y = at16(b1, p)
		s01, s11 = x0.MulAdd(y, s01), x1.MulAdd(y, s11)
		y = at16(b2, p)
		s02, s12 = x0.MulAdd(y, s02), x1.MulAdd(y, s12)
		y = at16(b3, p)
		s03, s13 = x0.MulAdd(y, s03), x1.MulAdd(y, s13)
	}
	d := ptr(dst[:dstStride+4])
	put4(d, 0, fold(s00), fold(s01), fold(s02), fold(s03))
	put4(d, dstStride, fold(s10), fold(s11), fold(s12), fold(s13))
	archsimd.ClearAVXUpperBits()
}

// csrTileAVX512 keeps a row of the tile in four registers while the entries
// of the sparse row pass.
func csrTileAVX512(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	ps, pd := ptr(src), ptr(dst)
	for i := lo; i < hi; i++ {
		var s0, s1, s2, s3 zmm
		from, to := indptr[i], indptr[i+1]
		columns := indices[from:to]
		if values == nil {
			for _, j := range columns {
				o := int(j) * srcStride
				s0, s1 = s0.Add(at16(ps, o)), s1.Add(at16(ps, o+16))
				s2, s3 = s2.Add(at16(ps, o+32)), s3.Add(at16(ps, o+48))
			}
		} else {
			row := values[from:to]
			for p, j := range columns {
				o := int(j) * srcStride
				v := archsimd.BroadcastFloat32x16(row[p])
				s0, s1 = at16(ps, o).MulAdd(v, s0), at16(ps, o+16).MulAdd(v, s1)
				s2, s3 = at16(ps, o+32).MulAdd(v, s2), at16(ps, o+48).MulAdd(v, s3)
			}
		}
		o := i * dstStride
		put16(pd, o, s0)
		put16(pd, o+16, s1)
		put16(pd, o+32, s2)
		put16(pd, o+48, s3)
	}
	archsimd.ClearAVXUpperBits()
}

// denseTileAVX512 works on two rows at a time: four loads of the tile feed
// eight multiply-adds.
func denseTileAVX512(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	i := lo
	for ; i+2 <= hi; i += 2 {
		dense2(dst[i*dstStride:], dstStride, a[i*stride:], stride, k, src, srcStride)
	}
	for ; i < hi; i++ {
		pa, ps := ptr(a[i*stride:]), ptr(src)
		var s0, s1, s2, s3 zmm
		for j := range k {
			v, o := archsimd.BroadcastFloat32x16(at(pa, j)), j*srcStride
			s0, s1 = at16(ps, o).MulAdd(v, s0), at16(ps, o+16).MulAdd(v, s1)
			s2, s3 = at16(ps, o+32).MulAdd(v, s2), at16(ps, o+48).MulAdd(v, s3)
		}
		put64(ptr(dst[i*dstStride:]), 0, s0, s1, s2, s3)
	}
	archsimd.ClearAVXUpperBits()
}

func dense2(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride int) {
	a0, ps := ptr(a), ptr(src)
	a1 := unsafe.Add(a0, stride*4)
	var s00, s01, s02, s03, s10, s11, s12, s13 zmm
	for j := range k {
		v, w := archsimd.BroadcastFloat32x16(at(a0, j)), archsimd.BroadcastFloat32x16(at(a1, j))
		x := at16(ps, 0)
		s00, s10 = v.MulAdd(x, s00), w.MulAdd(x, s10)
		x = at16(ps, 16)
		s01, s11 = v.MulAdd(x, s01), w.MulAdd(x, s11)
		x = at16(ps, 32)
		s02, s12 = v.MulAdd(x, s02), w.MulAdd(x, s12)
		x = at16(ps, 48)
		s03, s13 = v.MulAdd(x, s03), w.MulAdd(x, s13)
		ps = unsafe.Add(ps, srcStride*4)
	}
	d := ptr(dst)
	put64(d, 0, s00, s01, s02, s03)
	put64(d, dstStride, s10, s11, s12, s13)
}

func put64(base unsafe.Pointer, offset int, s0, s1, s2, s3 zmm) {
	put16(base, offset, s0)
	put16(base, offset+16, s1)
	put16(base, offset+32, s2)
	put16(base, offset+48, s3)
}
