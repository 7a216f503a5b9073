package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// The functions that this file writes spend their time on moving bytes, so eight lanes are as fast as
// sixteen, and both levels use the same. n is a multiple of 8, at least 8.

// axpy writes a function that adds alpha·x to y.
func axpy() {
	function("axpyAVX2", "func(alpha float32, x, y *float32, n int)")
	alpha, x, y := scalar("alpha"), argument("x"), argument("y")
	eachEight(func(lanes place) {
		s := load(lanes(y))
		VFMADD231PS(lanes(x), alpha, s)
		VMOVUPS(s, lanes(y))
	})
	end()
}

// combine writes a function that sets dst to a·x + b·y.
func combine() {
	function("combineAVX2", "func(dst *float32, a float32, x *float32, b float32, y *float32, n int)")
	dst, a, x, b, y := argument("dst"), scalar("a"), argument("x"), scalar("b"), argument("y")
	eachEight(func(lanes place) {
		s := YMM()
		VMULPS(lanes(y), b, s)
		VFMADD231PS(lanes(x), a, s)
		VMOVUPS(s, lanes(dst))
	})
	end()
}

// shiftScale writes a function that sets dst to (x − shift)·scale.
func shiftScale() {
	function("shiftScaleAVX2", "func(dst, x *float32, shift, scale float32, n int)")
	dst, x, shift, scale := argument("dst"), argument("x"), scalar("shift"), scalar("scale")
	eachEight(func(lanes place) {
		v := load(lanes(x))
		VSUBPS(shift, v, v)
		VMULPS(scale, v, v)
		VMOVUPS(v, lanes(dst))
	})
	end()
}

// sum writes a function that returns Σ xᵢ.
func sum() {
	function("sumAVX2", "func(x *float32, n int) float32")
	x, s := argument("x"), avx2.zeros(1)[0]
	eachEight(func(lanes place) { VADDPS(lanes(x), s, s) })
	VMOVSS(avx2.sums(s, s, s, s), result(ReturnIndex(0)))
	end()
}

// minimum writes a function that returns the least numbers of the eight lanes: number l is the least of
// x[l], x[l+8], x[l+16] and so on.
func minimum() {
	function("minimumAVX2", "func(x *float32, n int) [8]float32")
	x := argument("x")
	least := load(Mem{Base: x})
	eachEight(func(lanes place) { VMINPS(lanes(x), least, least) })
	VMOVUPS(least, result(ReturnIndex(0).Index(0)))
	end()
}

// bins writes a function that writes to dst the bin of each similarity v in s: (v + 1)·scale without its
// fraction, at least 0 and at most last. It also writes a byte of marks for each eight similarities: bit
// l is set if the bin of the l-th is from beforeLow+1 to high, or above belowAbove.
func bins() {
	function("binsAVX2", "func(dst *int32, marks *uint8, s *float32, n int, scale, last float32, beforeLow, high, belowAbove int32)")
	dst, marks, s := argument("dst"), argument("marks"), argument("s")
	scale, last := scalar("scale"), scalar("last")
	beforeLow, high, belowAbove := scalar("beforeLow"), scalar("high"), scalar("belowAbove")
	zero, one := avx2.zeros(1)[0], load(constant(1))
	eachEight(func(lanes place) {
		v, selected, beyond := load(lanes(s)), YMM(), YMM()
		VADDPS(one, v, v)
		VMULPS(scale, v, v)
		VMAXPS(zero, v, v)
		VMINPS(last, v, v)
		VCVTTPS2DQ(v, v)
		VMOVDQU(v, lanes(dst))
		VPCMPGTD(beforeLow, v, selected)
		VPCMPGTD(high, v, beyond)
		VPANDN(selected, beyond, selected)
		VPCMPGTD(belowAbove, v, v)
		VPOR(selected, v, v)
		mark := GP32()
		VMOVMSKPS(v, mark)
		MOVB(mark.As8(), Mem{Base: marks})
		INCQ(marks)
	})
	end()
}

