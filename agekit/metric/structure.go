package metric

import (
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Modularity returns the fraction of edge weight within clusters minus its expectation
// in a random graph with the same degrees,
//
//	Q = Σ_c [ w_c/m − (d_c/2m)² ],
//
// where w_c is the weight of the edges within cluster c, d_c the sum of its nodes'
// degrees and m the weight of all edges (Newman, "Modularity and community structure in
// networks", PNAS 2006). It is in [−1/2, 1), and 0 for a graph without edges.
//
// The adjacency matrix must be symmetric without self loops. It panics unless there is
// one label per node.
func Modularity(adjacency *graph.CSR, labels []int) float64 {
	within, degrees, total := edgeWeights(adjacency, labels)
	if total == 0 {
		return 0
	}
	q := 0.0
	for c, d := range degrees {
		q += within[c]/total - (d/total)*(d/total)
	}
	return q
}

// conductance returns the fraction of edge weight between different clusters, given the cluster of each node
// as labels. Smaller is better; it is 0 if every cluster is a union of connected components.
//
// This is the figure that the graph clustering literature reports next to modularity
// (DMoN and PyAGC among others): the weight of the edges that leave a cluster over the
// sum of degrees, both summed over all clusters. A single cluster's conductance in the
// stricter sense, cut(S)/min(vol S, vol V∖S), is a different quantity.
func conductance(adjacency *graph.CSR, labels []int) float64 {
	within, _, total := edgeWeights(adjacency, labels)
	if total == 0 {
		return 0
	}
	inside := 0.0
	for _, w := range within {
		inside += w
	}
	return (total - inside) / total
}

// MeanConductance returns the mean over the clusters of the fraction of their degrees
// that leads to other clusters, cut(S)/vol(S): the normalized cut (Shi and Malik, PAMI
// 22(8), 2000) divided by the number of clusters. Smaller is better. Unlike the
// conductance of [Scores], it counts a small cluster as much as a large one, and one
// without edges as 0. It panics unless there is one label per node.
func MeanConductance(adjacency *graph.CSR, labels []int) float64 {
	within, degrees, _ := edgeWeights(adjacency, labels)
	sum := 0.0
	for c, d := range degrees {
		if d > 0 {
			sum += (d - within[c]) / d
		}
	}
	return sum / float64(max(1, len(degrees)))
}

// edgeWeights returns, for each cluster, twice the weight of the edges within the cluster (within) and the
// sum of its nodes' degrees (degrees), and the sum of all degrees (total).
func edgeWeights(adjacency *graph.CSR, labels []int) (within, degrees []float64, total float64) {
	cluster, k := numbered(labels, adjacency.Rows)
	within, degrees = make([]float64, k), make([]float64, k)
	for i, c := range cluster {
		for j, w := range adjacency.Each(i) {
			degrees[c] += float64(w)
			if cluster[j] == c {
				within[c] += float64(w)
			}
		}
	}
	for _, d := range degrees {
		total += d
	}
	return within, degrees, total
}

// numbered returns the labels renumbered from 0 to k−1, and their number k. It panics unless there is one
// label for each of the nodes.
func numbered(labels []int, nodes int) (cluster []int, k int) {
	if len(labels) != nodes {
		panic(fmt.Sprintf("metric: %d labels for %d nodes", len(labels), nodes))
	}
	values, cluster := graph.DistinctIDs(labels)
	return cluster, len(values)
}

// Scores holds all scores of a clustering of a graph's nodes. The four that need labels
// are nil if the graph has none, and count only nodes with a known class.
type Scores struct {
	ACC         *float64 `json:"acc"`
	NMI         *float64 `json:"nmi"`
	ARI         *float64 `json:"ari"`
	F1          *float64 `json:"f1"`
	Modularity  float64  `json:"modularity"`
	Conductance float64  `json:"conductance"`
}

// Score returns the scores of a clustering, given the cluster of each node of g.
func Score(g *graph.Graph, clusters []int) Scores {
	s := Scores{
		Modularity:  Modularity(g.Adjacency, clusters),
		Conductance: conductance(g.Adjacency, clusters),
	}
	if labels, clusters := Known(g.Labels, clusters); len(labels) > 0 {
		acc, nmi := Accuracy(labels, clusters), NMI(labels, clusters)
		ari, f1 := ARI(labels, clusters), macroF1(labels, clusters)
		s.ACC, s.NMI, s.ARI, s.F1 = &acc, &nmi, &ari, &f1
	}
	return s
}

// Known returns the labels and the clusters of the nodes whose label is not
// [graph.Unknown]: the arguments themselves if all are known.
func Known(labels, clusters []int) (known, clustersOfKnown []int) {
	if !slices.Contains(labels, graph.Unknown) {
		return labels, clusters
	}
	for i, l := range labels {
		if l != graph.Unknown {
			known, clustersOfKnown = append(known, l), append(clustersOfKnown, clusters[i])
		}
	}
	return known, clustersOfKnown
}
