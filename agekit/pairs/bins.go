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

// bin returns the fine bin of a similarity, from 0 to fineBins−1. A higher similarity has the same or a
// higher bin.
func bin(s float32) int {
	return min(max(int((s+1)*(fineBins/2)), 0), fineBins-1)
}

// histograms holds a histogram for each worker, so that they need not wait for each other. The
// histograms are added at the end.
type histograms struct {
	idle sync.Pool  // of *binner: a worker takes one and puts it back
	lock sync.Mutex // guards all
	all  []*binner  // every binner that idle has made
}

// binner is a worker's histogram, and a buffer for the similarities that it binned last.
type binner struct {
	counts  []int    // of the pairs in each fine bin
	numbers []uint32 // of the pairs with each float32 number of a range ([floatRange])
	bins    []int32  // fine bins of the similarities of the last call of bin
	marks   []uint8  // a bit for each of these: whether that call marked it
}

// newHistograms returns histograms without a worker yet. Besides the fine bins, each worker's histogram
// counts the pairs of each float32 number of a range: numbers is the length of the range ([floatRange]).
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

// total returns the sum of the workers' counts in fine bins: all 0 if there was no worker. It
// overwrites the first worker's counts with the sum.
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

// bin sets h.bins to the fine bins of the similarities. In h.marks it sets the bit of each similarity
// that is in the window w, or in the bin `above` or a higher one.
func (h *binner) bin(similarities []float32, w window, above int) {
	n := len(similarities)
	// The buffers get one element for each similarity, and one bit.
	h.bins = slices.Grow(h.bins[:0], n)[:n]
	h.marks = slices.Grow(h.marks[:0], n/8+1)[:(n+7)/8]
	clamped := func(v int) int32 { return int32(min(max(v, math.MinInt32), math.MaxInt32)) }
	low, high := max(0, clamped(w.low)), clamped(w.high)
	simd.Bins(h.bins, h.marks, similarities, fineBins, low, high, max(0, clamped(above)))
}

// coarsen returns the histogram of [Selection] for the given counts in fine bins.
func coarsen(fine []int) []int {
	h := make([]int, histogramBins)
	for k, c := range fine {
		s := (float64(k)+0.5)/(fineBins/2) - 1 // the similarity in the middle of the fine bin
		b := int(s * histogramBins)            // its bin in [0, 1]
		h[min(max(b, 0), histogramBins-1)] += c
	}
	return h
}

// binOfRank returns the bin of the pair with the given rank, 1 for the first, and the number of pairs
// that rank before that bin. Ranks count from the most similar pair if fromTop, and otherwise from the
// least similar one.
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

// scored is the ordered pair of the nodes i and j with its similarity s.
type scored struct {
	s    float32
	i, j int32
}

// floatRange is a range of count consecutive positive float32 numbers. first has the bits of the
// smallest one: as integers, the bits of such numbers are consecutive, too.
type floatRange struct {
	first uint32
	count int
}

// floatsOf returns the range of the float32 numbers that lie in the window w of similarities of n rows,
// plus a margin of half a bin at either end. The range is empty if counts of all its numbers would take
// more than 32 MB per core or 128 MB in total, as near 0, where float32 numbers are dense, or if a
// count of up to n² pairs could exceed 32 bits.
func floatsOf(w window, n int) floatRange {
	const margin = 1. / fineBins
	const mostPerCore, mostInTotal = 32 << 20 / 4, 128 << 20 / 4 // counts of 4 bytes
	low, high := binValue(float64(w.low))-margin, binValue(float64(w.high+1))+margin
	if w.width() == 0 || low <= 0 || n >= 1<<16 {
		return floatRange{}
	}
	first := math.Float32bits(low)
	count := int(math.Float32bits(high)-first) + 1
	if count > min(mostPerCore, mostInTotal/runtime.GOMAXPROCS(0)) {
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

// quantile returns the position in the histogram, in units of bins, below which count pairs lie, as if
// the pairs of a bin were spread evenly over it.
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

// binValue returns the similarity at a position in units of fine bins: the lower end of bin k for k.
func binValue(place float64) float32 { return float32(place/(fineBins/2) - 1) }

// thresholdError returns the standard error of a threshold, the similarity below which count pairs of
// the histogram lie. beyond has, for each of the anchors drawn from n nodes, the number of its pairs
// beyond the threshold. How much these numbers vary gives the standard error of count. The threshold
// at count less, and at count plus, this error differ by twice the threshold's error (Woodruff, 1952).
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
	countError := math.Sqrt(anchors * finite * squares / (anchors - 1))
	all := anchors * float64(n)
	low := quantile(histogram, max(1, count-countError))
	high := quantile(histogram, min(all, count+countError))
	return float32((high - low) / fineBins) // half the difference, of bins that are 2/fineBins wide
}

// histogramBins is the length of Selection.Histogram.
const histogramBins = 200

// moreSimilar compares pairs for sorting by decreasing similarity, and then by i and j.
func moreSimilar(a, b scored) int {
	return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
}
