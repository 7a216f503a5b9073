package auto

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/classes"
	"github.com/agekit/age/internal/parallel"
)

// columnStats says how each feature counts.
type columnStats struct {
	isWord []bool // by its occurrences, as words do, because less than half of the nodes have it
	count  []int  // how many nodes have it
	// entropy is that of the values of another column, in nats: nothing can tell more about
	// it. It is +Inf if there are more than fewValues besides 0.
	entropy []float64
}

// fewValues is the number of different values of a column up to which they are counted.
const fewValues = 16

func newColumnStats(x graph.Features) columnStats {
	n, f := x.Dims()
	c := columnStats{make([]bool, f), make([]int, f), make([]float64, f)}
	for i := range n {
		x.EachInRow(i, func(j int, _ float32) { c.count[j]++ })
	}
	for j, have := range c.count {
		c.isWord[j] = 2*have < n
		c.entropy[j] = math.Inf(1)
	}
	if !slices.Contains(c.isWord, false) {
		return c
	}
	nodes := make([]map[float32]int, f) // by column and value
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			if c.isWord[j] || len(nodes[j]) > fewValues {
				return
			}
			if nodes[j] == nil {
				nodes[j] = map[float32]int{}
			}
			nodes[j][v]++
		})
	}
	for j, of := range nodes {
		if of == nil || len(of) > fewValues {
			continue
		}
		of[0] += n - c.count[j]
		c.entropy[j] = 0
		for _, m := range of {
			if p := float64(m) / float64(n); p > 0 {
				c.entropy[j] -= p * math.Log(p)
			}
		}
	}
	return c
}

// minVarianceShare is the smallest share of its variance that a column of numbers can have left within
// clusters: −½ln of it is what they tell about a normal one, which is never more than its
// entropy. Without it, clusters that decide a column of zeros and ones would tell any amount.
func (c columnStats) minVarianceShare(j int) float64 { return max(math.Exp(-2*c.entropy[j]), 1e-6) }

// numbered numbers clusters from 0, without gaps.
func numbered(clusters []int) (of []int, k int) {
	values, of := classes.Distinct(clusters)
	return of, len(values)
}

// featureGain returns what clusters tell about the wanted columns (nil: all), in
// nats: the log-likelihood that they gain when each node has the distribution of its
// cluster. The distributions are estimated without the node, so that clusters by chance
// gain nothing. What they tell about each column is added to each, unless that is nil.
//
// A node's words are draws from its cluster's words, mixed with those of all nodes with the
// weight of α draws; of several α, the best counts. Other columns are normal, with a mean
// for each cluster and one variance, but tell no more than the entropy of their values.
func featureGain(x graph.Features, c columnStats, clusters []int, want []bool, each []float64) float64 {
	of, k := numbered(clusters)
	s := newSums(x, c, of, k, want)
	words, alpha := s.bestWordGain()
	if each != nil {
		s.wordGain(alpha, each)
	}
	return words + s.numberGain(want, each)
}

// sums are sums over the nodes of each cluster.
type sums struct {
	columnStats
	clusters       int       // number of clusters
	sizes          []float64 // nodes
	draws          []float64 // occurrences of words
	cells, squares []float64 // by cluster and column: occurrences or values, and values squared
}

// newSums adds up the wanted columns (nil: all) of the nodes of k clusters.
func newSums(x graph.Features, c columnStats, of []int, k int, want []bool) *sums {
	_, f := x.Dims()
	s := &sums{
		columnStats: c, clusters: k, sizes: make([]float64, k), draws: make([]float64, k),
		cells: make([]float64, k*f), squares: make([]float64, k*f),
	}
	for i, a := range of {
		s.sizes[a]++
		x.EachInRow(i, func(j int, v float32) {
			switch {
			case want != nil && !want[j]:
			case c.isWord[j]:
				s.cells[a*f+j]++
				s.draws[a]++
			default:
				s.cells[a*f+j] += float64(v)
				s.squares[a*f+j] += float64(v) * float64(v)
			}
		})
	}
	return s
}

// bestWordGain returns the evidence of words for the best of several α, and this α.
func (s *sums) bestWordGain() (words, alpha float64) {
	alpha = 10
	for a := alpha; a <= 10000; a *= math.Sqrt(10) {
		if w := s.wordGain(a, nil); w > words {
			words, alpha = w, a
		}
	}
	return words, alpha
}

// wordGain returns the evidence of wordGain for one α, and adds that of each to each.
func (s *sums) wordGain(alpha float64, each []float64) float64 {
	n, all := 0., 0.
	for a := range s.clusters {
		n, all = n+s.sizes[a], all+s.draws[a]
	}
	length := all / n // a node's draws, which are left out with it
	sum := 0.
	for j, have := range s.count {
		if !s.isWord[j] || have < 2 {
			continue
		}
		share := float64(have-1) / max(all-length, 1)
		for a, draws := range s.draws {
			if m := s.cells[a*len(s.count)+j]; m > 0 {
				told := m * math.Log((m-1+alpha*share)/(max(draws-length, 0)+alpha)/share)
				if sum += told; each != nil {
					each[j] += told
				}
			}
		}
	}
	return sum
}

