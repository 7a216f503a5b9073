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
