package pairs

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// Ranked is what a device, such as a GPU, finds when it ranks the pairs in [Select]'s place.
type Ranked struct {
	// I and J are the positive pairs, sorted by I and then J.
	I, J []int32
	// PosThreshold is the smallest similarity of a positive pair, and NegThreshold the
	// largest of a negative one.
	PosThreshold, NegThreshold float32
	// Accepted has a bit for each [Candidate]: bit k%32 of word k/32 is 1 if candidate k is
	// negative. Candidates beyond the number that [Candidates] returns are ignored.
	Accepted []uint32
}

// Selection returns the selection of pairs of rows of z that the device has found as r. positives,
// negatives and o are those of [Select], by which the device ranked the pairs. The selection is
// Select's, except that its Histogram is nil, and that the negatives drawn while ranking are the
// accepted candidates, in order. If these are fewer than [Options].Draws, [Selection.NextNegatives]
// draws the others.
//
// The selection keeps the slices r.I and r.J. Selection returns an error unless these are distinct
// pairs of rows, sorted, and as many as the fraction of positives asks for.
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

// checkList returns an error unless s.I and s.J are s.Positives distinct pairs of nodes, sorted by I and
// then J.
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
		if k > 0 && (s.I[k-1] > i || (s.I[k-1] == i && s.J[k-1] >= j)) {
			return fmt.Errorf("selecting pairs: pair (%d, %d) is listed after (%d, %d)", i, j, s.I[k-1], s.J[k-1])
		}
		return nil
	})
}

// accepted returns the candidates ([Candidate], with the key, for n nodes) whose bits are set in words, in
// order. A first pass counts the bits of each block of words, so that the second one knows where each
// block's candidates begin.
func accepted(words []uint32, key uint64, n int) []pair {
	const block = 1 << 12 // words that one core takes at a time
	starts := make([]int, (len(words)+block-1)/block+1)
	linalg.Parallel(len(words), block, func(lo, hi int) {
		for _, word := range words[lo:hi] {
			starts[lo/block+1] += bits.OnesCount32(word)
		}
	})
	for b := range len(starts) - 1 {
		starts[b+1] += starts[b]
	}
	// The candidates of block b are all[starts[b]:starts[b+1]].
	all := make([]pair, starts[len(starts)-1])
	linalg.Parallel(len(words), block, func(lo, hi int) {
		next := starts[lo/block]
		for w := lo; w < hi; w++ {
			for word := words[w]; word != 0; word &= word - 1 { // clears the lowest bit
				i, j := Candidate(key, w*32+bits.TrailingZeros32(word), n)
				all[next] = pair{i, j}
				next++
			}
		}
	})
	return all
}

// Candidate returns candidate k, from 0 on, for a negative pair of n nodes, uniform among the n² pairs.
// i comes from the upper and j from the lower 32 bits of output k of the generator SplitMix64 with
// the key as seed, each multiplied by n/2³². Any candidate can be computed without those before it,
// and on any device.
func Candidate(key uint64, k, n int) (i, j int32) {
	x := rng.Mix(key + uint64(k)*rng.MixStep)
	return int32(x >> 32 * uint64(n) >> 32), int32(x & math.MaxUint32 * uint64(n) >> 32)
}

// Candidates returns how many candidates a device must try so that at least count of them are negative
// pairs, except with vanishing probability. negatives is the number of negative pairs among the n²
// pairs of n nodes. The result is a multiple of 32, the bits of a word; it is 0 for a count of 0.
func Candidates(n, negatives, count int) int {
	if count == 0 {
		return 0
	}
	share := float64(negatives) / (float64(n) * float64(n))
	return int(math.Ceil(surely(count)/share/32)) * 32
}
