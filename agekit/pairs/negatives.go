package pairs

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// NextNegatives returns count of the negative pairs that were drawn while the
// pairs were ranked ([Options].Draws), starting at index from. If these run
// out, it draws others with [Selection.DrawNegatives].
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

// Drawn returns the number of negative pairs that were drawn while the pairs
// were ranked.
func (s *Selection) Drawn() int { return len(s.drawn) }

// DrawNegatives returns count negative pairs, drawn uniformly with
// replacement: a random pair is kept if its similarity is at most the
// threshold. With the paper's thresholds, a pair takes 1.1 to 5 tries on
// average.
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	const chunk = 1 << 14
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	var left, right [chunk]int32 // candidates
	var similarities [chunk]float32
	n := int32(s.z.Rows)
	share := float64(s.Negatives) / (float64(n) * float64(n))
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for k := range left {
			left[k], right[k] = rnd.Int32N(n), rnd.Int32N(n)
		}
		// Compute about as many similarities as the missing pairs need.
		for lo := 0; lo < chunk && len(i) < count; {
			hi := min(chunk, lo+int(float64(count-len(i))/share)+64)
			parallel.Blocks(hi-lo, 512, func(from, to int) {
				from, to = lo+from, lo+to
				simd.PairDots(similarities[from:to], s.z.Data, s.z.Stride, simd.Padded(s.z.Cols), left[from:to], right[from:to])
			})
			for k := lo; k < hi && len(i) < count; k++ {
				if similarities[k] <= s.NegThreshold {
					i, j = append(i, left[k]), append(j, right[k])
				}
			}
			lo = hi
		}
	}
	return i, j, nil
}
