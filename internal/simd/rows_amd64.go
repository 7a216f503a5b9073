//go:build goexperiment.simd && amd64

package simd

import (
	"math"
	"simd/archsimd"
)

// The row operations move more bytes than they compute, so eight lanes are as
// fast as sixteen and one form serves both levels. Each returns how many
// numbers it did: all whole registers, or none without AVX2.

func whole(n int) int {
	if !hasAVX2 {
		return 0
	}
	return n &^ 7
}

func axpy(alpha float32, x, y []float32) int {
	n := whole(len(x))
	px, py, a := ptr(x), ptr(y), archsimd.BroadcastFloat32x8(alpha)
	for i := 0; i < n; i += 8 {
		put8(py, i, a.MulAdd(at8(px, i), at8(py, i)))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func minimum(x []float32) (float32, int) {
	n := whole(len(x))
	if n == 0 {
		return x[0], 1
	}
	p := ptr(x)
	m := at8(p, 0)
	for i := 8; i < n; i += 8 {
		m = m.Min(at8(p, i))
	}
	var lanes [8]float32
	m.Store(&lanes)
	archsimd.ClearAVXUpperBits()
	smallest := lanes[0]
	for _, v := range lanes[1:] {
		smallest = min(smallest, v)
	}
	return smallest, n
}

func bins(dst []int32, marks []uint8, s []float32, count, from, to, above int32) int {
	n := whole(len(s))
	ps := ptr(s)
	one, scale := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(float32(count)/2)
	zero, last := archsimd.BroadcastFloat32x8(0), archsimd.BroadcastFloat32x8(float32(count-1))
	beforeFrom, lastIn := archsimd.BroadcastInt32x8(from-1), archsimd.BroadcastInt32x8(to)
	belowAbove := archsimd.BroadcastInt32x8(above - 1)
	for i := 0; i < n; i += 8 {
		b := at8(ps, i).Add(one).Mul(scale).Max(zero).Min(last).ConvertToInt32()
		b.Store((*[8]int32)(dst[i:]))
		marks[i/8] = b.Greater(beforeFrom).ToBits()&^b.Greater(lastIn).ToBits() | b.Greater(belowAbove).ToBits()
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func shiftScale(dst, x []float32, shift, scale float32) int {
	n := whole(len(x))
	pd, px := ptr(dst), ptr(x)
	s, a := archsimd.BroadcastFloat32x8(shift), archsimd.BroadcastFloat32x8(scale)
	for i := 0; i < n; i += 8 {
		put8(pd, i, at8(px, i).Sub(s).Mul(a))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func combine(dst []float32, a float32, x []float32, b float32, y []float32) int {
	n := whole(len(x))
	pd, px, py := ptr(dst), ptr(x), ptr(y)
	va, vb := archsimd.BroadcastFloat32x8(a), archsimd.BroadcastFloat32x8(b)
	for i := 0; i < n; i += 8 {
		put8(pd, i, va.MulAdd(at8(px, i), vb.Mul(at8(py, i))))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

func sum(x []float32) (float32, int) {
	n := whole(len(x))
	if n == 0 {
		return 0, 0
	}
	p := ptr(x)
	var s ymm
	for i := 0; i < n; i += 8 {
		s = s.Add(at8(p, i))
	}
	total := sum8(s)
	archsimd.ClearAVXUpperBits()
	return total, n
}

func adam(w, g, m, v []float32, r AdamRates) int {
	n := whole(len(w))
	pw, pg, pm, pv := ptr(w), ptr(g), ptr(m), ptr(v)
	b1, b2 := archsimd.BroadcastFloat32x8(r.Beta1), archsimd.BroadcastFloat32x8(r.Beta2)
	c1, c2 := archsimd.BroadcastFloat32x8(1-r.Beta1), archsimd.BroadcastFloat32x8(1-r.Beta2)
	step, correction := archsimd.BroadcastFloat32x8(r.StepSize), archsimd.BroadcastFloat32x8(r.Correction)
	epsilon := archsimd.BroadcastFloat32x8(r.Epsilon)
	for i := 0; i < n; i += 8 {
		gi := at8(pg, i)
		mi := b1.MulAdd(at8(pm, i), c1.Mul(gi))
		vi := b2.MulAdd(at8(pv, i), c2.Mul(gi).Mul(gi))
		put8(pm, i, mi)
		put8(pv, i, vi)
		put8(pw, i, at8(pw, i).Sub(step.Mul(mi).Div(correction.MulAdd(vi.Sqrt(), epsilon))))
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// logistic does at most logisticChunk numbers.
func logistic(s []float32) (total float64, done int) {
	n := whole(len(s))
	if n == 0 {
		return 0, 0
	}
	p := ptr(s)
	var zero, positive ymm
	one, limit := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(expLimit)
	product := one
	for i := 0; i < n; i += 8 {
		v := at8(p, i)
		e := exp8(zero.Sub(v.Max(zero.Sub(v)).Min(limit)))
		positive = positive.Add(v.Max(zero))
		f := one.Add(e)
		product = product.Mul(f)
		r := one.Div(f)
		put8(p, i, r.Merge(r.Mul(e), v.GreaterEqual(zero)))
	}
	var lanes [8]float32
	product.Store(&lanes)
	total = float64(sum8(positive))
	archsimd.ClearAVXUpperBits()
	for _, v := range lanes {
		total += math.Log(float64(v))
	}
	return total, n
}

// exp8 is exp in eight lanes.
func exp8(x ymm) ymm {
	n := x.Mul(archsimd.BroadcastFloat32x8(math.Log2E)).RoundToEven()
	f := n.MulAdd(archsimd.BroadcastFloat32x8(-ln2Tail), n.MulAdd(archsimd.BroadcastFloat32x8(-ln2Head), x))
	p := f.MulAdd(archsimd.BroadcastFloat32x8(expSeries[0]), archsimd.BroadcastFloat32x8(expSeries[1]))
	for _, c := range expSeries[2:] {
		p = p.MulAdd(f, archsimd.BroadcastFloat32x8(c))
	}
	power := n.ConvertToInt32().Add(archsimd.BroadcastInt32x8(127)).ShiftAllLeft(23).AsFloat32x8()
	return p.Mul(power)
}
