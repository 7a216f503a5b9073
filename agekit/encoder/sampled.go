package encoder

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
)

// SelectSampled does what Select does on a sample: it ranks the pairs of some
// random nodes, the anchors, with all n nodes, n·anchors instead of n² pairs.
// The thresholds are the quantiles of these pairs' similarities. As listed
// positives it draws about keep of the sampled pairs above the threshold, or
// all of them if they are fewer, every pair with the same probability.
//
// The anchors are drawn without replacement, so that the diagonal's share
// among the pairs is the same as among all. Pairs of one anchor are not
// independent of each other; the stated errors count that in: the standard
// error of the share of pairs beyond a threshold comes from how that share
// differs from anchor to anchor, and is read off the distribution of the
// similarities as an error of the threshold (Woodruff, JASA 47(260), 1952).
// Besides, thresholds are resolved to 2⁻¹⁶.
//
// The similarities are computed twice, for the histogram and for the pairs:
// 2·n·anchors·d multiply-adds. The memory is O(n + keep) besides z.
func SelectSampled(ctx context.Context, z blas32.General, positives, negatives float64, anchors, keep int, rnd *rand.Rand) (*Selection, error) {
	return selectSampled(ctx, z, positives, negatives, anchors, keep, rnd, hostGram)
}

// selectSampled is SelectSampled with the similarities from anywhere.
func selectSampled(ctx context.Context, z blas32.General, positives, negatives float64, anchors, keep int, rnd *rand.Rand, similar gramMaker) (*Selection, error) {
	n := z.Rows
	anchors = min(anchors, n)
	s := &Selection{Anchors: anchors, z: padded(z)}
	s.Positives, s.Negatives = counts(n, positives, negatives)
	pairs := float64(n) * float64(anchors)
	above, below := int(math.RoundToEven(positives*pairs)), int(math.RoundToEven((1-negatives)*pairs))
	switch {
	case above < 1:
		return nil, fmt.Errorf("selecting pairs: %v of the pairs of %d anchors with %d nodes is none: want more positives or anchors", positives, anchors, n)
	case below < 1:
		return nil, fmt.Errorf("selecting pairs: all but %v of the pairs of %d anchors with %d nodes is none: want more negatives or anchors", negatives, anchors, n)
	}
	a, err := newAnchorRows(s.z, rnd.Perm(n)[:anchors], similar)
	if err != nil {
		return nil, err
	}
	defer a.close()
	fine, err := a.histogram(ctx)
	if err != nil {
		return nil, err
	}
	s.Histogram = coarsen(fine)
	for k, c := range s.Histogram {
		s.Histogram[k] = int(math.Round(float64(c) * float64(n) / float64(anchors)))
	}
	posBin, inner := binOfRank(fine, above, true)
	negBin, _ := binOfRank(fine, below, false)
	found, err := a.collect(ctx, posBin, negBin, min(1, float64(keep)/float64(above)), rnd.Uint64())
	if err != nil {
		return nil, err
	}
	// Of the pairs in the threshold's bin the most similar ones belong to the
	// positives: as many as make the count whole.
	share := float64(above-inner) / float64(fine[posBin])
	slices.SortFunc(found.edge, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
	edge := found.edge[:int(math.RoundToEven(share*float64(len(found.edge))))]
	s.PosThreshold = binValue(float64(posBin) + 1 - share)
	if len(edge) > 0 {
		s.PosThreshold = edge[len(edge)-1].s
	}
	all := append(found.positives, edge...)
	if len(all) == 0 {
		return nil, fmt.Errorf("selecting pairs: none of the %d positive pairs of %d anchors drawn: want more than %d pairs kept", above, anchors, keep)
	}
	s.list(all)
	s.NegThreshold = binValue(quantile(fine, float64(below)))
	s.PosThresholdError = thresholdError(fine, pairs-float64(above), found.above, n)
	s.NegThresholdError = thresholdError(fine, float64(below), found.below, n)
	return s, nil
}

// anchorRows are the similarities of all nodes, the rows, with a sample of
// them, the columns.
type anchorRows struct {
	gram
	n     int
	nodes []int
}

func newAnchorRows(z blas32.General, nodes []int, similar gramMaker) (*anchorRows, error) {
	anchors := z
	anchors.Rows, anchors.Data = len(nodes), make([]float32, len(nodes)*z.Stride)
	for k, i := range nodes {
		copy(anchors.Data[k*z.Stride:], row(z, i))
	}
	similarities, err := similar(z, anchors, false)
	return &anchorRows{similarities, z.Rows, nodes}, err
}

// histogram counts the similarities in fine bins.
func (a *anchorRows) histogram(ctx context.Context) ([]int, error) {
	h := newHistograms()
	err := a.eachBlock(ctx, func(b gramBlock) {
		mine := h.get()
		defer h.put(mine)
		for r := range b.rows {
			for _, s := range b.row(r) {
				(*mine)[bin(s)]++
			}
		}
	})
	return h.total(), err
}

// sampledPairs is what the second pass over the pairs finds.
type sampledPairs struct {
	positives, edge []scored // drawn above the positive threshold's bin, and in it
	above, below    []int    // of each anchor: pairs down to the one bin and up to the other
}

// collect counts each anchor's pairs beyond the two bins, and draws each pair
// of the positive ones with the given probability. Whether a pair is drawn
// depends on a hash of the pair and the key, not on the order of the work.
func (a *anchorRows) collect(ctx context.Context, posBin, negBin int, probability float64, key uint64) (sampledPairs, error) {
	type bandPairs struct{ positives, edge []scored }
	bands := make([]bandPairs, (a.n+blockRows-1)/blockRows)
	var lock sync.Mutex
	total := sampledPairs{above: make([]int, len(a.nodes)), below: make([]int, len(a.nodes))}
	limit := uint64(probability * (1 << 53))
	err := a.eachBlock(ctx, func(block gramBlock) {
		found := &bands[block.lo/blockRows]
		var above, below [blockCols]int
		for r := range block.rows {
			for c, s := range block.row(r) {
				b := bin(s)
				if b <= negBin {
					below[c]++
				}
				if b < posBin {
					continue
				}
				above[c]++
				i, j := int32(a.nodes[block.from+c]), int32(block.lo+r)
				if mix(key^(uint64(i)<<32|uint64(j)))>>11 >= limit {
					continue
				}
				list := &found.positives
				if b == posBin {
					list = &found.edge
				}
				*list = append(*list, scored{s, i, j})
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for c := range block.cols {
			total.above[block.from+c] += above[c]
			total.below[block.from+c] += below[c]
		}
	})
	for _, b := range bands {
		total.positives = append(total.positives, b.positives...)
		total.edge = append(total.edge, b.edge...)
	}
	return total, err
}

// mix is a hash that spreads every bit of x over all 64 (the output function
// of SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// quantile returns the place, counted in bins, below which the given number
// of pairs lie, as if those of a bin were spread evenly over it.
func quantile(histogram []int, count float64) float64 {
	before := 0.0
	for k, c := range histogram {
		if before+float64(c) >= count && c > 0 {
			return float64(k) + max(0, count-before)/float64(c)
		}
		before += float64(c)
	}
	return float64(len(histogram))
}

// binValue returns the similarity at a place that is counted in fine bins.
func binValue(place float64) float32 { return float32(place/(fineBins/2) - 1) }

// thresholdError returns the standard error of the similarity below which
// count pairs lie, from the number of pairs beyond it that each anchor has:
// half the range of the quantile as its share moves by one standard error up
// and down. n is the number of nodes that the anchors were drawn from.
func thresholdError(histogram []int, count float64, beyond []int, n int) float32 {
	anchors := float64(len(beyond))
	mean, squares := 0.0, 0.0
	for _, c := range beyond {
		mean += float64(c) / anchors
	}
	for _, c := range beyond {
		squares += (float64(c) - mean) * (float64(c) - mean)
	}
	finite := 1 - anchors/float64(n) // drawn without replacement
	moved := math.Sqrt(anchors * finite * squares / (anchors - 1))
	all := anchors * float64(n)
	low, high := quantile(histogram, max(1, count-moved)), quantile(histogram, min(all, count+moved))
	return float32((high - low) / fineBins)
}
