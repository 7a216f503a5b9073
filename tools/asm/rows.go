package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// The row operations move more bytes than they compute, so eight lanes are as
// fast as sixteen and both levels use these. n is a multiple of 8, at least 8.

// axpy is y += alpha·x.
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

// combine is dst = a·x + b·y.
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

// shiftScale is dst = (x − shift)·scale.
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

// sum returns Σ xᵢ.
func sum() {
	function("sumAVX2", "func(x *float32, n int) float32")
	x, s := argument("x"), avx2.zeros(1)[0]
	eachEight(func(lanes place) { VADDPS(lanes(x), s, s) })
	VMOVSS(avx2.sums(s, s, s, s), result(ReturnIndex(0)))
	end()
}

// minimum returns the least number of each lane.
func minimum() {
	function("minimumAVX2", "func(x *float32, n int) [8]float32")
	x := argument("x")
	least := load(Mem{Base: x})
	eachEight(func(lanes place) { VMINPS(lanes(x), least, least) })
	VMOVUPS(least, result(ReturnIndex(0).Index(0)))
	end()
}

// bins writes the number of the bin of each similarity in s, (s + 1)·scale, at most last, and for each
// eight a byte of marks: a bit is set if the bin is from beforeLow+1 to high, or above belowAbove.
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

// adam is a step of Adam: it updates the weights w and the moments m and v by the gradient. rest1 and
// rest2 are 1−β₁ and 1−β₂, step and correction the step size and the factor of √v.
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

// logistic returns Σ max(s, 0) and the product of 1+e⁻|s| in each lane; e⁻ˣ is
// computed as in plain Go's exp.
func logistic() {
	function("logisticAVX2", "func(s *float32, n int) (positive float32, product [8]float32)")
	s := argument("s")
	zero, positive := avx2.zeros(1)[0], avx2.zeros(1)[0]
	one, limit := load(constant(1)), load(constant(expLimit))
	product := load(constant(1))
	eachEight(func(lanes place) {
		v, x, n := load(lanes(s)), YMM(), YMM()
		VSUBPS(v, zero, x)
		VMAXPS(x, v, x)
		VMINPS(limit, x, x)
		VSUBPS(x, zero, x)

		VMULPS(constant(log2E), x, n)
		VROUNDPS(U8(0), n, n)
		VFMADD231PS(constant(-ln2Head), n, x)
		VFMADD231PS(constant(-ln2Tail), n, x)
		e := load(constant(expSeries[0]))
		for _, c := range expSeries[1:] {
			VFMADD213PS(constant(c), x, e)
		}
		VCVTTPS2DQ(n, n)
		VPADDD(constantInt(127), n, n)
		VPSLLD(U8(23), n, n)
		VMULPS(n, e, e)

		VMAXPS(zero, v, x)
		VADDPS(x, positive, positive)
		VADDPS(e, one, n)
		VMULPS(n, product, product)
		VDIVPS(n, one, n)
		VMULPS(n, e, e)
		VCMPPS(U8(13), zero, v, v) // not less
		VBLENDVPS(v, n, e, e)
		VMOVUPS(e, lanes(s))
	})
	VMOVUPS(product, result(Return("product").Index(0)))
	VMOVSS(avx2.sums(positive, positive, positive, positive), result(Return("positive")))
	end()
}
