package pairs

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/agekit/age/internal/linalg"
)

// weighted is a similarity s that count ordered pairs have.
type weighted struct {
	s     float32
	count int
}

// ranked holds the results of one pass over all pairs ([rank]).
type ranked struct {
	histogram []int    // of all ordered pairs, in fine bins
	top       []scored // the pairs in and above the pos window, with i ≤ j
	// The similarities in the neg window are in list. If there may be many, floats is not empty: then
	// the workers' numbers in counts have, for each float32 number of floats, how many pairs have it.
	list   []weighted
	floats floatRange
	counts *histograms
	// drawn has, for each band of rows, the draws in or below the neg window, with i ≤ j.
	drawn [][]scored
}

// rank passes over the similarities of all ordered pairs of n rows. It counts the pairs in fine bins,
// lists those in and above the window pos, and counts those in the window neg for each similarity. Of
// the pairs that draws draws, it lists those in and below neg; draws may be nil. It computes only the
// upper triangle, whose pairs stand for both orders and count twice, and the diagonal.
func rank(ctx context.Context, similarities linalg.Gram, n int, pos, neg window, draws *poisson) (*ranked, error) {
	found := &ranked{floats: floatsOf(neg, n)}
	const pairsInWindow = 1. / 64 // share of all pairs that a guessed window holds, about
	if float64(found.floats.count) > float64(n*n)*pairsInWindow {
		found.floats = floatRange{} // a list of so few pairs is shorter than the counts
	}
	histograms := newHistograms(found.floats.count)
	found.counts = histograms
	bands := make([]ranked, (n+linalg.GramRows-1)/linalg.GramRows)
	found.drawn = make([][]scored, len(bands))
	err := similarities.EachBlock(ctx, func(block linalg.GramBlock) {
		worker := histograms.idle.Get().(*binner)
		defer histograms.idle.Put(worker)
		band, drawn := &bands[block.Lo/linalg.GramRows], &found.drawn[block.Lo/linalg.GramRows]
		if *drawn == nil && draws != nil {
			*drawn = make([]scored, 0, draws.mostNegatives(block.Lo, block.Lo+block.Rows))
		}
		for r := range block.Rows {
			i := block.Lo + r
			from := max(i, block.From) // the first j of the upper triangle in this block
			if from >= block.From+block.Cols {
				continue
			}
			values := block.Row(r)[from-block.From:]
			worker.bin(values, neg, pos.low)
			for _, b := range worker.bins {
				worker.counts[b] += 2
			}
			if from == i { // the diagonal counts once
				worker.counts[worker.bins[0]]--
			}
			// Few pairs are in a window: visit the bits that are set, the lowest first.
			for group, marks := range worker.marks {
				for ; marks != 0; marks &= marks - 1 {
					k := group*8 + bits.TrailingZeros8(marks)
					s, j, orders := values[k], from+k, 2
					if i == j {
						orders = 1
					}
					if b := int(worker.bins[k]); neg.contains(b) {
						if found.floats.count > 0 {
							worker.numbers[math.Float32bits(s)-found.floats.first] += uint32(orders)
						} else {
							band.addLow(s, orders)
						}
						if b < pos.low {
							continue
						}
					}
					band.top = append(band.top, scored{s, int32(i), int32(j)})
				}
			}
			if draws == nil {
				continue
			}
			// Positions in row i count from the pair (i, i) on: values[k] is at from − i + k.
			for end := float64(block.From + block.Cols - i); draws.next[i] < end; draws.advance(i) {
				k := int(draws.next[i]) + i - from
				if int(worker.bins[k]) <= neg.high {
					*drawn = append(*drawn, scored{values[k], int32(i), int32(from + k)})
				}
			}
		}
	})
	found.histogram = histograms.total()
	for _, b := range bands {
		found.top = append(found.top, b.top...)
		found.list = append(found.list, b.list...)
	}
	return found, err
}

// addLow adds to the list that count more pairs have the similarity s. Sparse features give many
// consecutive similarities of 0, which share one element.
func (r *ranked) addLow(s float32, count int) {
	if last := len(r.list) - 1; last >= 0 && r.list[last].s == s {
		r.list[last].count += count
		return
	}
	r.list = append(r.list, weighted{s, count})
}

// lowRank returns the similarity of the pair with the given rank among the pairs in one fine bin,
// binNumber, of the neg window. Ranks count from the least similar pair, 1 for the first. lowRank
// changes r.list.
func (r *ranked) lowRank(binNumber, rank int) float32 {
	for k := range r.floats.count {
		s := math.Float32frombits(r.floats.first + uint32(k))
		if bin(s) != binNumber {
			continue
		}
		for _, worker := range r.counts.all {
			r.list = append(r.list, weighted{s, int(worker.numbers[k])})
		}
	}
	inBin := slices.DeleteFunc(r.list, func(w weighted) bool { return bin(w.s) != binNumber })
	slices.SortFunc(inBin, func(a, b weighted) int { return cmp.Compare(a.s, b.s) })
	for _, w := range inBin {
		if rank -= w.count; rank <= 0 {
			return w.s
		}
	}
	panic("pairs: rank beyond the bin's pairs")
}
