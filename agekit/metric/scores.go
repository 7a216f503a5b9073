package metric

import "github.com/agekit/age/agekit/graph"

// Scores holds all scores of a clustering of a graph's nodes. The four that
// need labels are nil if the graph has none.
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
		Conductance: Conductance(g.Adjacency, clusters),
	}
	if g.Labels != nil {
		acc, nmi := Accuracy(g.Labels, clusters), NMI(g.Labels, clusters)
		ari, f1 := ARI(g.Labels, clusters), MacroF1(g.Labels, clusters)
		s.ACC, s.NMI, s.ARI, s.F1 = &acc, &nmi, &ari, &f1
	}
	return s
}
