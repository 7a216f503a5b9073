package simd

import "math"

// Logistic replaces every number s by σ(s) = 1/(1+e⁻ˢ) and returns
//
//	Σ softplus(s),  softplus(s) = log(1+eˢ) = max(s, 0) + log(1+e⁻|s|),
//
// the two parts of a cross entropy and its gradient. σ has a relative error of
// a few units of float32's last digit, softplus an absolute one. Many numbers
// share a logarithm: Σ log(1+e⁻|s|) = log Π(1+e⁻|s|), with factors from 1 to 2.
func Logistic(s []float32) float64 {
	var total float64
	for len(s) > 0 {
		part := s[:min(len(s), logisticChunk)]
		done := whole(len(part))
		var sum float64
		if done > 0 {
			positive, product := active.logistic(&part[0], done)
			sum = float64(positive)
			for _, v := range product {
				sum += math.Log(float64(v))
			}
		}
		total += sum + logisticGo(part[done:])
		s = s[len(part):]
	}
	return total
}

// logisticChunk numbers share a logarithm, and in eight lanes 64 factors: their
// product stays below 2⁶⁴.
const logisticChunk = 512

// expLimit keeps e⁻ˣ a normal number.
const expLimit = 80

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
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// log 2 in two parts: multiples of the first are exact.
const ln2Head, ln2Tail = 0.693359375, -2.12194440e-4

var expSeries = [...]float32{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1}
