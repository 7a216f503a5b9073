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
	joint := make([]float64, k*k)
	for i, c := range of {
		for j, w := range adjacency.Each(i) {
			joint[c*k+of[j]] += float64(w)
		}
	}
	return Information(joint, k)
}

// Information returns the mutual information of the rows and the columns of a k×k table
// of weights, in nats. Only positive cells count.
func Information(joint []float64, k int) float64 {
	total, rows, columns := 0.0, make([]float64, k), make([]float64, k)
	for cell, w := range joint {
		total, rows[cell/k], columns[cell%k] = total+w, rows[cell/k]+w, columns[cell%k]+w
	}
	sum := 0.0
	for cell, w := range joint {
		if w > 0 {
			sum += w / total * math.Log(w/rows[cell/k]*total/columns[cell%k])
		}
	}
	return sum
}
