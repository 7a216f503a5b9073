package encoder

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// Selection are the training pairs of one update: the most similar of all n²
// ordered pairs as positives, and the threshold under which a pair is
// negative (paper, §3.4.1). The diagonal and both orders of a pair are among
// the n².
type Selection struct {
	// I and J are the positive pairs, ordered by I and J; in sampled mode a
	// sample of them.
	I, J []int32
	// Positives is how many pairs are positive, and Negatives how many are
	// negative. The latter are not listed: they are most of all pairs, and
	// are drawn by rejection.
	Positives, Negatives int
	// PosThreshold is the smallest similarity of a positive pair, and
	// NegThreshold the largest of a negative one.
	PosThreshold, NegThreshold float32
	// PosThresholdError and NegThresholdError are the standard errors of
	// the thresholds in sampled mode; exact ones have none.
	PosThresholdError, NegThresholdError float32
	// Anchors is the number of nodes whose pairs were ranked: n in exact mode.
	Anchors int
	// Histogram counts all n² similarities in equal bins on [0, 1]; those
	// below and above are in the first and the last bin. In sampled mode
	// the counts are estimates.
	Histogram []int

	z blas32.General
}

// histogramBins is the length of Selection.Histogram.
const histogramBins = 200

// fineBins divides [−1, 1] for the search of the ranks: at Cora's size a bin
// holds a few hundred pairs, which are then sorted.
const fineBins = 1 << 17

// Select ranks the similarities ẑᵢ·ẑⱼ of all n² ordered pairs of rows of z,
// n×d, and selects the positives·n² most similar pairs and the
// (1 − negatives)·n² least similar ones, both counts rounded to the nearest
// whole number. Ranks are exact. Of pairs with the very similarity at the
// last positive rank the ones with the lowest indices are taken; those with
// the similarity at the last negative rank are all negative.
//
// Rows are expected to have length 1 or 0. The similarities are computed
// twice, in blocks of the upper triangle, and never stored: the first time
// for a histogram that says in which narrow bin each rank lies, the second
// time to collect the positives and to sort those bins. The memory is the
// positives' and O(n) besides.
func Select(ctx context.Context, z blas32.General, positives, negatives float64) (*Selection, error) {
	n := z.Rows
	posCount, negCount := counts(n, positives, negatives)
	switch {
	case posCount < 1:
		return nil, fmt.Errorf("selecting pairs: %v of %d² pairs is none: want more positives", positives, n)
	case negCount < 1:
		return nil, fmt.Errorf("selecting pairs: all but %v of %d² pairs is none: want more negatives", negatives, n)
	}
	z = padded(z)
	fine := fineHistogram(ctx, z)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &Selection{Positives: posCount, Negatives: negCount, Anchors: n, Histogram: coarsen(fine), z: z}
	posBin, above := binOfRank(fine, posCount, true)
	negBin, below := binOfRank(fine, negCount, false)
	found := collect(ctx, z, posBin, negBin)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// The pairs in the bin of the last positive rank, most similar first.
	edge := found.edge
	slices.SortFunc(edge, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
	edge = edge[:posCount-above]
	s.PosThreshold = edge[len(edge)-1].s
	all := append(found.positives, edge...)
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
	s.I, s.J = make([]int32, len(all)), make([]int32, len(all))
	for k, p := range all {
		s.I[k], s.J[k] = p.i, p.j
	}
	slices.SortFunc(found.lowest, func(a, b weighted) int { return cmp.Compare(a.s, b.s) })
	for _, w := range found.lowest {
		s.NegThreshold = w.s
		if below += w.count; below >= negCount {
			break
		}
	}
	return s, nil
}

// DrawNegatives returns count negative pairs, drawn uniformly with
// replacement: a random pair is kept if its similarity is at most the
// threshold. A pair is tried 1.1 to 2 times on average with the paper's
// thresholds.
func (s *Selection) DrawNegatives(ctx context.Context, count int, rnd *rand.Rand) (i, j []int32, err error) {
	const chunk = 1 << 14
	i, j = make([]int32, 0, count), make([]int32, 0, count)
	var candidates [chunk][2]int32
	var keep [chunk]bool
	n := int32(s.z.Rows)
	for len(i) < count {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for k := range candidates {
			candidates[k] = [2]int32{rnd.Int32N(n), rnd.Int32N(n)}
		}
		parallel.Blocks(chunk, 512, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				c := candidates[k]
				keep[k] = simd.Dot(row(s.z, int(c[0])), row(s.z, int(c[1]))) <= s.NegThreshold
			}
		})
		for k, c := range candidates {
			if keep[k] && len(i) < count {
				i, j = append(i, c[0]), append(j, c[1])
			}
		}
	}
	return i, j, nil
}

// padded returns z with zero padding to a multiple of 16 columns, z itself
// where it has it.
func padded(z blas32.General) blas32.General {
	width := simd.Padded(z.Cols)
	if z.Stride >= width {
		clean := true
		for i := 0; i < z.Rows && clean; i++ {
			for _, v := range z.Data[i*z.Stride+z.Cols : i*z.Stride+width] {
				clean = clean && v == 0
			}
		}
		if clean && len(z.Data) >= (z.Rows-1)*z.Stride+width {
			return z
		}
	}
	p := newEmbedding(z.Rows, z.Cols)
	for i := range z.Rows {
		copy(p.Data[i*p.Stride:], z.Data[i*z.Stride:i*z.Stride+z.Cols])
	}
	return p
}

