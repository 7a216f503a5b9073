package method

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// deepWalk embeds a graph by random walks (Perozzi, Al-Rfou and Skiena, DeepWalk:
// Online Learning of Social Representations, KDD 2014, arXiv:1403.6652). Several walks
// start from each node. Each step goes to a neighbor with a probability in proportion
// to the weight of the edge. The skip-gram model with hierarchical softmax reads the
// walks as sentences: for each node v of a walk and each node u at most c steps from
// it, c drawn from 1 to Window, one step of gradient descent lowers
//
//	−log Pr(u | v),  Pr(u | v) = Π σ(±zᵥ·yₐ) over the inner nodes a on the path to u
//
// in a Huffman tree whose leaves are the nodes, weighted by how often the walks visit
// them. The embedding is Z. A node without neighbors keeps its random initial vector.
//
// Steps are taken one after another, so a seed gives the same bytes on any number of
// cores. Time is about Walks·Length·Window·n·log₂n steps of 3·Dims multiplications, and
// memory 2·n·Dims numbers: walks are drawn twice, to count visits and to train, and are
// not stored.
//
// Each walk is read once, as in the paper. With later versions of its library for word
// vectors, the authors' code reads it five times, adds negative sampling and leaves out
// visits of frequent nodes. There is no published mode: Table 2 takes its figures from
// GALA's Table 2, which gives no settings. The defaults are usual in papers on
// clustering. The authors' code has walks of 40 nodes, 64 dimensions and a window of 5.
type deepWalk struct {
	Walks  int `json:"walks"`  // from each node; default 10
	Length int `json:"length"` // nodes of a walk; default 80
	Dims   int `json:"dims"`   // width of the embedding; default 128
	// Window is how many steps apart two nodes of a walk can be to predict each other.
	// Default 10.
	Window int `json:"window"`
	// LearningRate is the learning rate of the first step. It falls linearly to
	// 1/250 of it. Default 0.025.
	LearningRate float64 `json:"learning_rate"`
}

// lastRate is the learning rate of the last step relative to that of the first.
const lastRate = 1. / 250

// newDeepWalk returns the method's settings: those of s that apply, and defaults for the others.
func newDeepWalk(s Settings) deepWalk {
	return deepWalk{Walks: s.epochs(10), Length: 80, Dims: 128, Window: 10, LearningRate: 0.025}
}

// fit reports one walk from each node as an epoch, and the mean of −log Pr(u | v) as
// its loss.
func (m deepWalk) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	err := cmp.Or(checkAtLeast("walks", m.Walks, 1), checkAtLeast("length", m.Length, 2), checkAtLeast("dims", m.Dims, 1), checkAtLeast("window", m.Window, 1),
		checkPositive("learning_rate", m.LearningRate), checkEdges(g))
	if err != nil {
		return nil, err
	}
	w := newWalker(g.Adjacency, m.Length)
	visits := make([]int, g.N()) // of each node, by all walks
	// The same walks as in the training: each pass has the random source of the epoch with its number.
	for pass := 1; pass <= m.Walks; pass++ {
		for walk := range w.pass(rng.New(o.Seed, rng.MethodEpoch(pass))) {
			for _, i := range walk {
				visits[i]++
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	words := newSkipGram(visits, m.Dims, source(o.Seed))
	t := newHostTrainer(g, o, backend.Native)
	t.weight(words.vectors)
	// A kind of step without weights, which counts the walks. If a pass is stopped after some of them,
	// its count tells the trainer that the vectors are not those after the pass before: see train.
	walkSteps := t.hostStep(0)
	trained := model{epochs: m.Walks, epoch: func(pass int, rnd *rand.Rand) (float64, error) {
		windows := rng.New(o.Seed, rng.MethodWindows(pass))
		var loss float64
		pairs, walks := 0, 0 // of this pass so far
		for walk := range w.pass(rnd) {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			done := float64((pass-1)*g.N()+walks) / float64(m.Walks*g.N()) // the share of all walks
			rate := float32(m.LearningRate * max(1-done, lastRate))
			for v, u := range windowPairs(walk, m.Window, windows) {
				loss += words.step(v, u, rate)
				pairs++
			}
			walks++
			walkSteps.count++
		}
		return loss / float64(pairs), nil
	}}
	trained.embed = func() (blas32.General, error) {
		z := linalg.RowRange(words.vectors, 0, g.N()) // the leaves, without the inner nodes
		z.Data = z.Data[:z.Rows*z.Stride]
		return z, nil
	}
	return t.run(ctx, trained)
}

// walker draws random walks.
type walker struct {
	a      *graph.CSR
	sums   []float64 // for each entry, the sum of its row's weights up to the entry; nil if all weights are 1
	length int       // nodes of a walk
}

// newWalker returns a walker over a graph, whose walks have the given number of nodes.
func newWalker(a *graph.CSR, length int) walker {
	w := walker{a: a, length: length}
	if a.Values == nil {
		return w
	}
	w.sums = make([]float64, a.NNZ())
	for i := range a.Rows {
		sum := 0.0
		for p := a.Indptr[i]; p < a.Indptr[i+1]; p++ {
			sum += float64(a.Values[p])
			w.sums[p] = sum
		}
	}
	return w
}

// pass yields one walk from each node, as its nodes, with the first nodes in random order. The next
// walk overwrites the slice. The walk from a node without neighbors has that node only.
func (w walker) pass(rnd *rand.Rand) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		walk := make([]int32, 0, w.length)
		for _, start := range rnd.Perm(w.a.Rows) {
			walk = append(walk[:0], int32(start))
			hasNeighbors := w.a.Indptr[start] < w.a.Indptr[start+1]
			for len(walk) < w.length && hasNeighbors {
				walk = append(walk, w.next(walk[len(walk)-1], rnd))
			}
			if !yield(walk) {
				return
			}
		}
	}
}

