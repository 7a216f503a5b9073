package pairs

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// sampleSize is the number of random pairs that are drawn at a time: their buffers stay in the cache.
const sampleSize = 1 << 14

// sample has random ordered pairs (u, v) of nodes and, once they are compared, their similarities.
type sample struct {
	u, v         [sampleSize]int32
	similarities [sampleSize]float32
}

// draw draws the pairs, of n nodes.
func (s *sample) draw(n int, rnd *rand.Rand) {
	for k := range s.u {
		s.u[k], s.v[k] = rnd.Int32N(int32(n)), rnd.Int32N(int32(n))
	}
}

// compare computes the similarities of the pairs from lo to hi−1, products of rows of z, which is padded.
func (s *sample) compare(z blas32.General, lo, hi int) {
	const pairsPerCore = 512
	linalg.Parallel(hi-lo, pairsPerCore, func(first, end int) {
		first, end = lo+first, lo+end
		simd.PairDots(s.similarities[first:end], z.Data, z.Stride, simd.Padded(z.Cols), s.u[first:end], s.v[first:end])
	})
}

// threshold returns the similarity that the given share of the sample's pairs, the least similar ones, do not
// exceed. As in [Select], all pairs that tie with the last of them are at most the threshold. Therefore about
// this share of all pairs is, or more, but at least leastRank of the sample.
func (s *sample) threshold(share float64) float32 {
	const leastRank = 16 // with fewer, a sample says little about the share
	sorted := slices.Sorted(slices.Values(s.similarities[:]))
	rank := int(math.RoundToEven(share * sampleSize))
	return sorted[min(max(rank, leastRank), sampleSize)-1]
}

// tiedThreshold returns the threshold of the negatives in sampled mode, where it is in a bin with most of the
// negative pairs. A threshold between the ends of this bin is as good as any if the similarities are spread
// over it. But if nearly all are equal, as of equal rows, none may be at most that threshold. Then it is the
// one of random pairs.
func (s *Selection) tiedThreshold(between float32, rnd *rand.Rand) float32 {
	var random sample
	random.draw(s.z.Rows, rnd)
	random.compare(s.z, 0, sampleSize)
	negative := 0
	for _, v := range random.similarities {
		if v <= between {
			negative++
		}
	}
	const enough = 0.5 // of the share of pairs that should be negative
	if share := s.negativeShare(); float64(negative) < enough*share*sampleSize {
		return random.threshold(share)
	}
	return between
}