// blockRows×blockCols similarities are computed at a time: their rows stay in
// the L2 cache.
const blockRows, blockCols = 64, 128

// eachBlock calls visit with the similarities of all blocks that touch the
// upper triangle, a band of rows at a time; the bands are shared among the
// cores. block[r*cols+c] is the similarity of nodes lo+r and from+c.
func eachBlock(ctx context.Context, z blas32.General, visit func(band, lo, rows, from, cols int, block []float32)) {
	width := simd.Padded(z.Cols)
	buffers := sync.Pool{New: func() any { return new([blockRows * blockCols]float32) }}
	parallel.Blocks(z.Rows, blockRows, func(lo, hi int) {
		block := buffers.Get().(*[blockRows * blockCols]float32)
		defer buffers.Put(block)
		for from := lo / blockCols * blockCols; from < z.Rows; from += blockCols {
			if ctx.Err() != nil {
				return
			}
			cols := min(blockCols, z.Rows-from)
			simd.GramBlock(block[:], z.Data[lo*z.Stride:], z.Data[from*z.Stride:], hi-lo, cols, width, z.Stride)
			visit(lo/blockRows, lo, hi-lo, from, cols, block[:])
		}
	})
}

// bin returns the fine bin of a similarity. It never decreases as s grows, so
// that bins are ordered as similarities are.
func bin(s float32) int {
	return min(max(int((s+1)*(fineBins/2)), 0), fineBins-1)
}

// histograms are histograms in fine bins, one for each worker, which are
// added at the end.
type histograms struct {
	idle sync.Pool
	lock sync.Mutex
	all  [][]int
}

func newHistograms() *histograms {
	h := &histograms{}
	h.idle.New = func() any {
		one := make([]int, fineBins)
		h.lock.Lock()
		defer h.lock.Unlock()
		h.all = append(h.all, one)
		return &one
	}
	return h
}

func (h *histograms) get() *[]int    { return h.idle.Get().(*[]int) }
func (h *histograms) put(one *[]int) { h.idle.Put(one) }

// total adds them up; it is zero where there was no work.
func (h *histograms) total() []int {
	total := make([]int, fineBins)
	for _, one := range h.all {
		for k, c := range one {
			total[k] += c
		}
	}
	return total
}

// fineHistogram counts the similarities of all ordered pairs.
func fineHistogram(ctx context.Context, z blas32.General) []int {
	all := newHistograms()
	eachBlock(ctx, z, func(_, lo, rows, from, cols int, block []float32) {
		mine := all.get()
		defer all.put(mine)
		h := *mine
		for r := range rows {
			start := max(0, lo+r-from)
			if start >= cols {
				continue
			}
			values := block[r*cols+start : (r+1)*cols]
			if from+start == lo+r { // the diagonal counts once
				h[bin(values[0])]--
			}
			for _, s := range values {
				h[bin(s)] += 2
			}
		}
	})
	return all.total()
}

// coarsen adds fine bins up to the bins of Selection.Histogram.
func coarsen(fine []int) []int {
	h := make([]int, histogramBins)
	for k, c := range fine {
		s := (float64(k)+0.5)/(fineBins/2) - 1
		h[min(max(int(s*histogramBins), 0), histogramBins-1)] += c
	}
	return h
}

// binOfRank returns the bin in which the pair of the given rank lies, counted
// from the most similar pair or from the least similar one, and how many
// pairs the bins before it hold.
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
	panic("encoder: rank beyond all pairs")
}

// scored is an ordered pair with its similarity.
type scored struct {
	s    float32
	i, j int32
}

// weighted is a similarity that count ordered pairs have.
type weighted struct {
	s     float32
	count int
}

// collected is what the second pass finds: the pairs above the bin of the
// last positive rank, those in it, and the similarities in the bin of the
// last negative rank.
type collected struct {
	positives, edge []scored
	lowest          []weighted
}

func collect(ctx context.Context, z blas32.General, posBin, negBin int) collected {
	bands := make([]collected, (z.Rows+blockRows-1)/blockRows)
	eachBlock(ctx, z, func(band, lo, rows, from, cols int, block []float32) {
		found := &bands[band]
		for r := range rows {
			i := int32(lo + r)
			for c := max(0, lo+r-from); c < cols; c++ {
				s, j := block[r*cols+c], int32(from+c)
				b := bin(s)
				if b == negBin {
					found.lowest = append(found.lowest, weighted{s, 2})
					if i == j {
						found.lowest[len(found.lowest)-1].count = 1
					}
				}
				if b < posBin {
					continue
				}
				list := &found.positives
				if b == posBin {
					list = &found.edge
				}
				*list = append(*list, scored{s, i, j})
				if i != j {
					*list = append(*list, scored{s, j, i})
				}
			}
		}
	})
	var all collected
	for _, b := range bands {
		all.positives = append(all.positives, b.positives...)
		all.edge = append(all.edge, b.edge...)
		all.lowest = append(all.lowest, b.lowest...)
	}
	return all
}
