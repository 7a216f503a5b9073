package baseline

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// skipGram is the skip-gram model with hierarchical softmax (Mikolov et al.,
// Efficient Estimation of Word Representations in Vector Space, 2013,
// arXiv:1301.3781; Morin and Bengio, AISTATS 2005).
type skipGram struct {
	tree     huffman
	vectors  blas32.General // of the leaves and, initially 0, of the inner nodes
	gradient []float32
	// Of one step, for each inner node on the path: the node, the center, ±1 for
	// the path's direction, and their product or the probability of the other
	// direction.
	path, center []int32
	sign, other  []float32
}

// newSkipGram draws the leaves' vectors uniformly from ±1/(2·dims), as word2vec
// does.
func newSkipGram(counts []int, dims int, rnd *rand.Rand) *skipGram {
	s := &skipGram{tree: newHuffman(counts), vectors: dense.New(2*len(counts)-1, dims), gradient: make([]float32, simd.Padded(dims))}
	for i := range counts {
		for k := range dims {
			s.vectors.Data[i*s.vectors.Stride+k] = (rnd.Float32() - 0.5) / float32(dims)
		}
	}
	return s
}

// step takes one step of gradient descent on −log Pr(context | center), and
// returns that loss before the step.
func (s *skipGram) step(center, context int32, rate float32) float64 {
	s.path, s.center, s.sign = s.path[:0], s.center[:0], s.sign[:0]
	for at := context; s.tree.parent[at] >= 0; at = s.tree.parent[at] {
		s.path, s.center, s.sign = append(s.path, s.tree.parent[at]), append(s.center, center), append(s.sign, s.tree.sign[at])
	}
	s.other = slices.Grow(s.other[:0], len(s.path))[:len(s.path)]
	z := dense.Row(s.vectors, int(center))
	simd.PairDots(s.other, s.vectors.Data, s.vectors.Stride, len(z), s.center, s.path)
	for k, sign := range s.sign {
		s.other[k] *= -sign
	}
	loss := simd.Logistic(s.other)
	clear(s.gradient)
	for k, a := range s.path {
		y, scale := dense.Row(s.vectors, int(a)), rate*s.sign[k]*s.other[k]
		simd.Axpy(scale, y, s.gradient)
		simd.Axpy(scale, z, y)
	}
	simd.Axpy(1, s.gradient, z)
	return loss
}

// huffman is a binary tree whose leaves 0 to n−1 have the least mean depth for
// given counts (Huffman 1952). Its inner nodes are n to 2n−2, the last of which
// is the root.
type huffman struct {
	parent []int32   // of each node; −1 for the root
	sign   []float32 // +1 for a parent's first child, −1 for its second
}

// newHuffman joins the two rarest trees until one is left. Leaves are sorted by
// their counts, and inner nodes are made in the order of theirs, so the rarest are
// at the front of one of two queues. Of equals, the leaf with the lower index comes
// first.
func newHuffman(counts []int) huffman {
	n := len(counts)
	total := slices.Grow(slices.Clone(counts), n-1)
	leaves := make([]int32, n)
	for i := range leaves {
		leaves[i] = int32(i)
	}
	slices.SortStableFunc(leaves, func(a, b int32) int { return cmp.Compare(counts[a], counts[b]) })
	h := huffman{slices.Repeat([]int32{-1}, 2*n-1), make([]float32, 2*n-1)}
	next := int32(n) // inner node
	rarest := func() int32 {
		if int(next) == len(total) || len(leaves) > 0 && counts[leaves[0]] <= total[next] {
			leaf := leaves[0]
			leaves = leaves[1:]
			return leaf
		}
		next++
		return next - 1
	}
	for parent := n; parent < 2*n-1; parent++ {
		first, second := rarest(), rarest()
		h.parent[first], h.parent[second] = int32(parent), int32(parent)
		h.sign[first], h.sign[second] = 1, -1
		total = append(total, total[first]+total[second])
	}
	return h
}
