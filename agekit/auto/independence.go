package auto

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/parallel"
)

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