// numberGain returns the evidence of the other columns, and adds that of each to each.
// Without a node, the distance from the mean of its m is m/(m−1) times as far.
func (s *sums) numberGain(want []bool, each []float64) float64 {
	sum, f := 0., len(s.count)
	for j := range f {
		if s.isWord[j] || want != nil && !want[j] {
			continue
		}
		n, values, squares := 0., 0., 0.
		for a := range s.clusters {
			n, values, squares = n+s.sizes[a], values+s.cells[a*f+j], squares+s.squares[a*f+j]
		}
		mean := values / n
		total := squares - mean*values
		if n < 2 || total <= 1e-9*squares {
			continue // a constant
		}
		within := 0.
		for a, m := range s.sizes {
			v, q := s.cells[a*f+j], s.squares[a*f+j]
			if m < 2 {
				within += q - 2*v*mean + m*mean*mean
				continue
			}
			within += (q - v*v/m) * (m / (m - 1)) * (m / (m - 1))
		}
		total *= (n / (n - 1)) * (n / (n - 1))
		told := -n / 2 * math.Log(max(within/total, s.minVarianceShare(j)))
		if sum += told; each != nil {
			each[j] += told
		}
	}
	return sum
}

// edgeGain returns what clusters tell about edges that were held out, in nats: the
// log-likelihood that the other ends gain from the clusters at both ends, in the
// degree-corrected block model of the edges in train. Clusters found in these edges tell
// less about others, so their ratios have an exponent between 0 and 1.2; the best counts.
func edgeGain(train *graph.CSR, held []edge, clusters []int) float64 {
	ratio, degrees, total, of := blockRatios(train, clusters)
	if total == 0 || len(held) == 0 {
		return 0
	}
	k := len(degrees)
	weight, sum := 0., 0.
	for _, e := range held {
		weight += e.weight
		sum += e.weight * ratio[of[e.u]*k+of[e.v]]
	}
	sum *= float64(len(held)) / weight
	best := 0.
	for step := 1; step <= 12; step++ {
		power, norm := float64(step)/10, 0.
		for p, r := range ratio {
			norm += degrees[p/k] * degrees[p%k] / (total * total) * math.Exp(power*r)
		}
		best = max(best, power*sum-float64(len(held))*math.Log(norm))
	}
	return best
}

// blockRatios returns the logarithms of how much more weight the edges have between two
// clusters than the clusters' degrees alone would give, with blocks' other results. One
// more on both sides keeps empty cells finite.
func blockRatios(a *graph.CSR, clusters []int) (ratio, degrees []float64, total float64, of []int) {
	joint, degrees, total, of := blockWeights(a, clusters)
	k := len(degrees)
	ratio = make([]float64, k*k)
	for p, w := range joint {
		if total > 0 {
			ratio[p] = math.Log((w + 1) / (degrees[p/k]*degrees[p%k]/total + 1))
		}
	}
	return ratio, degrees, total, of
}

// blockWeights returns the weight of the edges' ends by the clusters at this end and at the
// other, their sums over the other end, and their sum.
func blockWeights(a *graph.CSR, clusters []int) (joint, degrees []float64, total float64, of []int) {
	of, k := numbered(clusters)
	joint, degrees = make([]float64, k*k), make([]float64, k)
	for i, c := range of {
		for j, w := range a.Each(i) {
			joint[c*k+of[j]] += float64(w)
			degrees[c] += float64(w)
			total += float64(w)
		}
	}
	return joint, degrees, total, of
}

const (
	// mostProbes and leastProbes bound the number of random vectors for an estimate of a
	// trace (Hutchinson, Comm. Stat. Simul. Comput. 18(3), 1989).
	mostProbes, leastProbes = 32, 2
	// probedNodes is the number of nodes up to which there are mostProbes.
	probedNodes = 50_000
)

// probesFor returns the number of random vectors for a trace over n nodes: the relative error
// falls with the root of their number times n, so that large graphs need fewer.
func probesFor(n int) int { return max(leastProbes, mostProbes*probedNodes/max(n, probedNodes)) }

// trace returns the mean of what estimate returns for so many random sources.
func trace(probes int, rnd *rand.Rand, estimate func(rnd *rand.Rand) float64) (mean float64) {
	seeds, values := make([]uint64, probes), make([]float64, probes)
	for p := range seeds {
		seeds[p] = rnd.Uint64()
	}
	parallel.Blocks(probes, 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			values[p] = estimate(rand.New(rand.NewPCG(seeds[p], 0)))
		}
	})
	for _, v := range values {
		mean += v / float64(probes)
	}
	return mean
}

