package auto

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// Measures are the quality of clusters, measured without labels.
type Measures struct {
	// Features and Edges are the log-likelihood gains of features and edges, in nats per
	// node ([Judge.Measure]).
	Features float64 `json:"features"`
	Edges    float64 `json:"edges"`
	// MeanConductance is [metric.MeanConductance].
	MeanConductance float64 `json:"mean_conductance"`
	Modularity      float64 `json:"modularity"`
	// Score is (√Features + √Edges)²/2 ([Trial].Score, without the stability). Higher is
	// better, for clusterings of one graph with the same number of clusters.
	Score float64 `json:"score"`
}

// Judge measures clusterings of one graph.
type Judge struct {
	g       *graph.Graph
	columns columnStats
	shares
}

// shares are the shares of the gains that count.
type shares struct{ features, edges float64 }

// NewJudge returns a judge of clusterings of g. If features or edges are correlated even
// within clusters, they repeat each other, and only a share of their gain counts: the mean of
// those that the given clusterings show; without clusterings, all of it.
func NewJudge(g *graph.Graph, given ...[]int) *Judge {
	g = inUnits(g)
	j := &Judge{g: g, columns: newColumnStats(g.Features)}
	if len(given) == 0 {
		j.features, j.edges = 1, 1
	}
	for _, clusters := range given {
		rnd := rand.New(rand.NewPCG(0, 0))
		j.features += independentFeatures(g.Features, j.columns, clusters, rnd) / float64(len(given))
		j.edges += independentEdges(g.Adjacency, clusters, rnd) / float64(len(given))
	}
	return j
}

// inUnits returns g with weights whose mean is 1, so that an edge is one observation.
func inUnits(g *graph.Graph) *graph.Graph {
	unit := *g
	unit.Adjacency = g.Adjacency.UnitWeights()
	return &unit
}

// Measure returns the measures of the clusters of the nodes. The clusters may come from the
// same edges, so that k random clusters gain k(k−1)/4 nats, which are subtracted. Each node's
// features are predicted without the node.
func (j *Judge) Measure(clusters []int) Measures {
	a, n := j.g.Adjacency, float64(j.g.N())
	_, k := numbered(clusters)
	m := Measures{
		Features:        j.features * featureGain(j.g.Features, j.columns, clusters, nil, nil) / n,
		Edges:           j.edges * max(0, metric.EdgeInformation(a, clusters)*float64(j.g.Edges())-float64(k*(k-1))/4) / n,
		MeanConductance: metric.MeanConductance(a, clusters),
		Modularity:      metric.Modularity(a, clusters),
	}
	m.Score = combined(m.Features, m.Edges)
	return m
}
