package pairs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Selection holds the training pairs of one update: the most similar of all n² ordered
// pairs as positives, and the threshold at or below which a pair is negative (paper,
// §3.4.1). The n² pairs include the diagonal and both orders of each pair.
type Selection struct {
	// I and J are the positive pairs, sorted by I and then J; in sampled mode, some of them.
	I, J []int32
	// Positives and Negatives count the positive and negative pairs. The negative pairs are not
	// listed, because most pairs are negative: NextNegatives and DrawNegatives draw some.
	Positives, Negatives int
	// PosThreshold is the smallest similarity of a positive pair, and NegThreshold the
	// largest of a negative one.
	PosThreshold, NegThreshold float32
	// PosThresholdError and NegThresholdError are the thresholds' standard errors in
	// sampled mode; 0 in exact mode.
	PosThresholdError, NegThresholdError float32
	// Anchors is the number of nodes whose pairs were ranked: n in exact mode.
	Anchors int
	// Histogram counts all n² similarities in equal bins on [0, 1], and those beyond in
	// the first and the last bin. In sampled mode the counts are estimates. It is nil if a
	// device ranked the pairs ([Ranked]).
	Histogram []int

	z     blas32.General // rows whose products are the similarities, padded with zeros
	drawn []pair         // negatives that were drawn while the pairs were ranked
}

// pair is an ordered pair of nodes.
type pair struct{ i, j int32 }

// Options holds the options of a selection. None of them changes the positives or the
// thresholds.
type Options struct {
	// Draws is the minimum number of negative pairs that [Select] draws while it ranks
	// the pairs, almost for free ([Selection.NextNegatives]). Default: none.
	Draws int
	// Key is the seed of these draws: the same key gives the same draws.
	Key uint64
}

// Select ranks the similarities ẑᵢ·ẑⱼ of all n² ordered pairs of rows of z, n×d, and
// selects the positives·n² most similar pairs and the (1 − negatives)·n² least similar
// ones, both counts rounded to the nearest integer, 1 or more. Ranks are exact. Among pairs that
// tie with the last positive one, those with the lowest indices are taken; all pairs
// that tie with the last negative one are negative.
//
// The rows must have length 1 or 0, so that similarities are cosines. Select computes the similarities
// once, in blocks of the upper triangle, and never stores all of them. First, the pairs of a few
// random nodes locate the thresholds approximately. Then the pass that counts all pairs in narrow
// bins can also keep the pairs near the thresholds. If the approximation was wrong, a second pass
// follows, with the same result. Memory is that of the positives, O(n), and up to 33 MB of counts per
// core.
//
// It returns an error for a row whose length is not a finite number or above 2⁶³, for more
// positives than fit into the free memory, and if ctx is done or the device fails.
func Select(ctx context.Context, z blas32.General, positives, negatives float64, o Options) (*Selection, error) {
	return selectExact(ctx, z, positives, negatives, o, (*anchorRows).guess)
}

// selectExact is Select with any guesser. If the guess is wrong, a second pass follows: the result does
// not depend on the guess.
func selectExact(ctx context.Context, z blas32.General, positives, negatives float64, o Options, guess guesser) (*Selection, error) {
	n := z.Rows
	posCount, negCount := Counts(n, positives, negatives)
	if err := CheckRows(z); err != nil {
		return nil, err
	}
	// A positive takes 12 bytes in the list of its pass and in each of the two lists of sortedByNode, and
	// then 8 in I and J: 44.
	if err := system.CheckMemory(fmt.Sprintf("selecting pairs: %d positive ones (lower pos_start and pos_end, or rank a sample)", posCount), 44*float64(posCount)); err != nil {
		return nil, err
	}
	z = linalg.Padded(z)
	similarities := linalg.Gram{Left: z, Right: z, Symmetric: true}
	// Any sample of nodes will do for the guess. The pairs among a tenth of the nodes are a hundredth of
	// all pairs. Their pairs with all nodes are the share of all n² pairs by which the ranks shrink.
	sample := someRows(z, rng.New(0, rng.Only).Perm(n)[:n/10])
	share := float64(len(sample.nodes)) / float64(n)
	posGuess, negGuess, err := guess(sample, ctx, int(float64(posCount)*share), int(float64(negCount)*share))
	if err != nil {
		return nil, err
	}
	const manyNodes = 10_000 // whose pairs in a guessed window would be a long list
	if n > manyNodes && floatsOf(negGuess, n).count == 0 {
		negGuess = noWindow // too many pairs to list: a second pass lists those of one bin
	}
	rankIn := func(pos, neg window) (*ranked, error) {
		return rank(ctx, similarities, n, pos, neg, newPoisson(n, negCount, o.Draws, o.Key))
	}
	found, err := rankIn(posGuess, negGuess)
	if err != nil {
		return nil, err
	}
	posBin, above := binOfRank(found.histogram, posCount, true)
	negBin, below := binOfRank(found.histogram, negCount, false)
	if posBin < posGuess.low || !negGuess.contains(negBin) {
		// The pass did not list all positives, or not the bin of the negatives' threshold.
		if found, err = rankIn(window{posBin, fineBins - 1}, window{negBin, negBin}); err != nil {
			return nil, err
		}
	}
	s := &Selection{Positives: posCount, Negatives: negCount, Anchors: n, Histogram: coarsen(found.histogram), z: z}
	s.PosThreshold = s.listTop(found.top, posBin, posCount-above)
	s.NegThreshold = found.lowRank(negBin, negCount-below)
	s.keepDrawn(found.drawn, rng.New(o.Key, rng.Rows(n)))
	return s, nil
}