// independentEdges returns the share of the edges' evidence that counts, given clusters:
// edges of nearest neighbors, for example, follow from each other. In N = D^-½AD^-½, the
// closed walks of length 4 that do not return at once show it. Independent edges would
// have tr(P⁴) of them, for the block model's expectation P of N; the others, for each
// walk from a node to a neighbor and back, are what edges tell of each other.
func independentEdges(a *graph.CSR, clusters []int, rnd *rand.Rand) float64 {
	n := a.Rows
	scale, back, back2, single := make([]float64, n), 0., 0., 0.
	for i := range n {
		for _, w := range a.Each(i) {
			scale[i] += float64(w)
		}
		if scale[i] > 0 {
			scale[i] = 1 / math.Sqrt(scale[i])
		}
	}
	for i := range n {
		there := 0.
		for j, w := range a.Each(i) {
			v := float64(w) * scale[i] * scale[j]
			there += v * v
			single += v * v * v * v
		}
		back2 += there * there
	}
	if back2 == 0 {
		return 1
	}
	back = 2*back2 - single
	walks := trace(probesFor(n), rnd, func(rnd *rand.Rand) float64 {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(2*rnd.IntN(2) - 1)
		}
		for range 2 {
			for i := range y {
				sum := 0.
				for j, w := range a.Each(i) {
					sum += float64(w) * scale[j] * x[j]
				}
				y[i] = scale[i] * sum
			}
			x, y = y, x
		}
		return blas64.Dot(vector(x), vector(x))
	})
	joint, degrees, _, _ := blockWeights(a, clusters)
	k := len(degrees)
	p := mat.NewSymDense(k, nil)
	for b := range k {
		for c := b; c < k; c++ {
			if d := degrees[b] * degrees[c]; d > 0 {
				p.SetSym(b, c, joint[b*k+c]/math.Sqrt(d))
			}
		}
	}
	p2 := mat.NewDense(k, k, nil)
	p2.Mul(p, p)
	expected := mat.Norm(p2, 2)
	return 1 / (1 + max(0, walks-back-expected*expected)/back2)
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }

// sampledNodes is the number of nodes whose features tell how independent they are.
const sampledNodes = 5000

// independentFeatures returns the share of the features' evidence that counts, given
// clusters: columns that go together within the clusters tell the same more than once. It
// is Σ w² / Σ_jl w_j·w_l·r²_jl for their correlations r, less what n nodes give by chance,
// with w = 1 for numbers; words count by their variance, as rare ones tell little.
func independentFeatures(x graph.Features, c columnStats, clusters []int, rnd *rand.Rand) float64 {
	n, f := x.Dims()
	nodes := rnd.Perm(n)[:min(n, sampledNodes)]
	slices.Sort(nodes)
	n = len(nodes)
	own := make([]int, n)
	for at, i := range nodes {
		own[at] = clusters[i]
	}
	of, k := numbered(own)
	value := func(j int, v float32) float64 {
		if c.isWord[j] {
			return 1
		}
		return float64(v)
	}
	sizes, mean, variance := make([]float64, k), make([]float64, k*f), make([]float64, f)
	for at, a := range of {
		sizes[a]++
		x.EachInRow(nodes[at], func(j int, v float32) {
			mean[a*f+j] += value(j, v)
			variance[j] += value(j, v) * value(j, v)
		})
	}
	words := 0. // the largest variance of a word
	for j := range f {
		for a := range k {
			m := &mean[a*f+j]
			*m /= sizes[a]
			variance[j] -= sizes[a] * *m * *m
		}
		if variance[j] /= float64(n); c.isWord[j] {
			words = max(words, variance[j])
		}
	}
	scale, sum, squares := make([]float64, f), 0., 0. // of a column, √w divided by the deviation
	for j, v := range variance {
		if v < 1e-9 {
			continue
		}
		w := 1.
		if c.isWord[j] {
			w = v / words
		}
		scale[j] = math.Sqrt(w / v)
		sum, squares = sum+w, squares+w*w
	}
	if squares == 0 {
		return 1
	}
	free := float64(max(1, n-k))
	all := trace(mostProbes, rnd, func(rnd *rand.Rand) (sum float64) {
		z, y := make([]float64, f), make([]float64, f)
		shift, rest := make([]float64, k), make([]float64, k)
		for j := range z {
			z[j] = float64(2*rnd.IntN(2)-1) * scale[j]
			for a := range k {
				shift[a] += mean[a*f+j] * z[j]
			}
		}
		for at, a := range of {
			s := -shift[a]
			x.EachInRow(nodes[at], func(j int, v float32) { s += value(j, v) * z[j] })
			rest[a] += s
			x.EachInRow(nodes[at], func(j int, v float32) { y[j] += value(j, v) * s })
		}
		for j, v := range y {
			for a := range k {
				v -= rest[a] * mean[a*f+j]
			}
			v *= scale[j] / free
			sum += v * v
		}
		return sum
	})
	alone := squares * (float64(n) / free) * (float64(n) / free)
	return squares / (squares + max(0, all-alone-(sum*sum-squares)/free))
}
