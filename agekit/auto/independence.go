package auto

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
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
	linalg.Parallel(probes, 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			values[p] = estimate(rand.New(rand.NewPCG(seeds[p], 0)))
		}
	})
	for _, v := range values {
		mean += v / float64(probes)
	}
	return mean
}

// independentEdges returns the share of the edges' gain that counts, given clusters: edges of
// nearest neighbors, for example, follow from each other. In N = D^-½AD^-½, the closed walks
// of length 4 that do not return at once show it. Independent edges would have tr(P⁴) of
// them, for the block model's expectation P of N; the excess, for each walk from a node to a
// neighbor and back, is what edges predict of each other.
func independentEdges(a *graph.CSR, clusters []int, rnd *rand.Rand) float64 {
	scale := inverseRootDegrees(a)
	returning, back := returningWalks(a, scale)
	if back == 0 {
		return 1
	}
	walks := trace(probesFor(a.Rows), rnd, func(rnd *rand.Rand) float64 {
		x := randomSigns(a.Rows, rnd)
		y := make([]float64, a.Rows)
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
	excess := walks - returning - expectedWalks(a, clusters)
	return effectiveEdges(a) / (1 + max(0, excess)/back)
}

// effectiveEdges returns (Σw)²/mΣw² for the weights w of m edges: Kish's effective sample size
// divided by m ("Survey Sampling", 1965).
func effectiveEdges(a *graph.CSR) float64 {
	sum, squares := 0., 0.
	for i := range a.Rows {
		for _, w := range a.Each(i) {
			sum += float64(w)
			squares += float64(w) * float64(w)
		}
	}
	return sum * sum / (float64(a.NNZ()) * squares)
}

// inverseRootDegrees returns the diagonal of D^-½, 0 for nodes without edges.
func inverseRootDegrees(a *graph.CSR) []float64 {
	scale := make([]float64, a.Rows)
	for i := range scale {
		for _, w := range a.Each(i) {
			scale[i] += float64(w)
		}
		if scale[i] > 0 {
			scale[i] = 1 / math.Sqrt(scale[i])
		}
	}
	return scale
}

// returningWalks returns the weight of closed walks of length 4 that return at once: over
// one neighbor twice or over two, in either order. back is the sum over the nodes of the
// squared weight of walks to a neighbor and back.
func returningWalks(a *graph.CSR, scale []float64) (returning, back float64) {
	sameEdge := 0. // of the walks over one edge four times, which are counted twice
	for i := range a.Rows {
		nodeBack := 0.
		for j, w := range a.Each(i) {
			v := float64(w) * scale[i] * scale[j]
			nodeBack += v * v
			sameEdge += v * v * v * v
		}
		back += nodeBack * nodeBack
	}
	return 2*back - sameEdge, back
}

// expectedWalks returns tr(P⁴) for the expectation P of N in the block model of the clusters.
func expectedWalks(a *graph.CSR, clusters []int) float64 {
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
	square := mat.NewDense(k, k, nil)
	square.Mul(p, p)
	norm := mat.Norm(square, 2)
	return norm * norm
}

// randomSigns returns n random numbers −1 or 1.
func randomSigns(n int, rnd *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(2*rnd.IntN(2) - 1)
	}
	return x
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Data: x, Inc: 1} }

// sampledNodes is the number of nodes whose features show how independent they are.
const sampledNodes = 5000

// independentFeatures returns the share of the features' gain that counts, given clusters:
// columns that are correlated within the clusters repeat each other. It is
// Σ w² / Σ_jl w_j·w_l·r²_jl for their correlations r, less the expectation for n independent
// nodes, with w = 1 for numbers; the weight of words is their variance, divided by the
// largest one, since rare words gain little.
func independentFeatures(x graph.Features, stats columnStats, clusters []int, rnd *rand.Rand) float64 {
	s := newNodeSample(x, stats, clusters, rnd)
	weights, scale := s.weights()
	sum, squares := 0., 0.
	for _, w := range weights {
		sum += w
		squares += w * w
	}
	if squares == 0 {
		return 1
	}
	n := float64(len(s.nodes))
	free := float64(max(1, len(s.nodes)-s.k)) // degrees of freedom
	correlations := trace(mostProbes, rnd, func(rnd *rand.Rand) float64 { return s.probe(scale, free, rnd) })
	alone := squares * (n / free) * (n / free)
	byChance := (sum*sum - squares) / free
	return squares / (squares + max(0, correlations-alone-byChance))
}

