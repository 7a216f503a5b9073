package encoder

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// DrawNegatives returns count negative pairs, drawn uniformly with
// replacement: a random pair is kept if its similarity is at most the
// threshold. A pair is tried 1.1 to 5 times on average with the paper's
// thresholds.
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	const chunk = 1 << 14
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	var candidates [chunk][2]int32
	var negative [chunk]bool
	n := int32(s.z.Rows)
	share := float64(s.Negatives) / (float64(n) * float64(n))
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for k := range candidates {
			candidates[k] = [2]int32{rnd.Int32N(n), rnd.Int32N(n)}
		}
		// About as many similarities as are needed for what is missing.
		for lo := 0; lo < chunk && len(i) < count; {
			hi := min(chunk, lo+int(float64(count-len(i))/share)+64)
			parallel.Blocks(hi-lo, 512, func(from, to int) {
				for k := lo + from; k < lo+to; k++ {
					c := candidates[k]
					negative[k] = simd.Dot(row(s.z, int(c[0])), row(s.z, int(c[1]))) <= s.NegThreshold
				}
			})
			for k := lo; k < hi && len(i) < count; k++ {
				if negative[k] {
					i, j = append(i, candidates[k][0]), append(j, candidates[k][1])
				}
			}
			lo = hi
		}
	}
	return i, j, nil
}