// CheckRows returns an error that names a row of z whose length is not a number or above 2⁶³:
// similarities with it may not be finite, and these have no rank.
func CheckRows(z blas32.General) error {
	const longest = 0x1p126 // squared, so that products of rows are below the largest float32, 2¹²⁸
	const rowsPerCore = 256
	return linalg.FirstError(z.Rows, rowsPerCore, func(i int) error {
		if squares := linalg.SumOfSquares(z.Data[i*z.Stride : i*z.Stride+z.Cols]); !(squares <= longest) {
			return fmt.Errorf("selecting pairs: row %d has length %.3g: want 1 or 0", i, math.Sqrt(squares))
		}
		return nil
	})
}

// keepDrawn sets s.drawn to those of the draws that are negative, by s.NegThreshold, in the random order
// that rnd gives.
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

// listTop sets s.I and s.J to the positives: the pairs of top above the fine bin edgeBin, and the
// fromEdge most similar ones in that bin, which it orders by similarity. It returns the smallest
// similarity of a positive. Pairs in top have i ≤ j and stand for both orders: edgeBin and fromEdge
// count both.
func (s *Selection) listTop(top []scored, edgeBin, fromEdge int) float32 {
	appendOrders := func(list []scored, p scored) []scored {
		if p.i == p.j {
			return append(list, p)
		}
		return append(list, p, scored{p.s, p.j, p.i})
	}
	all := make([]scored, 0, s.Positives)
	var edge []scored
	for _, p := range top {
		switch b := bin(p.s); {
		case b > edgeBin:
			all = appendOrders(all, p)
		case b == edgeBin:
			edge = appendOrders(edge, p)
		}
	}
	slices.SortFunc(edge, moreSimilar)
	edge = edge[:fromEdge]
	s.list(sortedByNode(append(all, edge...), s.z.Rows))
	return edge[len(edge)-1].s
}

// sortedByNode returns the pairs of n nodes sorted by i and then j, by two counting sorts: by j, and
// then by i, which keeps the order of j. It overwrites pairs.
func sortedByNode(pairs []scored, n int) []scored {
	nodeJ := func(p scored) int32 { return p.j }
	nodeI := func(p scored) int32 { return p.i }
	src, dst := pairs, make([]scored, len(pairs))
	for _, node := range []func(scored) int32{nodeJ, nodeI} {
		next := make([]int, n+1) // where the next pair of each node goes
		for _, p := range src {
			next[node(p)+1]++
		}
		for i := range n {
			next[i+1] += next[i]
		}
		for _, p := range src {
			i := node(p)
			dst[next[i]] = p
			next[i]++
		}
		src, dst = dst, src
	}
	return src
}

// list sets s.I and s.J to the nodes of the pairs, in the order of pairs.
func (s *Selection) list(pairs []scored) {
	s.I, s.J = make([]int32, len(pairs)), make([]int32, len(pairs))
	for k, p := range pairs {
		s.I[k], s.J[k] = p.i, p.j
	}
}
