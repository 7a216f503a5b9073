package metric

import (
	"math"

	"github.com/agekit/age/agekit/graph"
)

// EdgeInformation returns what the cluster at one end of an edge tells about the
// cluster at the other end: the mutual information
//
//	I = Σ_ab p_ab ln(p_ab / (p_a·p_b))
//
// in nats, where p_ab is the share of the ends of edges, by weight, that are in cluster
// a with the other end in b. It is between 0 and the logarithm of the number of
// clusters, which it reaches if all edges are inside clusters with the same sum of
// degrees. I times the number of edges is the log-likelihood ratio of the
// degree-corrected block model (Karrer and Newman, Phys. Rev. E 83, 016107, 2011). It
// is 0 for a graph without edges.
//
// The adjacency matrix must be symmetric. It panics unless there is one label per node.
func EdgeInformation(adjacency *graph.CSR, labels []int) float64 {
	of, k := numbered(labels, adjacency.Rows)
	total, joint, degrees := 0.0, make([]float64, k*k), make([]float64, k)
	for i, c := range of {
		for j, w := range adjacency.Each(i) {
			joint[c*k+of[j]] += float64(w)
			degrees[c] += float64(w)
			total += float64(w)
		}
	}
	sum := 0.0
	for cell, w := range joint {
		if w > 0 {
			sum += w / total * math.Log(w/degrees[cell/k]*total/degrees[cell%k])
		}
	}
	return sum
}

// FeatureInformation returns how much the clusters tell about the features, in nats
// per node: the log-likelihood ratio of a model in which each cluster has its own
// distribution of the features to one in which all nodes share it.
//
// Features that less than half of the nodes have, such as words, count by how often
// they occur, whatever their value: Σ n_cj ln(n_cj·n/(n_c·n_j)), the mutual
// information of cluster and word times the number of occurrences. For the other
// features j, it is (n/2)·ln(s²_j/s²_jw), where s²_j is the variance and s²_jw the one
// within the clusters, as for normal distributions of the same width. A variance
// within the clusters below 10⁻⁶ of the whole counts as that.
//
// It panics unless there is one label per node.
func FeatureInformation(x graph.Features, labels []int) float64 {
	n, f := x.Dims()
	of, k := numbered(labels, n)
	have, sizes := make([]int, f), make([]float64, k)
	for i, c := range of {
		sizes[c]++
		x.EachInRow(i, func(j int, v float32) { have[j]++ })
	}
	occurs := func(j int) bool { return 2*have[j] < n }
	cells := make([]float64, k*f) // of cluster and feature: occurrences, or the sum of the values
	squares := make([]float64, f)
	byCluster, all := make([]float64, k), 0.0 // occurrences
	for i, c := range of {
		x.EachInRow(i, func(j int, v float32) {
			if occurs(j) {
				cells[c*f+j]++
				byCluster[c]++
				all++
				return
			}
			cells[c*f+j] += float64(v)
			squares[j] += float64(v) * float64(v)
		})
	}
	sum := 0.0
	for j := range f {
		if occurs(j) {
			for c := range k {
				if count := cells[c*f+j]; count > 0 {
					sum += count * math.Log(count*all/(byCluster[c]*float64(have[j])))
				}
			}
			continue
		}
		whole, between := 0.0, 0.0
		for c := range k {
			whole += cells[c*f+j]
			between += cells[c*f+j] * cells[c*f+j] / sizes[c]
		}
		if variation := squares[j] - whole*whole/float64(n); variation > 1e-9*squares[j] {
			sum -= float64(n) / 2 * math.Log(max((squares[j]-between)/variation, 1e-6))
		}
	}
	return sum / float64(n)
}
