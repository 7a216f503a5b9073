package pairs

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/agekit/age/internal/simd"
)

// fineBins is the number of bins that divide [−1, 1] to locate the ranks. At
// Cora's size, a bin holds a few hundred pairs, which are then sorted.
const fineBins = 1 << 17

// bin returns the fine bin of a similarity. It never decreases as s grows, so
// bins are in the same order as similarities.
func bin(s float32) int {
	return min(max(int((s+1)*(fineBins/2)), 0), fineBins-1)
}

// histograms holds one histogram per worker. They are added at the end.
type histograms struct {
	idle sync.Pool
	lock sync.Mutex
	all  []*binner
}

// binner is a worker's histogram.
type binner struct {
	counts  []int    // of fine bins
	numbers []uint32 // of individual numbers in a range
	bins    []int32  // of the last similarities that were binned
	marks   []uint8  // where these are in the requested windows
}

func newHistograms(numbers int) *histograms {
	h := &histograms{}
	h.idle.New = func() any {
		one := &binner{counts: make([]int, fineBins), numbers: make([]uint32, numbers)}
		h.lock.Lock()
		defer h.lock.Unlock()
		h.all = append(h.all, one)
		return one
	}
	return h
}

func (h *histograms) get() *binner    { return h.idle.Get().(*binner) }
func (h *histograms) put(one *binner) { h.idle.Put(one) }

// total adds up the histograms. It is zero if there was no work.
func (h *histograms) total() []int {
	total := make([]int, fineBins)
	for _, one := range h.all {
		for k, c := range one.counts {
			total[k] += c
		}
	}
	return total
}

// bin finds the fine bins of similarities, and marks those in a window and
// those in the bin above or higher.
func (h *binner) bin(similarities []float32, in window, above int) {
	n := len(similarities)
	h.bins, h.marks = slices.Grow(h.bins[:0], n)[:n], slices.Grow(h.marks[:0], n/8+1)[:(n+7)/8]
	int32s := func(v int) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }
	simd.Bins(h.bins, h.marks, similarities, fineBins, max(0, int32s(in.low)), int32s(in.high), max(0, int32s(above)))
}

// coarsen adds up fine bins to the bins of Selection.Histogram.
func coarsen(fine []int) []int {
	h := make([]int, histogramBins)
	for k, c := range fine {
		s := (float64(k)+0.5)/(fineBins/2) - 1
		h[min(max(int(s*histogramBins), 0), histogramBins-1)] += c
	}
	return h
}

// binOfRank returns the bin in which the pair of the given rank lies, counted
// from the most similar pair or from the least similar one, and the number of
// pairs in the bins before it.
func binOfRank(histogram []int, rank int, fromTop bool) (at, before int) {
	for k := range histogram {
		at = k
		if fromTop {
			at = len(histogram) - 1 - k
		}
		if before+histogram[at] >= rank {
			return at, before
		}
		before += histogram[at]
	}
	panic("pairs: rank beyond all pairs")
}

// scored is an ordered pair with its similarity.
type scored struct {
	s    float32
	i, j int32
}

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

// rank counts all ordered pairs in fine bins, lists those in and above the pos
// window, and counts those in the neg window for each similarity. It also
// lists the arrivals, which may be nil, in and below the neg window.
func rank(ctx context.Context, similarities Gram, n int, pos, neg window, arrivals *poisson) (*ranked, error) {
	found := &ranked{floats: floatsOf(neg, n)}
	if found.floats.count > n*n/64 { // a guessed window holds about that many pairs
		found.floats = floatRange{}
	}
	histograms := newHistograms(found.floats.count)
	found.counts = histograms
	bands := make([]ranked, (n+BlockRows-1)/BlockRows)
	found.drawn = make([][]scored, len(bands))
	err := similarities.EachBlock(ctx, func(block Block) {
		w := histograms.get()
		defer histograms.put(w)
		band, drawn := &bands[block.Lo/BlockRows], &found.drawn[block.Lo/BlockRows]
		if *drawn == nil && arrivals != nil {
			*drawn = make([]scored, 0, arrivals.expected(block.Lo, block.Lo+block.Rows))
		}
		for r := range block.Rows {
			i := block.Lo + r
			from := max(i, block.From)
			if from >= block.From+block.Cols {
				continue
			}
			values := block.Row(r)[from-block.From:]
			w.bin(values, neg, pos.low)
			for _, b := range w.bins {
				w.counts[b] += 2
			}
			if from == i { // the diagonal counts once
				w.counts[w.bins[0]]--
			}
			for group, marks := range w.marks {
				for ; marks != 0; marks &= marks - 1 {
					k := group*8 + bits.TrailingZeros8(marks)
					s, j, both := values[k], from+k, 2
					if i == j {
						both = 1
					}
					if b := int(w.bins[k]); neg.contains(b) {
						if found.floats.count > 0 {
							w.numbers[math.Float32bits(s)-found.floats.first] += uint32(both)
						} else {
							band.addLow(s, both)
						}
						if b < pos.low {
							continue
						}
					}
					band.top = append(band.top, scored{s, int32(i), int32(j)})
				}
			}
			if arrivals == nil {
				continue
			}
			for end := float64(block.From + block.Cols - i); arrivals.next[i] < end; arrivals.advance(i) {
				k := int(arrivals.next[i]) + i - from
				if int(w.bins[k]) <= neg.high {
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

// floatRange is a range of count consecutive positive float32 numbers. first
// holds the bits of the smallest one.
type floatRange struct {
	first uint32
	count int
}

// floatsOf returns the numbers that the similarities of n rows in a window can
// be, plus a margin. It returns an empty range if their counts would take more
// than 32 MB per core or 128 MB in total, as they would around 0, or if n²
// pairs are too many for a count.
func floatsOf(w window, n int) floatRange {
	const margin = 1. / fineBins
	low, high := binValue(float64(w.low))-margin, binValue(float64(w.high+1))+margin
	if w.width() == 0 || low <= 0 || n >= 1<<16 {
		return floatRange{}
	}
	first := math.Float32bits(low)
	count := int(math.Float32bits(high)-first) + 1
	if count > min(1<<23, 1<<25/runtime.GOMAXPROCS(0)) {
		return floatRange{}
	}
	return floatRange{first, count}
}

// addLow adds count pairs of the same similarity to the list. Sparse features
// give many consecutive zeros, which share one element.
func (r *ranked) addLow(s float32, count int) {
	if last := len(r.list) - 1; last >= 0 && r.list[last].s == s {
		r.list[last].count += count
		return
	}
	r.list = append(r.list, weighted{s, count})
}

// lowRank returns the similarity at the given rank among the pairs in a bin of
// the neg window, counted from the least similar pair.
func (r *ranked) lowRank(at, rank int) float32 {
	for k := range r.floats.count {
		s := math.Float32frombits(r.floats.first + uint32(k))
		if bin(s) != at {
			continue
		}
		for _, one := range r.counts.all {
			r.list = append(r.list, weighted{s, int(one.numbers[k])})
		}
	}
	inBin := slices.DeleteFunc(r.list, func(w weighted) bool { return bin(w.s) != at })
	slices.SortFunc(inBin, func(a, b weighted) int { return cmp.Compare(a.s, b.s) })
	for _, w := range inBin {
		if rank -= w.count; rank <= 0 {
			return w.s
		}
	}
	panic("pairs: rank beyond the bin's pairs")
}
