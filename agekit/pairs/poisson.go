package pairs

import (
	"math"
	"math/rand/v2"
)

// poisson draws from the n² ordered pairs of n nodes. The number of times that a pair
// is drawn has a Poisson distribution with the same mean for all pairs, so that draws
// can be made during a pass over the pairs; given their total number, they are uniform
// with replacement. Both orders of a pair count as one here, which is drawn twice as
// often as a pair (i, i).
type poisson struct {
	mean  float64 // per ordered pair
	share float64 // fraction of all pairs that are negative
	// next[i] is the position of the next draw in row i of the upper triangle.
	// The pair (i, i+c) occupies the positions from c to c+1, but (i, i) only
	// those from ½ to 1.
	next []float64
	rnd  []rand.PCG
}

// drawsAmong returns draws from the pairs of n nodes, of which the given number
// is negative, or nil for no draws. Except with vanishing probability, at least
// count of them are negative.
func drawsAmong(n, negatives, count int, key uint64) *poisson {
	if count == 0 {
		return nil
	}
	p := &poisson{
		mean: surely(count) / float64(negatives), share: float64(negatives) / float64(n*n),
		next: make([]float64, n), rnd: make([]rand.PCG, n),
	}
	for i := range n {
		p.rnd[i] = *rand.NewPCG(key, uint64(i))
		p.next[i] = 0.5
		p.advance(i)
	}
	return p
}

// advance moves to row i's next draw, after an exponential gap.
func (p *poisson) advance(i int) {
	p.next[i] += rand.New(&p.rnd[i]).ExpFloat64() / (2 * p.mean)
}

// expected returns about how many draws in rows lo to hi of the upper triangle
// are negative.
func (p *poisson) expected(lo, hi int) int {
	pairs := float64(hi-lo) * float64(2*len(p.next)-lo-hi)
	return int(surely(int(p.mean * p.share * pairs)))
}

// surely returns a mean for which a Poisson variable is almost never less than
// count.
func surely(count int) float64 { return float64(count) + 6*math.Sqrt(float64(count)) + 20 }
