package metric

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Scores holds all scores of a clustering of a graph's nodes. The four that
// need labels are nil if the graph has none, and count only the nodes whose class is
// known.
type Scores struct {
	ACC         *float64 `json:"acc"`
	NMI         *float64 `json:"nmi"`
	ARI         *float64 `json:"ari"`
	F1          *float64 `json:"f1"`
	Modularity  float64  `json:"modularity"`
	Conductance float64  `json:"conductance"`
}

// Score returns the scores of a clustering, given the cluster of each node of
// g.
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
func Known(labels, clusters []int) (known, of []int) {
	if !slices.Contains(labels, graph.Unknown) {
		return labels, clusters
	}
	for i, l := range labels {
		if l != graph.Unknown {
			known, of = append(known, l), append(of, clusters[i])
		}
	}
	return known, of
}
