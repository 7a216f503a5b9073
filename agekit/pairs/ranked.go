package pairs

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// Ranked is what a device finds when it ranks the pairs in [Select]'s place.
type Ranked struct {
	// I and J are the positive pairs, sorted by I and then J.
	I, J []int32
	// PosThreshold is the smallest similarity of a positive pair, and NegThreshold the
	// largest of a negative one.
	PosThreshold, NegThreshold float32
	// Accepted has a bit for each [Candidate]: bit k%32 of word k/32 is 1 if candidate k is
	// negative. No more of them are used than [Candidates] returns.
	Accepted []uint32
}

// Selection returns the selection that r describes of the pairs of rows of z, by the same
// fractions: that of [Select], but without a Histogram, and with the accepted candidates, in
// order, as the negatives that were drawn. If these are fewer than [Options].Draws,
// [Selection.NextNegatives] draws the others.
//
// It keeps I and J. It returns an error if they are not as many different pairs of rows as the
// fractions make, in order.
func (r Ranked) Selection(z blas32.General, positives, negatives float64, o Options) (*Selection, error) {
	n := z.Rows
	s := &Selection{
		I: r.I, J: r.J, PosThreshold: r.PosThreshold, NegThreshold: r.NegThreshold,
		Anchors: n, z: linalg.Padded(z),
	}
	s.Positives, s.Negatives = Counts(n, positives, negatives)
	if err := s.checkList(); err != nil {
		return nil, err
	}
	words := r.Accepted
	if used := Candidates(n, s.Negatives, o.Draws) / 32; used < len(words) {
		words = words[:used]
	}
	s.drawn = accepted(words, o.Key, n)
	return s, nil
}

// checkList returns an error unless the positives are distinct pairs of nodes, in order.
func (s *Selection) checkList() error {
	if len(s.I) != s.Positives || len(s.J) != s.Positives {
		return fmt.Errorf("selecting pairs: %d and %d nodes listed: want %d pairs", len(s.I), len(s.J), s.Positives)
	}
	n := int32(s.z.Rows)
	return linalg.FirstError(s.Positives, 1<<14, func(k int) error {
		i, j := s.I[k], s.J[k]
		if i < 0 || i >= n || j < 0 || j >= n {
			return fmt.Errorf("selecting pairs: pair %d is (%d, %d): want two of %d nodes", k, i, j, n)
		}
		if k > 0 && (s.I[k-1] > i || s.I[k-1] == i && s.J[k-1] >= j) {
			return fmt.Errorf("selecting pairs: pair (%d, %d) is listed after (%d, %d)", i, j, s.I[k-1], s.J[k-1])
		}
		return nil
	})
}

// accepted returns the candidates whose bits are set, in order.
func accepted(words []uint32, key uint64, n int) []pair {
	const block = 1 << 12 // words
	starts := make([]int, (len(words)+block-1)/block+1)
	linalg.Parallel(len(words), block, func(lo, hi int) {
		for _, word := range words[lo:hi] {
			starts[lo/block+1] += bits.OnesCount32(word)
		}
	})
	for b := range len(starts) - 1 {
		starts[b+1] += starts[b]
	}
	all := make([]pair, starts[len(starts)-1])
	linalg.Parallel(len(words), block, func(lo, hi int) {
		next := starts[lo/block]
		for w := lo; w < hi; w++ {
			for word := words[w]; word != 0; word &= word - 1 {
				i, j := Candidate(key, w*32+bits.TrailingZeros32(word), n)
				all[next] = pair{i, j}
				next++
			}
		}
	})
	return all
}

// Candidate returns the k-th candidate for a negative pair of n nodes, uniform among the n²
// pairs: the two halves of output k of the generator SplitMix64 with the key as seed, each
// scaled from 2³² to n. Any candidate can be computed without those before it, and on any
// device.
func Candidate(key uint64, k, n int) (i, j int32) {
	x := mix(key + uint64(k)*mixStep)
	return int32(x >> 32 * uint64(n) >> 32), int32(x & math.MaxUint32 * uint64(n) >> 32)
}

// Candidates returns a number of candidates, a multiple of 32, that contain at least count
// negative pairs, except with vanishing probability, if the given number of all n² pairs are
// negative. It is 0 for a count of 0.
func Candidates(n, negatives, count int) int {
	if count == 0 {
		return 0
	}
	share := float64(negatives) / (float64(n) * float64(n))
	return int(math.Ceil(surely(count)/share/32)) * 32
}
