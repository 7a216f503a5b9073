package pairs

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/simd"
)

// NextNegatives returns count of the negative pairs that were drawn while the pairs
// were ranked ([Options].Draws), from index from on. If these run out, it is
// [Selection.DrawNegatives].
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
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	const chunk = 1 << 14
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	var u, v [chunk]int32 // the nodes of candidates
	var similarities [chunk]float32
	n := int32(s.z.Rows)
	share := float64(s.Negatives) / (float64(n) * float64(n))
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for k := range u {
			u[k], v[k] = rnd.Int32N(n), rnd.Int32N(n)
		}
		// Compute about as many similarities as the missing pairs need.
		for lo := 0; lo < chunk && len(i) < count; {
			hi := min(chunk, lo+int(float64(count-len(i))/share)+64)
			linalg.Parallel(hi-lo, 512, func(first, end int) {
				first, end = lo+first, lo+end
				simd.PairDots(similarities[first:end], s.z.Data, s.z.Stride, simd.Padded(s.z.Cols), u[first:end], v[first:end])
			})
			for k := lo; k < hi && len(i) < count; k++ {
				if similarities[k] <= s.NegThreshold {
					i = append(i, u[k])
					j = append(j, v[k])
				}
			}
			lo = hi
		}
	}
	return i, j, nil
}

// poisson draws from the n² ordered pairs of n nodes. How often it draws a pair has a
// Poisson distribution with the same mean for all pairs, so that draws can be made
// during a pass over the pairs; given their number, they are uniform with replacement.
// Both orders of a pair count as one here, drawn twice as often as a pair (i, i).
type poisson struct {
	mean  float64 // per ordered pair
	share float64 // fraction of all pairs that are negative
	// next[i] is the position of the next draw in row i of the upper triangle. The pair
	// (i, i+c) occupies the positions from c to c+1, but (i, i) only those from ½ to 1.
	next []float64
	rnd  []rand.PCG
}

// newPoisson returns draws from the n² pairs of n nodes, of which so many are negative, with a mean
// that makes at least count of the draws negative, except with vanishing probability; nil if count is
// 0. The key is their seed.
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

// advance moves to row i's next draw, after an exponential gap.
func (p *poisson) advance(i int) {
	p.next[i] += rand.New(&p.rnd[i]).ExpFloat64() / (2 * p.mean)
}

// expected returns a number of negative draws that the rows lo to hi of the upper triangle hardly
// ever exceed.
func (p *poisson) expected(lo, hi int) int {
	pairs := float64(hi-lo) * float64(2*len(p.next)-lo-hi) // in both orders
	return int(surely(int(p.mean * p.share * pairs)))
}

// surely returns a mean with which a Poisson variable is almost never below count.
func surely(count int) float64 { return float64(count) + 6*math.Sqrt(float64(count)) + 20 }