// next draws a neighbor of node i, with probabilities in proportion to the weights.
func (w walker) next(i int32, rnd *rand.Rand) int32 {
	lo, hi := w.a.Indptr[i], w.a.Indptr[i+1]
	if w.sums == nil {
		return w.a.Indices[lo+rnd.IntN(hi-lo)]
	}
	total := w.sums[hi-1]
	// The first entry whose sum is not below a uniform number: its weight is its share of total.
	neighbor, _ := slices.BinarySearch(w.sums[lo:hi], rnd.Float64()*total)
	return w.a.Indices[lo+neighbor]
}

// windowPairs yields the pairs (v, u) of a walk: each node v of the walk with the nodes u at most c
// steps before or after it, where c is drawn for each v from 1 to window.
func windowPairs(walk []int32, window int, rnd *rand.Rand) iter.Seq2[int32, int32] {
	return func(yield func(v, u int32) bool) {
		for i, v := range walk {
			c := 1 + rnd.IntN(window)
			for j := max(0, i-c); j < min(len(walk), i+c+1); j++ {
				if j != i && !yield(v, walk[j]) {
					return
				}
			}
		}
	}
}

// skipGram is the skip-gram model with hierarchical softmax (Mikolov et al.,
// Efficient Estimation of Word Representations in Vector Space, 2013,
// arXiv:1301.3781; Morin and Bengio, AISTATS 2005).
type skipGram struct {
	tree     huffman
	vectors  blas32.General // of the leaves, and of the inner nodes, which begin as 0
	gradient []float32      // of a step, with respect to the center's vector, times −rate
	// The rest is of one step, with an entry for each inner node on the path.
	path   []int32   // the inner node
	center []int32   // the step's center, each time
	sign   []float32 // ±1: the direction that the path takes there
	other  []float32 // the probability of the other direction; first, the product of the two vectors
}

// newSkipGram returns a model of as many nodes as counts, which the tree is built from. It draws the
// leaves' vectors uniformly from ±1/(2·dims), as word2vec does.
func newSkipGram(counts []int, dims int, rnd *rand.Rand) *skipGram {
	s := &skipGram{tree: newHuffman(counts), vectors: linalg.New(2*len(counts)-1, dims), gradient: make([]float32, simd.Padded(dims))}
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
	// From the leaf of the context up to the root.
	for vertex := context; s.tree.parent[vertex] >= 0; vertex = s.tree.parent[vertex] {
		s.path = append(s.path, s.tree.parent[vertex])
		s.center = append(s.center, center)
		s.sign = append(s.sign, s.tree.sign[vertex])
	}
	s.other = slices.Grow(s.other[:0], len(s.path))[:len(s.path)]
	z := linalg.Row(s.vectors, int(center))
	simd.PairDots(s.other, s.vectors.Data, s.vectors.Stride, len(z), s.center, s.path)
	for k, sign := range s.sign {
		s.other[k] *= -sign
	}
	loss := simd.Logistic(s.other) // Σ softplus(∓z·y); each number becomes σ(∓z·y)
	clear(s.gradient)
	for k, a := range s.path {
		y, scale := linalg.Row(s.vectors, int(a)), rate*s.sign[k]*s.other[k]
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

// newHuffman returns the tree for the counts of the leaves. It joins the two rarest trees until one
// is left. Leaves are sorted by their counts, and inner nodes are made in the order of theirs, so
// the rarest tree is at the front of one of two queues: leaves, and the inner nodes from next on. Of
// trees with equal counts, leaves come before inner nodes, and leaves in the order of their indices.
func newHuffman(counts []int) huffman {
	n := len(counts)
	total := slices.Grow(slices.Clone(counts), n-1) // the count of each node so far, leaves and inner ones
	leaves := make([]int32, n)
	for i := range leaves {
		leaves[i] = int32(i)
	}
	slices.SortStableFunc(leaves, func(a, b int32) int { return cmp.Compare(counts[a], counts[b]) })
	h := huffman{parent: slices.Repeat([]int32{-1}, 2*n-1), sign: make([]float32, 2*n-1)}
	next := int32(n) // the first inner node without a parent
	// rarest takes the root of the rarest tree from its queue.
	rarest := func() int32 {
		noInner := int(next) == len(total)
		if noInner || (len(leaves) > 0 && counts[leaves[0]] <= total[next]) {
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
