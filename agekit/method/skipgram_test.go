package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// codes returns, for each leaf, the path from the root to it: + for a first child and - for a second.
func codes(h huffman, leaves int) []string {
	found := make([]string, leaves)
	for i := range found {
		for vertex := int32(i); h.parent[vertex] >= 0; vertex = h.parent[vertex] {
			found[i] = map[float32]string{1: "+", -1: "-"}[h.sign[vertex]] + found[i]
		}
	}
	return found
}

// least returns the least Σ count·depth over all binary trees whose leaves have the counts, by trying
// all pairs of trees as the first to join.
func least(counts []int) int {
	if len(counts) == 1 {
		return 0
	}
	best := math.MaxInt
	for i := range counts {
		for j := range i {
			rest := []int{counts[i] + counts[j]}
			for k, c := range counts {
				if k != i && k != j {
					rest = append(rest, c)
				}
			}
			best = min(best, rest[0]+least(rest))
		}
	}
	return best
}

// TestHuffman: no leaf's code begins with another's, and the mean length of the codes, weighted by the
// counts, is the least of all trees ([least]). For the counts of Cormen et al., Introduction to Algorithms,
// §16.3, the lengths of the codes are that book's.
func TestHuffman(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	cormen, cormenLengths := []int{45, 13, 12, 16, 9, 5}, []int{1, 3, 3, 3, 4, 4}
	cases := [][]int{cormen, {3, 7}, {1, 1, 1, 1, 1}, {0, 0, 5, 0}}
	for range 20 {
		random := make([]int, 6)
		for k := range random {
			random[k] = rnd.IntN(30)
		}
		cases = append(cases, random)
	}
	for k, counts := range cases {
		h, cost := newHuffman(counts), 0
		all := codes(h, len(counts))
		for i, code := range all {
			cost += counts[i] * len(code)
			for j, other := range all {
				if i != j && strings.HasPrefix(other, code) {
					t.Errorf("counts %v: code %s of %d begins code %s of %d", counts, code, i, other, j)
				}
			}
			if isCormen := k == 0; isCormen && len(code) != cormenLengths[i] {
				t.Errorf("counts %v: code %s of %d, want length %d", counts, code, i, cormenLengths[i])
			}
		}
		if want := least(counts); cost != want {
			t.Errorf("counts %v: cost %d, want %d", counts, cost, want)
		}
	}
}

// trainedSkipGram returns a model of eleven nodes whose vectors are all random, as after a training: those
// of the leaves and of the inner nodes.
func trainedSkipGram() *skipGram {
	const dims = 7
	rnd := rand.New(rand.NewPCG(4, 4))
	counts := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	s := newSkipGram(counts, dims, rnd)
	s.vectors = randomMatrix(2*len(counts)-1, dims, 1, rnd)
	return s
}

// logProbability returns log Pr(context | center) by the formula of [deepWalk] in float64.
func logProbability(s *skipGram, center, context int32) float64 {
	sum := 0.0
	for vertex := context; s.tree.parent[vertex] >= 0; vertex = s.tree.parent[vertex] {
		product := 0.0
		for k := range s.vectors.Cols {
			product += float64(s.vectors.Data[int(center)*s.vectors.Stride+k]) * float64(s.vectors.Data[int(s.tree.parent[vertex])*s.vectors.Stride+k])
		}
		sum -= math.Log1p(math.Exp(-product * float64(s.tree.sign[vertex])))
	}
	return sum
}

// TestSkipGramProbabilities: step returns −log Pr(context | center) of each context, as [logProbability]
// has it, to 1e-5. The probabilities of all contexts add up to 1, which checks that formula.
func TestSkipGramProbabilities(t *testing.T) {
	const center, nodes = 2, 11
	s := trainedSkipGram()
	sum := 0.0
	for context := range int32(nodes) {
		log := logProbability(s, center, context)
		sum += math.Exp(log)
		const rate = 0 // the step changes nothing
		if got := s.step(center, context, rate); math.Abs(got+log) > 1e-5 {
			t.Errorf("loss of context %d is %v, want %v", context, got, -log)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the probabilities add up to %v", sum)
	}
}

// TestSkipGramStep: a step of rate 1 adds the gradient of log Pr(context | center) to all vectors. It
// compares with central differences of [logProbability], to 1e-4.
func TestSkipGramStep(t *testing.T) {
	for _, pair := range [][2]int32{{0, 5}, {8, 3}, {6, 6}} {
		center, context := pair[0], pair[1]
		s := trainedSkipGram()
		want := make([]float64, len(s.vectors.Data))
		const h = 1.0 / 1024
		for k := range want {
			kept := s.vectors.Data[k]
			s.vectors.Data[k] = kept + h
			up := logProbability(s, center, context)
			s.vectors.Data[k] = kept - h
			down := logProbability(s, center, context)
			want[k] = (up - down) / (2 * h)
			s.vectors.Data[k] = kept
		}
		before := slices.Clone(s.vectors.Data)
		s.step(center, context, 1)
		for k, v := range s.vectors.Data {
			if got := float64(v) - float64(before[k]); math.Abs(got-want[k]) > 1e-4 {
				t.Errorf("pair %v: vector %d changes by %v, want %v", pair, k/s.vectors.Stride, got, want[k])
			}
		}
	}
}
