package pairs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// SelectSampled is [Select] on a sample: it ranks the pairs of some random nodes, the
// anchors, with all n nodes. The thresholds are the quantiles of these n·anchors pairs'
// similarities, with a resolution of 2⁻¹⁶. It lists about keep of the sampled pairs above
// the threshold, or all of them if there are fewer, each with the same probability.
//
// The anchors are drawn without replacement, so the diagonal is the same fraction of the
// sampled pairs as of all pairs. The standard errors of the thresholds account for the
// dependence of one anchor's pairs: the fraction of pairs beyond a threshold varies
// between anchors, and the distribution of the similarities turns its standard error into
// that of the threshold (Woodruff, JASA 47(260), 1952).
//
// A threshold lies between the ends of its bin as if the similarities there were spread evenly. Where most
// negative pairs are in that bin and tie above it, the negatives' threshold is that of random pairs, so that
// pairs that tie with the last negative one are negative, as in Select.
//
// It computes the similarities once, with n·anchors·d multiply-adds, or twice, as in
// Select. In addition to z, the memory is O(n + keep) and 33 MB of counts.
func SelectSampled(ctx context.Context, z blas32.General, positives, negatives float64, anchors, keep int, rnd *rand.Rand) (*Selection, error) {
	return selectSampled(ctx, z, positives, negatives, anchors, keep, rnd, (*anchorRows).guess)
}

// selectSampled is SelectSampled with any guesser. If the guess is wrong, a second pass follows: the
// result does not depend on the guess.
func selectSampled(ctx context.Context, z blas32.General, positives, negatives float64, anchors, keep int, rnd *rand.Rand, guess guesser) (*Selection, error) {
	n := z.Rows
	anchors = min(anchors, n)
	s := &Selection{Anchors: anchors, z: linalg.Padded(z)}
	s.Positives, s.Negatives = Counts(n, positives, negatives)
	sampled := float64(n) * float64(anchors) // number of ranked pairs
	// Of these, so many are positive (above the threshold) and negative (below).
	above, below := counts(sampled, positives, negatives)
	if err := CheckRows(z); err != nil {
		return nil, err
	}
	// A listed pair takes 12 bytes in its band, in found.listed and in all, and then 8 in s.I and s.J:
	// 44. The pairs at the threshold are listed in addition.
	listed := min(float64(above), float64(keep))
	if err := system.CheckMemory(fmt.Sprintf("selecting pairs: %.0f positive ones (lower epoch_pairs)", listed), 44*listed); err != nil {
		return nil, err
	}
	a := newAnchorRows(s.z, rnd.Perm(n)[:anchors])
	draw := drawing{
		probability: min(1, float64(keep)/float64(above)),
		key:         rnd.Uint64(),
		limit:       4*keep + 1<<16, // far above the about `keep` pairs if the window is near the threshold
	}
	posGuess, negGuess, err := guess(a, ctx, above, below)
	if err != nil {
		return nil, err
	}
	posGuess, negGuess = posGuess.atMost(mostCounts/anchors), negGuess.atMost(mostCounts/anchors)
	found, err := a.scan(ctx, posGuess, negGuess, draw)
	if err != nil {
		return nil, err
	}
	fine := found.histogram
	posBin, aboveBin := binOfRank(fine, above, true)
	negBin, belowBin := binOfRank(fine, below, false)
	if !posGuess.contains(posBin) || !negGuess.contains(negBin) || found.tooMany {
		// The guess was wrong: scan again with the bins that are known now.
		draw.limit = math.MaxInt
		if found, err = a.scan(ctx, window{posBin, posBin}, window{negBin, negBin}, draw); err != nil {
			return nil, err
		}
	}
	s.Histogram = coarsen(fine)
	for k, c := range s.Histogram { // from the sampled pairs to all n²
		s.Histogram[k] = int(math.Round(float64(c) * float64(n) / float64(anchors)))
	}
	var all, edge []scored // drawn pairs above the threshold's bin, and in that bin
	for _, p := range found.listed {
		switch b := bin(p.s); {
		case b > posBin:
			all = append(all, p)
		case b == posBin:
			edge = append(edge, p)
		}
	}
	// In the threshold's bin, the most similar pairs complete the count of positives: this share of
	// the bin's pairs, and so of those drawn from it.
	share := float64(above-aboveBin) / float64(fine[posBin])
	slices.SortFunc(edge, moreSimilar)
	edge = edge[:int(math.RoundToEven(share*float64(len(edge))))]
	s.PosThreshold = binValue(float64(posBin) + 1 - share) // unless a drawn pair gives it exactly
	if len(edge) > 0 {
		s.PosThreshold = edge[len(edge)-1].s
	}
	if all = append(all, edge...); len(all) == 0 {
		return nil, fmt.Errorf("selecting pairs: none of the %d positive pairs of %d anchors was drawn: want more than %d pairs kept", above, anchors, keep)
	}
	s.list(all)
	s.NegThreshold = binValue(quantile(fine, float64(below)))
	if 2*belowBin < below {
		s.NegThreshold = s.tiedThreshold(s.NegThreshold, rnd)
	}
	s.PosThresholdError = thresholdError(fine, sampled-float64(above), found.pos.counts(posBin, found.pos.high), n)
	s.NegThresholdError = thresholdError(fine, float64(below), found.neg.counts(found.neg.low, negBin), n)
	return s, nil
}

// mostCounts limits the number of counts of all anchors in all bins of a window: 16 MB of int32, for
// each of the two windows.
const mostCounts = 1 << 22
