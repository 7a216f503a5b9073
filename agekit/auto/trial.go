package auto

import (
	"math"

	"github.com/agekit/age/agekit/metric"
)

// Trial is a way to find clusters, with what it found. Parts of the edges and of the
// features were held out in turn. Clusters found without them tell about them.
type Trial struct {
	Way
	// Features and Edges are what the clusters told about the features and the edges that
	// were held out, in nats per node of the whole graph. Of Features,
	// what the same way tells about a cloud with the same covariances is subtracted.
	Features float64 `json:"features"`
	Edges    float64 `json:"edges"`
	// Stability is how much the clusters without one part and without another agree: the
	// mean adjusted Rand index.
	Stability float64 `json:"stability"`
	// Score is ((√Features + √Edges)²/2 + 1/n)·e^(Stability − 1) for n nodes, in which what is
	// below 0 counts as 0. Higher is better, for one graph and one number of clusters.
	Score float64 `json:"score"`
	// Folds is the number of times that a part was held out: few for ways that fell behind.
	Folds int `json:"folds"`
	// Seconds is the time that it took.
	Seconds float64 `json:"seconds"`

	// What the scores above are made of; a stored trial has only these.
	told  []told  `key:"-"` // by fold
	cloud float64 `key:"-"` // what the way tells about features without clusters
}

// told is what clusters told in one fold.
type told struct {
	clusters        []int // nil if there were none
	features, edges float64
}

// combined returns (√f + √e)²/2 = (f+e)/2 + √(f·e) of what clusters tell about features and
// edges: their sum if they are equal, half of one if the other is 0. Clusters that tell
// about both are rather those that are meant than clusters that tell much about one.
func combined(features, edges float64) float64 {
	sum := math.Sqrt(max(0, features)) + math.Sqrt(max(0, edges))
	return sum * sum / 2
}

// judge sets the measures by the first folds, or all of them if there are fewer.
func (t *Trial) judge(folds int) {
	first := t.told[:min(folds, len(t.told))]
	t.Folds, t.Features, t.Edges, t.Stability = len(t.told), -t.cloud, 0, 0
	one := 0.
	for i, a := range agreement(first) {
		f, m := first[i], float64(len(first))
		t.Features += f.features / m
		t.Edges += f.edges / m
		t.Stability += a / m
		if f.clusters != nil {
			one = 1 / float64(len(f.clusters)) // nat, in nats per node
		}
	}
	// One nat for the whole graph keeps the stability of clusters that tell nothing from
	// deciding against what others tell.
	t.Score = (t.combined() + one) * math.Exp(t.Stability-1)
}

// agreement returns how much the clusters of each fold agree with those of the others: the
// mean adjusted Rand index, in which folds without clusters count as 0.
func agreement(folds []told) []float64 {
	mean := make([]float64, len(folds))
	for i, f := range folds {
		for j, h := range folds[:i] {
			if f.clusters != nil && h.clusters != nil {
				a := metric.ARI(f.clusters, h.clusters) / float64(len(folds)-1)
				mean[i] += a
				mean[j] += a
			}
		}
	}
	return mean
}

// combined is what the clusters told, without their stability.
func (t *Trial) combined() float64 { return combined(t.Features, t.Edges) }
