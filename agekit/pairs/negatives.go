package pairs

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/rng"
)

// NextNegatives returns count negative pairs: of those drawn while the pairs were ranked
// ([Options].Draws), the ones from index from on. If fewer than count are left there, it returns
// the pairs of [Selection.DrawNegatives] with rnd instead.
func (s *Selection) NextNegatives(ctx context.Context, from, count int, rnd *rand.Rand) (i, j []int32, err error) {
	if from+count > len(s.drawn) {
		return s.DrawNegatives(ctx, count, rnd)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	i, j = make([]int32, count), make([]int32, count)
	for k, p := range s.drawn[from : from+count] {
		i[k], j[k] = p.i, p.j
	}
	return i, j, nil
}

// Drawn returns the number of negative pairs that were drawn while the pairs were ranked.
func (s *Selection) Drawn() int { return len(s.drawn) }

// DrawNegatives returns count negative pairs, drawn uniformly with replacement: a
// random pair is kept if its similarity is at most the threshold. With the paper's
// thresholds, a pair takes 1.1 to 5 tries on average.
//
// Where a device ranked the pairs ([Ranked]) and nearly all tie, rounding may put the similarities that are
// computed here above its threshold. If far fewer pairs are kept than are negative, the others are drawn
// with a threshold of this machine's similarities ([sample.threshold]).
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	const fewMore = 64
	var candidates sample
	threshold, share := s.NegThreshold, s.negativeShare()
	tried := 0
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		candidates.draw(s.z.Rows, rnd)
		// Compute about as many similarities as the missing pairs need, and a few more, so that the
		// last ones do not take many rounds.
		for lo := 0; lo < sampleSize && len(i) < count; {
			hi := min(sampleSize, lo+int(float64(count-len(i))/share)+fewMore)
			candidates.compare(s.z, lo, hi)
			for k := lo; k < hi && len(i) < count; k++ {
				if candidates.similarities[k] <= threshold {
					i = append(i, candidates.u[k])
					j = append(j, candidates.v[k])
				}
			}
			tried += hi - lo
			lo = hi
		}
		if threshold == s.NegThreshold && tooFew(len(i), float64(tried)*share) {
			candidates.compare(s.z, 0, sampleSize)
			threshold = candidates.threshold(share)
		}
	}
	return i, j, nil
}

// tooFew reports whether count pairs were kept of so many that surely more would have been, if as many of
// them were negative as were expected.
func tooFew(count int, expected float64) bool {
	const enough, least = 256, 1. / 16 // expected pairs that tell, and the share of them that must be kept
	return expected >= enough && float64(count) < least*expected
}

// negativeShare returns the fraction of all pairs that are negative.
func (s *Selection) negativeShare() float64 {
	n := float64(s.z.Rows)
	return float64(s.Negatives) / (n * n)
}

// poisson draws from the n² ordered pairs of n nodes during a pass over the upper triangle of pairs.
// The number of times that a pair is drawn has a Poisson distribution, with the same mean for all ordered
// pairs. Therefore each pair can be drawn without knowing the others, and the draws together are
// uniform with replacement. A pair (i, j) of the upper triangle stands for both orders: it is drawn
// twice as often as a pair (i, i).
type poisson struct {
	mean  float64 // expected number of draws of each ordered pair
	share float64 // fraction of all pairs that are negative
	// next[i] is the position of the next draw in row i of the upper triangle. The pair
	// (i, i+c) occupies the positions from c to c+1, but (i, i) only those from ½ to 1.
	next []float64
	rnd  []rand.PCG // of each row, so that rows can be drawn in any order
}

// newPoisson returns a poisson for n nodes, of whose n² pairs the given number are negative. Its mean
// is such that at least count of the draws are negative, except with vanishing probability. The key is
// the seed of the draws. If count is 0, newPoisson returns nil: no draws.
func newPoisson(n, negatives, count int, key uint64) *poisson {
	if count == 0 {
		return nil
	}
	p := &poisson{
		mean:  surely(count) / float64(negatives),
		share: float64(negatives) / float64(n*n),
		next:  make([]float64, n),
		rnd:   make([]rand.PCG, n),
	}
	for i := range n {
		p.rnd[i] = *rng.Generator(key, rng.Row(i))
		p.next[i] = 0.5
		p.advance(i)
	}
	return p
}

// advance moves next[i] to row i's next draw: the gaps between the draws of a Poisson process are
// exponential, with the mean 1/(2·mean) because a unit of positions holds both orders of a pair.
func (p *poisson) advance(i int) {
	p.next[i] += rand.New(&p.rnd[i]).ExpFloat64() / (2 * p.mean)
}

// mostNegatives returns a number that the negative draws of rows lo to hi−1 of the upper triangle hardly
// ever exceed. It is the capacity of their list, which grows if it does not suffice.
func (p *poisson) mostNegatives(lo, hi int) int {
	n := len(p.next)
	// Row i stands for 2(n−i) − 1 ordered pairs: (i, i), and n−i−1 others in both orders.
	pairs := float64(hi-lo) * float64(2*n-lo-hi) // the sum over the rows
	return int(surely(int(p.mean * p.share * pairs)))
}

// surely returns a mean with which a Poisson variable is almost never below count: count plus six
// standard deviations, and 20 more for small counts, whose distribution is skewed.
func surely(count int) float64 { return float64(count) + 6*math.Sqrt(float64(count)) + 20 }
