package pairs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// anchorRows holds the similarities of all nodes (rows) with some, the anchors (columns).
type anchorRows struct {
	linalg.Gram
	n       int            // nodes
	anchors blas32.General // the anchors' rows of z
	nodes   []int          // the anchors' nodes
}

// newAnchorRows returns the similarities of all rows of z with those of some nodes.
func newAnchorRows(z blas32.General, nodes []int) *anchorRows {
	a := someRows(z, nodes)
	a.Gram = linalg.Gram{Left: z, Right: a.anchors}
	return a
}

// someRows returns the anchors' rows, but no similarities with them.
func someRows(z blas32.General, nodes []int) *anchorRows {
	anchors := z
	anchors.Rows, anchors.Data = len(nodes), make([]float32, len(nodes)*z.Stride)
	for k, i := range nodes {
		copy(anchors.Data[k*z.Stride:], linalg.Row(z, i))
	}
	return &anchorRows{n: z.Rows, anchors: anchors, nodes: nodes}
}

// drawing determines which pairs above the threshold are listed: each with the given
// probability, by a hash of the pair and the key, whatever the order of the work, and at
// most about limit pairs.
type drawing struct {
	probability float64
	key         uint64
	limit       int
}

// tail counts, for each anchor, the pairs on one side of a window and those in each
// of its bins.
type tail struct {
	window
	beyond []int   // of each anchor, on the one side
	inside []int32 // of each anchor, and for it of each bin of the window
}

// newTail returns zero counts for so many anchors.
func newTail(w window, anchors int) tail {
	return tail{w, make([]int, anchors), make([]int32, anchors*w.width())}
}

// counts returns each anchor's number of pairs beyond the window and in its bins low to high.
func (t tail) counts(low, high int) []int {
	counts := slices.Clone(t.beyond)
	for c := range counts {
		for _, count := range t.inside[c*t.width():][low-t.low : high-t.low+1] {
			counts[c] += int(count)
		}
	}
	return counts
}

// scanned holds the results of one pass over the pairs of anchors and nodes.
type scanned struct {
	histogram []int    // in fine bins
	listed    []scored // drawn from the pos window and above
	tooMany   bool     // listed is incomplete
	pos, neg  tail     // beyond is above pos, and below neg
}

// scan counts all pairs of a node and an anchor in fine bins and, for each anchor, those beyond and
// in the two windows. Of those in and above the pos window it lists what draw says.
func (a *anchorRows) scan(ctx context.Context, pos, neg window, draw drawing) (*scanned, error) {
	s := &scanned{pos: newTail(pos, len(a.nodes)), neg: newTail(neg, len(a.nodes))}
	histograms := newHistograms(0)
	bands := make([][]scored, (a.n+linalg.GramRows-1)/linalg.GramRows)
	hashLimit := uint64(draw.probability * (1 << 53)) // hashes of 53 bits below it are drawn
	var lock sync.Mutex
	var listed atomic.Int64
	// A block's counts are added under the lock at its end: those in a window, which are few, from
	// a list.
	type cell struct{ anchor, bin int } // the bin is counted from the window's lowest
	type inWindows struct{ pos, neg []cell }
	buffers := sync.Pool{New: func() any { return new(inWindows) }}
	err := a.EachBlock(ctx, func(block linalg.GramBlock) {
		band, from := block.Lo/linalg.GramRows, block.From
		worker := histograms.idle.Get().(*binner)
		defer histograms.idle.Put(worker)
		found := buffers.Get().(*inWindows)
		defer buffers.Put(found)
		found.pos, found.neg = found.pos[:0], found.neg[:0]
		var above, below [linalg.GramCols]int // of each of the block's anchors
		before := len(bands[band])
		for r := range block.Rows {
			for c, v := range block.Row(r) {
				b := bin(v)
				worker.counts[b]++
				if b < neg.low {
					below[c]++
				} else if b <= neg.high {
					found.neg = append(found.neg, cell{from + c, b - neg.low})
				}
				if b < pos.low {
					continue
				}
				if b > pos.high {
					above[c]++
				} else {
					found.pos = append(found.pos, cell{from + c, b - pos.low})
				}
				i, j := int32(a.nodes[from+c]), int32(block.Lo+r)
				if mix(draw.key^(uint64(i)<<32|uint64(j)))>>11 < hashLimit && listed.Load() <= int64(draw.limit) {
					bands[band] = append(bands[band], scored{v, i, j})
				}
			}
		}
		listed.Add(int64(len(bands[band]) - before))
		lock.Lock()
		defer lock.Unlock()
		for c := range block.Cols {
			s.pos.beyond[from+c] += above[c]
			s.neg.beyond[from+c] += below[c]
		}
		for _, p := range found.pos {
			s.pos.inside[p.anchor*pos.width()+p.bin]++
		}
		for _, p := range found.neg {
			s.neg.inside[p.anchor*neg.width()+p.bin]++
		}
	})
	s.histogram = histograms.total()
	s.tooMany = listed.Load() > int64(draw.limit)
	for _, b := range bands {
		s.listed = append(s.listed, b...)
	}
	return s, err
}

// guesser guesses the bins of two ranks among the pairs of anchors and nodes, counted
// from the most and from the least similar pair.
type guesser func(a *anchorRows, ctx context.Context, above, below int) (pos, neg window, err error)

// guess returns windows that should contain the bins of two ranks, counted from the
// most and from the least similar pair: nine standard errors, a little over six for
// each of the two samples, to either side of the quantiles among the anchors' pairs.
func (a *anchorRows) guess(ctx context.Context, above, below int) (pos, neg window, err error) {
	anchors, n := len(a.nodes), float64(a.n)
	if anchors < 2 {
		return noWindow, noWindow, nil
	}
	inner := &anchorRows{linalg.Gram{Left: a.anchors, Right: a.anchors}, anchors, a.anchors, a.nodes}
	// The pair (i, i), the most similar one, is one of an anchor's `anchors` pairs
	// here, and one of its n pairs in the full pass.
	share := float64(anchors-1) / (n - 1)
	pairsAbove := max(1, float64(anchors)+float64(above-anchors)*share)
	pairsBelow := max(1, float64(below)*share)
	first, err := inner.scan(ctx, noWindow, noWindow, drawing{})
	if err != nil {
		return noWindow, noWindow, err
	}
	fine := first.histogram
	posBin, _ := binOfRank(fine, int(pairsAbove), true)
	negBin, _ := binOfRank(fine, int(pairsBelow), false)
	found, err := inner.scan(ctx, window{posBin, posBin}, window{negBin, negBin}, drawing{})
	if err != nil {
		return noWindow, noWindow, err
	}
	around := func(bin int, err float32) window {
		half := int(9*float64(err)*(fineBins/2)) + 4
		return window{bin - half, bin + half}
	}
	all := float64(anchors) * float64(anchors)
	pos = around(posBin, thresholdError(fine, all-pairsAbove, found.pos.counts(posBin, posBin), a.n))
	neg = around(negBin, thresholdError(fine, pairsBelow, found.neg.counts(negBin, negBin), a.n))
	return pos, neg, nil
}

// mix is a hash that spreads every bit of x over all 64 (SplitMix64's output function;
// Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += mixStep
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// mixStep is the distance of SplitMix64's states: 2⁶⁴ divided by the golden ratio.
const mixStep = 0x9e3779b97f4a7c15