// adam writes a function that does a step of Adam: m = β₁·m + (1−β₁)·grad, v = β₂·v + (1−β₂)·grad², and
// w −= step·m/(correction·√v + epsilon). rest1 is 1−β₁, and rest2 is 1−β₂.
func adam() {
	function("adamAVX2", "func(w, grad, m, v *float32, n int, beta1, rest1, beta2, rest2, step, correction, epsilon float32)")
	w, g, m, v := argument("w"), argument("grad"), argument("m"), argument("v")
	beta1, rest1, beta2, rest2 := scalar("beta1"), scalar("rest1"), scalar("beta2"), scalar("rest2")
	step, correction, epsilon := scalar("step"), scalar("correction"), scalar("epsilon")
	eachEight(func(lanes place) {
		gradient, first, second, root := load(lanes(g)), YMM(), YMM(), YMM()
		VMULPS(gradient, rest1, first)
		VFMADD231PS(lanes(m), beta1, first)
		VMULPS(gradient, rest2, second)
		VMULPS(gradient, second, second)
		VFMADD231PS(lanes(v), beta2, second)
		VMOVUPS(first, lanes(m))
		VMOVUPS(second, lanes(v))
		VSQRTPS(second, root)
		VFMADD213PS(epsilon, correction, root)
		VMULPS(first, step, first)
		VDIVPS(root, first, first)
		weight := load(lanes(w))
		VSUBPS(first, weight, weight)
		VMOVUPS(weight, lanes(w))
	})
	end()
}

// logistic writes a function for the logistic loss. It returns Σ max(s, 0), and in each lane the product
// of 1+e^−|s|, whose logarithms are the rest of the loss; and it replaces each s by the logistic function
// 1/(1+e^−s), the derivative. The exponential is computed as in exp of internal/simd: e^x = 2ⁿ·e^r, with
// n = x·log₂e rounded, the rest r = x − n·ln 2, and a series for e^r.
func logistic() {
	function("logisticAVX2", "func(s *float32, n int) (positive float32, product [8]float32)")
	s := argument("s")
	zero, positive := avx2.zeros(1)[0], avx2.zeros(1)[0]
	one, limit := load(constant(1)), load(constant(expLimit))
	product := load(constant(1))
	eachEight(func(lanes place) {
		v, x, n := load(lanes(s)), YMM(), YMM()
		// x = −min(|v|, limit)
		VSUBPS(v, zero, x)
		VMAXPS(x, v, x)
		VMINPS(limit, x, x)
		VSUBPS(x, zero, x)

		// e = e^x: n is the exponent of two, and x becomes the rest.
		VMULPS(constant(log2E), x, n)
		VROUNDPS(U8(0), n, n) // to the nearest
		VFMADD231PS(constant(-ln2Head), n, x)
		VFMADD231PS(constant(-ln2Tail), n, x)
		e := load(constant(expSeries[0]))
		for _, c := range expSeries[1:] {
			VFMADD213PS(constant(c), x, e)
		}
		// 2ⁿ is the float32 with n+127 in the exponent's bits, which begin at bit 23.
		VCVTTPS2DQ(n, n)
		VPADDD(constantInt(127), n, n)
		VPSLLD(U8(23), n, n)
		VMULPS(n, e, e)

		VMAXPS(zero, v, x)
		VADDPS(x, positive, positive)
		VADDPS(e, one, n)
		VMULPS(n, product, product)
		// 1/(1+e) where v is at least 0 (comparison 13), and e/(1+e) elsewhere.
		VDIVPS(n, one, n)
		VMULPS(n, e, e)
		VCMPPS(U8(13), zero, v, v)
		VBLENDVPS(v, n, e, e)
		VMOVUPS(e, lanes(s))
	})
	VMOVUPS(product, result(Return("product").Index(0)))
	VMOVSS(avx2.sums(positive, positive, positive, positive), result(Return("positive")))
	end()
}
