package pairs

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/agekit/age/internal/linalg"
)

// weighted is a similarity shared by count ordered pairs.
type weighted struct {
	s     float32
	count int
}

// ranked holds the results of one pass over all pairs.
type ranked struct {
	histogram []int    // of all ordered pairs, in fine bins
	top       []scored // those in and above the pos window, i ≤ j
	// The similarities in the neg window, as a list or, if there may be many,
	// as counts of every float32 value in the window.
	list   []weighted
	floats floatRange
	counts *histograms
	// The draws in or below the neg window, i ≤ j, per band.
	drawn [][]scored
}

// rank counts all ordered pairs in fine bins, lists those in and above the pos window,
// and counts those in the neg window for each similarity. Of the draws, unless nil, it lists those in
// and below the neg window. It computes the upper triangle, whose pairs count twice, and the diagonal.
func rank(ctx context.Context, similarities linalg.Gram, n int, pos, neg window, draws *poisson) (*ranked, error) {
	found := &ranked{floats: floatsOf(neg, n)}
	if found.floats.count > n*n/64 { // a guessed window holds about that many pairs
		found.floats = floatRange{}
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
			*drawn = make([]scored, 0, draws.expected(block.Lo, block.Lo+block.Rows))
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

// addLow adds count pairs of one similarity to the list. Sparse features give many
// consecutive zeros, which share one element.
func (r *ranked) addLow(s float32, count int) {
	if last := len(r.list) - 1; last >= 0 && r.list[last].s == s {
		r.list[last].count += count
		return
	}
	r.list = append(r.list, weighted{s, count})
}

// lowRank returns the similarity at the given rank among the pairs in a bin of the neg
// window, counted from the least similar pair.
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
