package encoder

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

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
	// negative. The latter are not listed: they are most of all pairs. A
	// training in exact mode draws those of its epochs while the pairs are
	// ranked; DrawNegatives draws others.
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

	z     blas32.General
	drawn []pair // negatives that were drawn while the pairs were ranked
}

// pair is a pair of nodes.
type pair struct{ i, j int32 }

// histogramBins is the length of Selection.Histogram.
const histogramBins = 200

// Select ranks the similarities ẑᵢ·ẑⱼ of all n² ordered pairs of rows of z,
// n×d, and selects the positives·n² most similar pairs and the
// (1 − negatives)·n² least similar ones, both counts rounded to the nearest
// whole number. Ranks are exact. Of pairs with the very similarity at the
// last positive rank the ones with the lowest indices are taken; those with
// the similarity at the last negative rank are all negative.
//
// Rows are expected to have length 1 or 0. The similarities are computed once,
// in blocks of the upper triangle, and never stored: the pairs of some random
// nodes say about where the thresholds are, so that the pairs above and the
// similarities around them are kept while all are counted in narrow bins. Where
// that guess was wrong they are computed again; the result is the same. The
// memory is the positives', O(n), and up to 33 MB of counts a core.
func Select(ctx context.Context, z blas32.General, positives, negatives float64) (*Selection, error) {
	return selectExact(ctx, z, positives, negatives, draws{}, hostGram, (*anchorRows).guess)
}

// selectExact does Select's work with the similarities from anywhere and a
// guess of the fine bins in which the ranks lie. The result does not depend on
// the guess. On the way it draws negatives.
func selectExact(ctx context.Context, z blas32.General, positives, negatives float64, draw draws, similar gramMaker, guess guesser) (*Selection, error) {
	n := z.Rows
	posCount, negCount := counts(n, positives, negatives)
	switch {
	case posCount < 1:
		return nil, fmt.Errorf("selecting pairs: %v of %d² pairs is none: want more positives", positives, n)
	case negCount < 1:
		return nil, fmt.Errorf("selecting pairs: all but %v of %d² pairs is none: want more negatives", negatives, n)
	}
	z = padded(z)
	similarities, err := similar(z, z, true)
	if err != nil {
		return nil, err
	}
	defer similarities.close()
	// Any sample serves. The pairs of a tenth of the nodes among themselves
	// are a hundredth of all.
	sample := someRows(z, rand.New(rand.NewPCG(0, 0)).Perm(n)[:n/10])
	share := float64(len(sample.nodes)) / float64(n)
	posGuess, negGuess, err := guess(sample, ctx, int(float64(posCount)*share), int(float64(negCount)*share))
	if err != nil {
		return nil, err
	}
	if n > 10_000 && floatsOf(negGuess, n).count == 0 {
		negGuess = noWindow // too many pairs to list
	}
	found, err := rank(ctx, similarities, n, posGuess, negGuess, draw.among(n, negCount))
	if err != nil {
		return nil, err
	}
	posBin, above := binOfRank(found.histogram, posCount, true)
	negBin, below := binOfRank(found.histogram, negCount, false)
	if posBin < posGuess.low || !negGuess.contains(negBin) {
		if found, err = rank(ctx, similarities, n, window{posBin, fineBins - 1}, window{negBin, negBin}, draw.among(n, negCount)); err != nil {
			return nil, err
		}
	}
	s := &Selection{Positives: posCount, Negatives: negCount, Anchors: n, Histogram: coarsen(found.histogram), z: z}
	s.PosThreshold = s.listTop(found.top, posBin, posCount-above)
	s.NegThreshold = found.lowRank(negBin, negCount-below)
	s.keepDrawn(found.drawn, rand.New(rand.NewPCG(draw.key, uint64(n))))
	return s, nil
}

// keepDrawn keeps the draws that are negative, in random order.
func (s *Selection) keepDrawn(draws [][]scored, rnd *rand.Rand) {
	count := 0
	for _, d := range draws {
		count += len(d)
	}
	s.drawn = make([]pair, 0, count)
	for _, d := range draws {
		for _, p := range d {
			if p.s <= s.NegThreshold {
				s.drawn = append(s.drawn, pair{p.i, p.j})
			}
		}
	}
	rnd.Shuffle(len(s.drawn), func(a, b int) { s.drawn[a], s.drawn[b] = s.drawn[b], s.drawn[a] })
}

// listTop makes the pairs above a bin the positives, and of those in it the
// given number, both orders of each pair. It returns the smallest similarity
// among the latter. The pairs have i ≤ j.
func (s *Selection) listTop(top []scored, edgeBin, fromEdge int) float32 {
	var edge, all []scored
	both := func(list []scored, p scored) []scored {
		if p.i == p.j {
			return append(list, p)
		}
		return append(list, p, scored{p.s, p.j, p.i})
	}
	all = make([]scored, 0, s.Positives)
	for _, p := range top {
		switch b := bin(p.s); {
		case b > edgeBin:
			all = both(all, p)
		case b == edgeBin:
			edge = both(edge, p)
		}
	}
	slices.SortFunc(edge, moreSimilar)
	edge = edge[:fromEdge]
	s.list(sortedByNode(append(all, edge...), s.z.Rows))
	return edge[len(edge)-1].s
}

// moreSimilar orders pairs by falling similarity, equal ones by node.
func moreSimilar(a, b scored) int {
	return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
}

// sortedByNode returns the pairs ordered by i, and by j for each i: sorted by
// counting, once for j and once for i.
func sortedByNode(pairs []scored, n int) []scored {
	from, to := pairs, make([]scored, len(pairs))
	for _, node := range []func(scored) int32{func(p scored) int32 { return p.j }, func(p scored) int32 { return p.i }} {
		place := make([]int, n+1)
		for _, p := range from {
			place[node(p)+1]++
		}
		for i := range n {
			place[i+1] += place[i]
		}
		for _, p := range from {
			i := node(p)
			to[place[i]] = p
			place[i]++
		}
		from, to = to, from
	}
	return from
}

// list makes pairs the positives.
func (s *Selection) list(pairs []scored) {
	s.I, s.J = make([]int32, len(pairs)), make([]int32, len(pairs))
	for k, p := range pairs {
		s.I[k], s.J[k] = p.i, p.j
	}
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