// nodeSample has a sample of the nodes, with statistics of their columns within clusters.
type nodeSample struct {
	columnStats
	x        graph.Features
	nodes    []int
	cluster  []int // of each of nodes, from 0 to k−1
	k        int
	mean     []float64 // by cluster and column
	variance []float64 // within the clusters, by column
}

func newNodeSample(x graph.Features, stats columnStats, clusters []int, rnd *rand.Rand) *nodeSample {
	n, f := x.Dims()
	nodes := rnd.Perm(n)[:min(n, sampledNodes)]
	slices.Sort(nodes)
	sampled := make([]int, len(nodes))
	for p, i := range nodes {
		sampled[p] = clusters[i]
	}
	cluster, k := numbered(sampled)
	s := &nodeSample{columnStats: stats, x: x, nodes: nodes, cluster: cluster, k: k, mean: make([]float64, k*f), variance: make([]float64, f)}
	sizes := make([]float64, k)
	for p, c := range cluster {
		sizes[c]++
		x.EachInRow(nodes[p], func(j int, v float32) {
			s.mean[c*f+j] += s.value(j, v)
			s.variance[j] += s.value(j, v) * s.value(j, v)
		})
	}
	for j := range f {
		for c := range k {
			mean := &s.mean[c*f+j]
			*mean /= sizes[c]
			s.variance[j] -= sizes[c] * *mean * *mean
		}
		s.variance[j] /= float64(len(nodes))
	}
	return s
}

// value returns 1 for an occurrence of a word, and a number itself.
func (s *nodeSample) value(j int, v float32) float64 {
	if s.isWord[j] {
		return 1
	}
	return float64(v)
}

// weights returns the weight w of each column, and √w divided by its deviation; both are 0
// for a constant.
func (s *nodeSample) weights() (weights, scale []float64) {
	largest := 0. // variance of a word
	for j, variance := range s.variance {
		if s.isWord[j] {
			largest = max(largest, variance)
		}
	}
	weights = make([]float64, len(s.variance))
	scale = make([]float64, len(s.variance))
	for j, variance := range s.variance {
		if variance < 1e-9 {
			continue
		}
		weights[j] = 1
		if s.isWord[j] {
			weights[j] = variance / largest
		}
		scale[j] = math.Sqrt(weights[j] / variance)
	}
	return weights, scale
}

// probe returns |Cz|² of a random vector z of signs, for the covariances C of the columns
// within clusters, with rows and columns multiplied by scale.
func (s *nodeSample) probe(scale []float64, free float64, rnd *rand.Rand) (sum float64) {
	f := len(scale)
	z := randomSigns(f, rnd)
	product := make([]float64, f)
	shift := make([]float64, s.k) // product of a cluster's mean and z
	rest := make([]float64, s.k)  // sum of the centered products of a cluster's nodes
	for j := range z {
		z[j] *= scale[j]
		for c := range s.k {
			shift[c] += s.mean[c*f+j] * z[j]
		}
	}
	for p, c := range s.cluster {
		centered := -shift[c]
		s.x.EachInRow(s.nodes[p], func(j int, v float32) { centered += s.value(j, v) * z[j] })
		rest[c] += centered
		s.x.EachInRow(s.nodes[p], func(j int, v float32) { product[j] += s.value(j, v) * centered })
	}
	for j, v := range product {
		for c := range s.k {
			v -= rest[c] * s.mean[c*f+j]
		}
		v *= scale[j] / free
		sum += v * v
	}
	return sum
}
