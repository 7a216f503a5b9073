package auto

import (
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

const (
	// informationPower weighs the features against the edges in Measures.Score. On
	// the graphs of docs/choosing-settings.md, 3 to 12 choose about the same.
	informationPower = 4
	// softConductance keeps differences between conductances that are nearly 0 from deciding.
	softConductance = 0.01
)

// Measures tell without labels how good clusters are.
type Measures struct {
	// FeatureInformation is [metric.FeatureInformation], MeanConductance
	// [metric.MeanConductance].
	FeatureInformation float64 `json:"feature_information"`
	MeanConductance    float64 `json:"mean_conductance"`
	Modularity         float64 `json:"modularity"`
	// Score is 4·ln(FeatureInformation) − ln(MeanConductance + 0.01): the clusters should
	// tell much about the features, and few edges should lead from one to another. Higher
	// is better, for clusterings of one graph with the same number of clusters.
	Score float64 `json:"score"`
}

// Measure returns the measures of the clusters of g's nodes.
func Measure(g *graph.Graph, clusters []int) Measures {
	m := Measures{
		FeatureInformation: metric.FeatureInformation(g.Features, clusters),
		MeanConductance:    metric.MeanConductance(g.Adjacency, clusters),
		Modularity:         metric.Modularity(g.Adjacency, clusters),
	}
	m.Score = informationPower*math.Log(max(m.FeatureInformation, 1e-9)) - math.Log(m.MeanConductance+softConductance)
	return m
}
