package simd

import "math"

// whole returns how many of n numbers the assembly takes: blocks of eight. Plain
// Go does the rest, and everything where there is no assembly. One call does all
// of it: a call takes no longer than the built-in copy of the same slice.
func whole(n int) int {
	if active == nil {
		return 0
	}
	return n &^ 7
}

// Axpy adds alpha·x to y.
func Axpy(alpha float32, x, y []float32) {
	y = y[:len(x)]
	done := whole(len(x))
	if done > 0 {
		active.axpy(alpha, &x[0], &y[0], done)
	}
	for i := done; i < len(x); i++ {
		y[i] += alpha * x[i]
	}
}

// Min returns the smallest number of x and the first index that holds it.
// x must not be empty.
func Min(x []float32) (float32, int) {
	smallest, done := x[0], whole(len(x))
	if done > 0 {
		lanes := active.minimum(&x[0], done)
		smallest = lanes[0]
		for _, v := range lanes[1:] {
			smallest = min(smallest, v)
		}
	}
	for _, v := range x[done:] {
		smallest = min(smallest, v)
	}
	for i, v := range x {
		if v == smallest {
			return smallest, i
		}
	}
	return smallest, 0 // only with NaN in x
}

// Bins writes the bin of every number of s in count equal parts of [−1, 1]:
//
//	dst[i] = ⌊(s[i]+1)·count/2⌋, at least 0 and at most count−1
//
// Bit i mod 8 of marks[i/8] says whether from ≤ dst[i] ≤ to or dst[i] ≥ above.
// dst needs the length of s, and marks an eighth of it, rounded up. Count is at
// most 2²⁴, so that the bins are exact.
func Bins(dst []int32, marks []uint8, s []float32, count, from, to, above int32) {
	dst, marks = dst[:len(s)], marks[:(len(s)+7)/8]
	scale, last := float32(count)/2, float32(count-1)
	done := whole(len(s))
	if done > 0 {
		active.bins(&dst[0], &marks[0], &s[0], done, scale, last, from-1, to, above-1)
	}
	clear(marks[done/8:])
	for i := done; i < len(s); i++ {
		b := int32(min(max((s[i]+1)*scale, 0), last))
		dst[i] = b
		if b >= from && b <= to || b >= above {
			marks[i/8] |= 1 << (i % 8)
		}
	}
}

// ShiftScale writes dst = (x − shift)·scale.
func ShiftScale(dst, x []float32, shift, scale float32) {
	dst = dst[:len(x)]
	done := whole(len(x))
	if done > 0 {
		active.shiftScale(&dst[0], &x[0], shift, scale, done)
	}
	for i := done; i < len(x); i++ {
		dst[i] = (x[i] - shift) * scale
	}
}

// Combine writes dst = a·x + b·y.
func Combine(dst []float32, a float32, x []float32, b float32, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	done := whole(len(x))
	if done > 0 {
		active.combine(&dst[0], a, &x[0], b, &y[0], done)
	}
	for i := done; i < len(x); i++ {
		dst[i] = a*x[i] + b*y[i]
	}
}

// Sum returns Σ xᵢ.
func Sum(x []float32) float32 {
	var s float32
	done := whole(len(x))
	if done > 0 {
		s = active.sum(&x[0], done)
	}
	for _, v := range x[done:] {
		s += v
	}
	return s
}

// AdamRates are the constants of one Adam step (Kingma and Ba 2015,
// algorithm 1): the decay rates β₁ and β₂, the step size lr/(1−β₁ᵗ), the
// factor 1/√(1−β₂ᵗ) and ε.
type AdamRates struct{ Beta1, Beta2, StepSize, Correction, Epsilon float32 }

// AdamRatesAt returns the constants of a step, counted from 1, with the usual
// decay rates 0.9 and 0.999 and ε = 10⁻⁸.
func AdamRatesAt(learningRate float64, step int) AdamRates {
	return AdamRates{
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
		StepSize:   float32(learningRate / (1 - math.Pow(0.9, float64(step)))),
		Correction: float32(1 / math.Sqrt(1-math.Pow(0.999, float64(step)))),
	}
}

// Adam makes one Adam step on the weights w with the gradient g, the first
// moments m and the second moments v:
//
//	m = β₁m + (1−β₁)g,  v = β₂v + (1−β₂)g²,  w −= StepSize · m / (√v·Correction + ε)
func Adam(w, g, m, v []float32, r AdamRates) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	done := whole(len(w))
	if done > 0 {
		active.adam(&w[0], &g[0], &m[0], &v[0], done, r.Beta1, 1-r.Beta1, r.Beta2, 1-r.Beta2, r.StepSize, r.Correction, r.Epsilon)
	}
	adamGo(w[done:], g[done:], m[done:], v[done:], r)
}
