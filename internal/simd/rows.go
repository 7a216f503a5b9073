package simd

import "math"

// whole returns how many of n numbers the assembly takes, whole blocks of eight: 0 at the level without
// assembly. Plain Go does the rest.
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

// Bins writes the bin of every number of s to dst, where count bins divide [−1, 1] into equal parts:
//
//	dst[i] = ⌊(s[i]+1)·count/2⌋, at least 0 and at most count−1
//
// It marks the numbers in the bins from low to high, and those in the bins from above on: bit i mod 8 of
// marks[i/8] is 1 if low ≤ dst[i] ≤ high or dst[i] ≥ above, and otherwise 0. dst needs the length of
// s, and marks an eighth of it, rounded up. Count is at most 2²⁴, so that the bins are exact.
func Bins(dst []int32, marks []uint8, s []float32, count, low, high, above int32) {
	dst, marks = dst[:len(s)], marks[:(len(s)+7)/8]
	scale, last := float32(count)/2, float32(count-1)
	done := whole(len(s))
	if done > 0 {
		active.bins(&dst[0], &marks[0], &s[0], done, scale, last, low-1, high, above-1)
	}
	clear(marks[done/8:]) // the assembly sets those before
	for i := done; i < len(s); i++ {
		b := int32(min(max((s[i]+1)*scale, 0), last))
		dst[i] = b
		if b >= low && b <= high || b >= above {
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

// AdamRates are the constants of one Adam step (Kingma and Ba 2015, algorithm 1): the
// decay rates β₁ and β₂, the step size lr/(1−β₁ᵗ), the factor 1/√(1−β₂ᵗ) and ε.
type AdamRates struct{ Beta1, Beta2, StepSize, Correction, Epsilon float32 }

// AdamRatesAt returns the constants of a step, counted from 1, with the usual
// decay rates 0.9 and 0.999 and ε = 10⁻⁸.
func AdamRatesAt(learningRate float64, step int) AdamRates {
	const beta1, beta2 = 0.9, 0.999
	return AdamRates{
		Beta1: beta1, Beta2: beta2, Epsilon: 1e-8,
		StepSize:   float32(learningRate / (1 - math.Pow(beta1, float64(step)))),
		Correction: float32(1 / math.Sqrt(1-math.Pow(beta2, float64(step)))),
	}
}

// Adam makes one Adam step with the gradient g. It changes the weights w, the first moments m and the
// second moments v:
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

// Logistic replaces every number s by σ(s) = 1/(1+e⁻ˢ) and returns
//
//	Σ softplus(s),  softplus(s) = log(1+eˢ) = max(s, 0) + log(1+e⁻|s|),
//
// where σ has a relative error of a few units of float32's last digit, and softplus such an absolute
// error. Many numbers share a logarithm: Σ log(1+e⁻|s|) = log Π(1+e⁻|s|).
func Logistic(s []float32) float64 {
	var total float64
	for len(s) > 0 {
		part := s[:min(len(s), logisticChunk)]
		done := whole(len(part))
		var sum float64
		if done > 0 {
			positive, factors := active.logistic(&part[0], done)
			product := 1.0
			for _, v := range factors {
				product *= float64(v)
			}
			sum = float64(positive) + math.Log(product)
		}
		total += sum + logisticGo(part[done:])
		s = s[len(part):]
	}
	return total
}

// logisticChunk numbers share a logarithm, and in eight lanes 64 factors: their
// product stays below 2⁶⁴, and that of all lanes in float64's range.
const logisticChunk = 512

// expLimit keeps e⁻ˣ a normal number.
const expLimit = 80

// logisticGo is [Logistic] in plain Go, for at most logisticChunk numbers: it overwrites s, too.
func logisticGo(s []float32) float64 {
	positive, product := 0.0, 1.0
	for k, v := range s {
		e := exp(-min(max(v, -v), expLimit))
		positive += float64(max(v, 0))
		product *= float64(1 + e) // below 2⁵¹²
		r := 1 / (1 + e)
		if v < 0 {
			r *= e
		}
		s[k] = r
	}
	return positive + math.Log(product)
}

// exp returns eˣ for |x| ≤ 80 with a relative error below 10⁻⁶: 2ⁿ·eᶠ, with
// f from −½·log 2 to ½·log 2 and the series of eᶠ to the sixth power.
func exp(x float32) float32 {
	n := float32(math.RoundToEven(float64(x * math.Log2E)))
	f := (x - n*ln2Head) - n*ln2Tail
	p := f*expSeries[0] + expSeries[1]
	for _, c := range expSeries[2:] {
		p = p*f + c
	}
	const exponentBias, fractionBits = 127, 23 // of float32
	return p * math.Float32frombits(uint32(int32(n)+exponentBias)<<fractionBits)
}

// log 2 in two parts: multiples of the first are exact.
const ln2Head, ln2Tail = 0.693359375, -2.12194440e-4

// expSeries are the coefficients of the series of eᶠ, from that of f⁶ on.
var expSeries = [...]float32{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1}
