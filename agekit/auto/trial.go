package auto

import (
	"math"

	"github.com/agekit/age/agekit/metric"
)

// Trial is a candidate with its scores. Folds of the edges and of the features are held out
// in turn; the gain is the log-likelihood that the clusters found without them add to theirs.
type Trial struct {
	Candidate
	// Features and Edges are the mean held-out gains of features and edges, in nats per node
	// of the whole graph. From Features, the gain of the same candidate under the null
	// model is subtracted: features without clusters, but with the same covariances; from
	// Edges, if they join the nodes of the nearest features, that of the null model's edges.
	Features float64 `json:"features"`
	Edges    float64 `json:"edges"`
	// Null is the combined gain under the null model, which is subtracted.
	Null float64 `json:"null,omitempty"`
	// Stability is the mean adjusted Rand index of the clusters of two folds.
	Stability float64 `json:"stability"`
	// Score is ((√Features + √Edges)²/2 + 1/n)·e^(Stability − 1) for n nodes, in which
	// negative gains count as 0. Higher is better, for one graph and one number of clusters.
	Score float64 `json:"score"`
	// Folds is the number of folds: few for candidates that were dropped.
	Folds int `json:"folds"`
	// Failed says why a candidate that cannot be computed was dropped, such as eigenvectors
	// that do not converge; its measures are 0. Else it is "".
	Failed string `json:"failed,omitempty"`
	// Seconds is the time that it took.
	Seconds float64 `json:"seconds"`

	// What the scores above are made of; a stored trial has only these.
	foldScores []foldScore `key:"-"`
	// Gains under the null model; that of the edges is 0 unless they are made from the features.
	nullFeatures, nullEdges float64 `key:"-"`
}

// foldScore is what the clusters of one fold gain, in nats per node.
type foldScore struct {
	clusters        []int // nil if there were none
	features, edges float64
}

// combined returns (√f + √e)²/2 = (f+e)/2 + √(f·e) of the gains of features and edges: their
// sum if they are equal, half of one if the other is 0. Clusters that explain both are
// preferred to those that explain only one, however well.
func combined(features, edges float64) float64 {
	sum := math.Sqrt(max(0, features)) + math.Sqrt(max(0, edges))
	return sum * sum / 2
}

// combined returns the combined gain, without the stability.
func (t *Trial) combined() float64 { return combined(t.Features, t.Edges) }

// measure sets the measures by the first folds, or by all if there are fewer.
func (t *Trial) measure(folds int) {
	first := t.foldScores[:min(folds, len(t.foldScores))]
	count := float64(len(first))
	t.Folds = len(t.foldScores)
	t.Features = -t.nullFeatures
	t.Edges = -t.nullEdges
	t.Null = combined(t.nullFeatures, t.nullEdges)
	t.Stability = 0
	oneNat := 0. // for the whole graph, in nats per node
	for i, agreement := range agreement(first) {
		score := first[i]
		t.Features += score.features / count
		t.Edges += score.edges / count
		t.Stability += agreement / count
		if score.clusters != nil {
			oneNat = 1 / float64(len(score.clusters))
		}
	}
	// One nat for the whole graph keeps the stability of clusters without a gain from
	// outweighing the gains of others.
	t.Score = (t.combined() + oneNat) * math.Exp(t.Stability-1)
	if t.Failed != "" {
		t.Features, t.Edges, t.Stability, t.Score = 0, 0, 0, 0
	}
}

// agreement returns the mean adjusted Rand index of the clusters of each fold with those of
// the others. Folds without clusters count as 0.
func agreement(folds []foldScore) []float64 {
	mean := make([]float64, len(folds))
	for i, f := range folds {
		for j, other := range folds[:i] {
			if f.clusters != nil && other.clusters != nil {
				share := metric.ARI(f.clusters, other.clusters) / float64(len(folds)-1)
				mean[i] += share
				mean[j] += share
			}
		}
	}
	return mean
}
