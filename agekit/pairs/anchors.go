package pairs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// anchorRows computes the similarities of all nodes (rows) with some of them, the anchors (columns).
type anchorRows struct {
	linalg.Gram
	n       int            // number of nodes
	anchors blas32.General // the anchors' rows of z
	nodes   []int          // the anchors' nodes
}

// newAnchorRows returns the similarities of all rows of z with the rows of the given nodes, the anchors.
func newAnchorRows(z blas32.General, nodes []int) *anchorRows {
	a := someRows(z, nodes)
	a.Gram = linalg.Gram{Left: z, Right: a.anchors}
	return a
}

// someRows copies the rows of z that belong to the given nodes, the anchors. Its Gram is not set: it
// serves only to guess, from the similarities among the anchors.
func someRows(z blas32.General, nodes []int) *anchorRows {
	anchors := z
	anchors.Rows, anchors.Data = len(nodes), make([]float32, len(nodes)*z.Stride)
	for k, i := range nodes {
		copy(anchors.Data[k*z.Stride:], linalg.Row(z, i))
	}
	return &anchorRows{n: z.Rows, anchors: anchors, nodes: nodes}
}

// drawing determines which pairs in and above the pos window a scan lists: each with the given
// probability. A hash of the pair and the key decides, so that the order of the work changes nothing.
// After about limit pairs, the scan lists no more.
type drawing struct {
	probability float64
	key         uint64
	limit       int
}

// tail counts, for each anchor, the pairs on one side of a window and those in each
// of its bins.
type tail struct {
	window
	beyond []int   // of each anchor, the number of its pairs on the one side of the window
	inside []int32 // of each anchor and each bin of the window, the number of pairs; an anchor's are consecutive
}

// newTail returns counts of 0 for the window w and the given number of anchors.
func newTail(w window, anchors int) tail {
	return tail{w, make([]int, anchors), make([]int32, anchors*w.width())}
}

// counts returns, for each anchor, the number of its pairs beyond the window plus that of its pairs in
// the window's bins from low to high.
func (t tail) counts(low, high int) []int {
	counts := slices.Clone(t.beyond)
	for c := range counts {
		for _, count := range t.inside[c*t.width():][low-t.low : high-t.low+1] {
			counts[c] += int(count)
		}
	}
	return counts
}

// scanned holds the results of one pass over the pairs of an anchor and a node.
type scanned struct {
	histogram []int    // in fine bins
	listed    []scored // pairs drawn from the pos window and above it ([drawing])
	tooMany   bool     // listed is incomplete: the limit was passed
	pos, neg  tail     // beyond the window means above it for pos, and below it for neg
}

// scan counts all pairs of a node and an anchor in fine bins. For each anchor it also counts the pairs
// above and in the window pos, and those below and in the window neg. Of the pairs in and above pos, it
// lists those that draw says.
func (a *anchorRows) scan(ctx context.Context, pos, neg window, draw drawing) (*scanned, error) {
	s := &scanned{pos: newTail(pos, len(a.nodes)), neg: newTail(neg, len(a.nodes))}
	histograms := newHistograms(0)
	// Each band of rows has its own list: no two workers compute blocks of one band at a time.
	bands := make([][]scored, (a.n+linalg.GramRows-1)/linalg.GramRows)
	hashLimit := uint64(draw.probability * (1 << 53)) // hashes of 53 bits below it are drawn
	var lock sync.Mutex
	var listed atomic.Int64
	// At the end of a block, its counts are added to s under the lock. The pairs in a window are few:
	// the block lists the cell of each, which is counted then.
	type cell struct{ anchor, bin int }      // the bin is counted from the window's lowest
	type inWindows struct{ pos, neg []cell } // one cell for each pair
	buffers := sync.Pool{New: func() any { return new(inWindows) }}
	err := a.EachBlock(ctx, func(block linalg.GramBlock) {
		band, from := block.Lo/linalg.GramRows, block.From
		worker := histograms.idle.Get().(*binner)
		defer histograms.idle.Put(worker)
		found := buffers.Get().(*inWindows)
		defer buffers.Put(found)
		found.pos, found.neg = found.pos[:0], found.neg[:0]
		// Of each of the block's anchors, the number of pairs above pos and below neg.
		var above, below [linalg.GramCols]int
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
				hash := rng.Mix(draw.key^(uint64(i)<<32|uint64(j))) >> 11 // its upper 53 bits
				if hash < hashLimit && listed.Load() <= int64(draw.limit) {
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

// guesser guesses windows of fine bins for two ranks among the pairs of anchors and nodes: pos for the
// pair of rank above, counted from the most similar pair, and neg for that of rank below, counted from
// the least similar one.
type guesser func(a *anchorRows, ctx context.Context, above, below int) (pos, neg window, err error)

// guess is the [guesser] in use. It ranks the pairs among the anchors only, and takes windows around
// the quantiles there. A window reaches nine standard errors to either side. Both the anchors' own
// pairs and their pairs with all nodes are samples: six standard errors for each add up to
// 6·√2 = 8.5, as errors of samples add up in squares.
func (a *anchorRows) guess(ctx context.Context, above, below int) (pos, neg window, err error) {
	anchors, n := len(a.nodes), float64(a.n)
	if anchors < 2 {
		return noWindow, noWindow, nil
	}
	inner := &anchorRows{Gram: linalg.Gram{Left: a.anchors, Right: a.anchors}, n: anchors, anchors: a.anchors, nodes: a.nodes}
	// Scale the ranks from n pairs of an anchor to its `anchors` pairs with other anchors. The pair
	// (i, i), the most similar one, is in both: only the others are scaled.
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
	const standardErrors, moreBins = 9, 4 // a few bins more, for errors that are estimated as 0
	around := func(bin int, err float32) window {
		half := int(standardErrors*float64(err)*(fineBins/2)) + moreBins
		return window{bin - half, bin + half}
	}
	all := float64(anchors) * float64(anchors)
	pos = around(posBin, thresholdError(fine, all-pairsAbove, found.pos.counts(posBin, posBin), a.n))
	neg = around(negBin, thresholdError(fine, pairsBelow, found.neg.counts(negBin, negBin), a.n))
	return pos, neg, nil
}
