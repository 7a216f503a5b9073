package pairs

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/agekit/age/internal/simd"
)

// fineBins is the number of bins that divide [−1, 1] to locate the ranks. At Cora's
// size, a bin holds a few hundred pairs, which are then sorted.
const fineBins = 1 << 17

// bin returns the fine bin of a similarity. Bins are in the order of similarities.
func bin(s float32) int {
	return min(max(int((s+1)*(fineBins/2)), 0), fineBins-1)
}

// histograms holds a histogram for each worker, so that they need not wait for each other. The
// histograms are added at the end.
type histograms struct {
	idle sync.Pool  // of *binner: a worker takes one and puts it back
	lock sync.Mutex // of all
	all  []*binner
}

// binner is a worker's histogram.
type binner struct {
	counts  []int    // of the pairs in each fine bin
	numbers []uint32 // of the pairs with each float32 number of a range ([floatRange])
	bins    []int32  // of the last similarities that were binned
	marks   []uint8  // a bit for each of these: whether it is in the requested windows
}

// newHistograms returns histograms without a worker yet. Besides the fine bins, each counts the pairs
// of so many float32 numbers ([floatRange]).
func newHistograms(numbers int) *histograms {
	h := &histograms{}
	h.idle.New = func() any {
		worker := &binner{counts: make([]int, fineBins), numbers: make([]uint32, numbers)}
		h.lock.Lock()
		defer h.lock.Unlock()
		h.all = append(h.all, worker)
		return worker
	}
	return h
}

// total adds the other histograms up to the first, and returns that one. It is zero if
// there was no work.
func (h *histograms) total() []int {
	if len(h.all) == 0 {
		return make([]int, fineBins)
	}
	total := h.all[0].counts
	for _, worker := range h.all[1:] {
		for k, c := range worker.counts {
			total[k] += c
		}
	}
	return total
}

// bin sets bins to the fine bins of the similarities, and marks those in the window w or from the bin
// above on.
func (h *binner) bin(similarities []float32, w window, above int) {
	n := len(similarities)
	h.bins = slices.Grow(h.bins[:0], n)[:n]
	h.marks = slices.Grow(h.marks[:0], n/8+1)[:(n+7)/8]
	clamped := func(v int) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }
	low, high := max(0, clamped(w.low)), clamped(w.high)
	simd.Bins(h.bins, h.marks, similarities, fineBins, low, high, max(0, clamped(above)))
}

// coarsen adds up fine bins to the bins of Selection.Histogram.
func coarsen(fine []int) []int {
	h := make([]int, histogramBins)
	for k, c := range fine {
		s := (float64(k)+0.5)/(fineBins/2) - 1 // the similarity in the middle of the fine bin
		b := int(s * histogramBins)
		h[min(max(b, 0), histogramBins-1)] += c
	}
	return h
}

// binOfRank returns the bin in which the pair of the given rank lies, counted from the
// most similar or the least similar pair, and the number of pairs in the bins before it.
func binOfRank(histogram []int, rank int, fromTop bool) (found, before int) {
	for k := range histogram {
		found = k
		if fromTop {
			found = len(histogram) - 1 - k
		}
		if before+histogram[found] >= rank {
			return found, before
		}
		before += histogram[found]
	}
	panic("pairs: rank beyond all pairs")
}

// scored is an ordered pair with its similarity.
type scored struct {
	s    float32
	i, j int32
}

// floatRange is count consecutive positive float32 numbers; first has the smallest
// one's bits.
type floatRange struct {
	first uint32
	count int
}

// floatsOf returns the numbers that the similarities of n rows in a window can be, plus
// a margin: none if their counts would take more than 32 MB per core or 128 MB in
// total, as around 0, or if n² pairs are too many for a count.
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

// window is a range of fine bins that includes both ends.
type window struct{ low, high int }

// contains reports whether a fine bin is in the window.
func (w window) contains(bin int) bool { return w.low <= bin && bin <= w.high }

// width returns the number of bins; 0 if the window is empty.
func (w window) width() int {
	if w.low > w.high {
		return 0
	}
	return w.high - w.low + 1
}

// atMost returns w, or its middle part of the given width if w is wider.
func (w window) atMost(width int) window {
	if w.width() <= width {
		return w
	}
	low := w.low + (w.width()-width)/2
	return window{low, low + width - 1}
}

// noWindow contains no bin.
var noWindow = window{math.MaxInt, math.MinInt}

// quantile returns the position, in units of bins, below which the given number of
// pairs lie, as if a bin's pairs were spread evenly over it.
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

// binValue returns the similarity at a position in units of fine bins.
func binValue(place float64) float32 { return float32(place/(fineBins/2) - 1) }

// thresholdError returns the standard error of the similarity below which count pairs
// lie, from each anchor's number of pairs beyond it: half the range of the quantile as
// its fraction moves by one standard error. The anchors were drawn from n nodes.
func thresholdError(histogram []int, count float64, beyond []int, n int) float32 {
	anchors := float64(len(beyond))
	mean, squares := 0.0, 0.0
	for _, c := range beyond {
		mean += float64(c) / anchors
	}
	for _, c := range beyond {
		squares += (float64(c) - mean) * (float64(c) - mean)
	}
	finite := 1 - anchors/float64(n) // correction for drawing without replacement
	moved := math.Sqrt(anchors * finite * squares / (anchors - 1))
	all := anchors * float64(n)
	low, high := quantile(histogram, max(1, count-moved)), quantile(histogram, min(all, count+moved))
	return float32((high - low) / fineBins)
}

// histogramBins is the length of Selection.Histogram.
const histogramBins = 200

// moreSimilar orders pairs by decreasing similarity, and ties by node.
func moreSimilar(a, b scored) int {
	return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
}
