package pairs

import (
	"math"
	"math/rand/v2"
)

// poisson draws from the n² ordered pairs of n nodes, each independently of the
// others a number of times that has a Poisson distribution of the same mean.
// Given how many draws there are they are uniform with replacement, and a
// pass over the pairs makes them on the way. Both orders of a pair count as
// one here, drawn twice as often as a pair (i, i).
type poisson struct {
	mean  float64 // of an ordered pair
	share float64 // of all pairs the negative ones
	// next is where in row i of the upper triangle the next draw falls: a
	// pair (i, i+c) has the places from c to c+1, but (i, i) only those
	// from ½ on.
	next []float64
	rnd  []rand.PCG
}

// drawsAmong returns the draws that o asks for from the pairs of n nodes, of
// which the given number is negative; nil for no draws. With all but
// vanishing probability they are at least o.Draws.
func drawsAmong(n, negatives int, o Options) *poisson {
	if o.Draws == 0 {
		return nil
	}
	p := &poisson{
		mean: surely(o.Draws) / float64(negatives), share: float64(negatives) / float64(n*n),
		next: make([]float64, n), rnd: make([]rand.PCG, n),
	}
	for i := range n {
		p.rnd[i] = *rand.NewPCG(o.Key, uint64(i))
		p.next[i] = 0.5
		p.advance(i)
	}
	return p
}

// advance goes to row i's next draw, after an exponential gap.
func (p *poisson) advance(i int) {
	p.next[i] += rand.New(&p.rnd[i]).ExpFloat64() / (2 * p.mean)
}

// expected returns about how many draws of some rows of the upper triangle are
// negative.
func (p *poisson) expected(lo, hi int) int {
	pairs := float64(hi-lo) * float64(2*len(p.next)-lo-hi)
	return int(surely(int(p.mean * p.share * pairs)))
}

// surely returns a mean with which a Poisson distribution all but never gives
// less than count.
func surely(count int) float64 { return float64(count) + 6*math.Sqrt(float64(count)) + 20 }
