package auto

import (
	"math"

	"github.com/agekit/age/agekit/graph"
)

// edgeGain returns the log-likelihood, in nats, that the other ends of held-out edges gain from
// the clusters at both ends, in the degree-corrected block model of the edges in train. The
// ratios of clusters found in train are too extreme for other edges, so they have an
// exponent between 0 and 1.2; the best counts.
func edgeGain(train *graph.CSR, heldOut []edge, clusters []int) float64 {
	ratio, degrees, total, cluster := blockRatios(train, clusters)
	if total == 0 || len(heldOut) == 0 {
		return 0
	}
	k := len(degrees)
	count := float64(len(heldOut))
	weight, sum := 0., 0.
	for _, e := range heldOut {
		weight += e.weight
		sum += e.weight * ratio[cluster[e.u]*k+cluster[e.v]]
	}
	sum *= count / weight
	best := 0.
	for step := 1; step <= 12; step++ {
		power := float64(step) / 10
		norm := 0.
		for p, r := range ratio {
			norm += degrees[p/k] * degrees[p%k] / (total * total) * math.Exp(power*r)
		}
		best = max(best, power*sum-count*math.Log(norm))
	}
	return best
}

// blockRatios returns, for each two clusters, the logarithm of the ratio of the weight of
// the edges between them to that which their degrees alone would give; with the other
// results of blockWeights. One more on both sides keeps empty cells finite.
func blockRatios(a *graph.CSR, clusters []int) (ratio, degrees []float64, total float64, cluster []int) {
	joint, degrees, total, cluster := blockWeights(a, clusters)
	return ratios(joint, degrees, total), degrees, total, cluster
}

// ratios returns the ratios of [blockRatios] for the results of blockWeights.
func ratios(joint, degrees []float64, total float64) []float64 {
	k := len(degrees)
	ratio := make([]float64, k*k)
	for p, w := range joint {
		if total > 0 {
			ratio[p] = blockRatio(w, degrees[p/k]*degrees[p%k]/total)
		}
	}
	return ratio
}

func blockRatio(weight, byDegrees float64) float64 { return math.Log((weight + 1) / (byDegrees + 1)) }

// blockWeights returns the k×k weights of the edges by the clusters of their ends, in which
// each edge counts in both directions, the k sums of its rows, their sum, and the clusters,
// numbered from 0.
func blockWeights(a *graph.CSR, clusters []int) (joint, degrees []float64, total float64, cluster []int) {
	cluster, k := numbered(clusters)
	joint = make([]float64, k*k)
	degrees = make([]float64, k)
	for i, c := range cluster {
		for j, w := range a.Each(i) {
			joint[c*k+cluster[j]] += float64(w)
			degrees[c] += float64(w)
			total += float64(w)
		}
	}
	return joint, degrees, total, cluster
}
