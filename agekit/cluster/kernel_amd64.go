//go:build goexperiment.simd

package cluster

import (
	"simd/archsimd"
	"unsafe"
)

var hasAVX2 = archsimd.X86.AVX2() && archsimd.X86.FMA()

type ymm = archsimd.Float64x4

// at4 loads 4 numbers at base + offset numbers; the callers' matrices have
// checked the bounds.
func at4(base unsafe.Pointer, offset int) ymm {
	return archsimd.LoadFloat64x4((*[4]float64)(unsafe.Add(base, offset*8)))
}

func put4(base unsafe.Pointer, offset int, v ymm) {
	v.Store((*[4]float64)(unsafe.Add(base, offset*8)))
}

// mulPanel adds a·x to dst, both lanes columns wide, four rows of a at a
// time: eight sums stay in registers.
func mulPanel[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	i := 0
	if hasAVX2 {
		px, pd := unsafe.Pointer(&x.data[0]), unsafe.Pointer(&dst.data[0])
		for ; i+4 <= a.rows; i += 4 {
			r0, r1, r2, r3 := a.row(i), a.row(i+1), a.row(i+2), a.row(i+3)
			r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
			o := i * dst.stride
			s00, s01 := at4(pd, o), at4(pd, o+4)
			s10, s11 := at4(pd, o+dst.stride), at4(pd, o+dst.stride+4)
			s20, s21 := at4(pd, o+2*dst.stride), at4(pd, o+2*dst.stride+4)
			s30, s31 := at4(pd, o+3*dst.stride), at4(pd, o+3*dst.stride+4)
			q := 0
			for j, v := range r0 {
				y0, y1 := at4(px, q), at4(px, q+4)
				q += x.stride
				f := archsimd.BroadcastFloat64x4(float64(v))
				s00, s01 = f.MulAdd(y0, s00), f.MulAdd(y1, s01)
				f = archsimd.BroadcastFloat64x4(float64(r1[j]))
				s10, s11 = f.MulAdd(y0, s10), f.MulAdd(y1, s11)
				f = archsimd.BroadcastFloat64x4(float64(r2[j]))
				s20, s21 = f.MulAdd(y0, s20), f.MulAdd(y1, s21)
				f = archsimd.BroadcastFloat64x4(float64(r3[j]))
				s30, s31 = f.MulAdd(y0, s30), f.MulAdd(y1, s31)
			}
			put4(pd, o, s00)
			put4(pd, o+4, s01)
			put4(pd, o+dst.stride, s10)
			put4(pd, o+dst.stride+4, s11)
			put4(pd, o+2*dst.stride, s20)
			put4(pd, o+2*dst.stride+4, s21)
			put4(pd, o+3*dst.stride, s30)
			put4(pd, o+3*dst.stride+4, s31)
		}
		archsimd.ClearAVXUpperBits()
	}
	if i < a.rows {
		mulPanelGo(dst.slice(i, a.rows, 0, lanes), a.slice(i, a.rows, 0, a.cols), x)
	}
}

// mulTransPanel adds aᵀ·x to dst, both lanes columns wide, four columns of a
// at a time: eight sums stay in registers here too.
func mulTransPanel[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	j := 0
	if hasAVX2 {
		px, pd := unsafe.Pointer(&x.data[0]), unsafe.Pointer(&dst.data[0])
		for ; j+4 <= a.cols; j += 4 {
			o := j * dst.stride
			s00, s01 := at4(pd, o), at4(pd, o+4)
			s10, s11 := at4(pd, o+dst.stride), at4(pd, o+dst.stride+4)
			s20, s21 := at4(pd, o+2*dst.stride), at4(pd, o+2*dst.stride+4)
			s30, s31 := at4(pd, o+3*dst.stride), at4(pd, o+3*dst.stride+4)
			q := 0
			for i := range a.rows {
				v := (*[4]T)(a.data[i*a.stride+j:])
				y0, y1 := at4(px, q), at4(px, q+4)
				q += x.stride
				f := archsimd.BroadcastFloat64x4(float64(v[0]))
				s00, s01 = f.MulAdd(y0, s00), f.MulAdd(y1, s01)
				f = archsimd.BroadcastFloat64x4(float64(v[1]))
				s10, s11 = f.MulAdd(y0, s10), f.MulAdd(y1, s11)
				f = archsimd.BroadcastFloat64x4(float64(v[2]))
				s20, s21 = f.MulAdd(y0, s20), f.MulAdd(y1, s21)
				f = archsimd.BroadcastFloat64x4(float64(v[3]))
				s30, s31 = f.MulAdd(y0, s30), f.MulAdd(y1, s31)
			}
			put4(pd, o, s00)
			put4(pd, o+4, s01)
			put4(pd, o+dst.stride, s10)
			put4(pd, o+dst.stride+4, s11)
			put4(pd, o+2*dst.stride, s20)
			put4(pd, o+2*dst.stride+4, s21)
			put4(pd, o+3*dst.stride, s30)
			put4(pd, o+3*dst.stride+4, s31)
		}
		archsimd.ClearAVXUpperBits()
	}
	if j < a.cols {
		mulTransPanelGo(dst.slice(j, a.cols, 0, lanes), a.slice(0, a.rows, j, a.cols), x)
	}
}
