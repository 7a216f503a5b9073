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
	// were held out, in nats per node of the whole graph.
	Features float64 `json:"features"`
	Edges    float64 `json:"edges"`
	// Stability is how much the clusters without one part and without another agree: the
	// mean adjusted Rand index.
	Stability float64 `json:"stability"`
	// Score is (2M + 0.05)·e^((Stability − 1)/2), for the power mean M with exponent 0.7 of
	// Features and Edges, which count as 0 below 0: 2M is their sum if they are equal, and
	// less otherwise. Higher is better, for one graph and one number of clusters.
	Score float64 `json:"score"`
	// Folds is the number of times that a part was held out: few for ways that fell behind.
	Folds int `json:"folds"`
	// Seconds is the time that it took.
	Seconds float64 `json:"seconds"`

	told []told // by fold
}

// told is what clusters told in one fold.
type told struct {
	clusters        []int // nil if there were none
	features, edges float64
}

const (
	// softScore keeps the stability of clusters that tell nothing from deciding.
	softScore = 0.05
	// stabilityPower weighs the stability; on the graphs of docs/choosing-settings.md, 0.3
	// to 1.5 choose about as well.
	stabilityPower = 0.5
	// evidencePower is the exponent of the power mean: clusters that tell about both edges
	// and features are rather those that are meant than clusters that tell much about one.
	// 0.5 to 0.8 choose about as well, the sum (1) and the product (0) worse
	// (docs/choosing-settings.md).
	evidencePower = 0.7
)

// combined returns twice the power mean of what clusters tell about features and edges.
func combined(features, edges float64) float64 {
	mean := (math.Pow(max(0, features), evidencePower) + math.Pow(max(0, edges), evidencePower)) / 2
	return 2 * math.Pow(mean, 1/evidencePower)
}

// judge sets the measures by the first folds, or all of them if there are fewer.
func (t *Trial) judge(folds int) {
	first := t.told[:min(folds, len(t.told))]
	t.Folds, t.Features, t.Edges, t.Stability = len(t.told), 0, 0, 0
	for _, f := range first {
		t.Features += f.features / float64(len(first))
		t.Edges += f.edges / float64(len(first))
	}
	pairs := 0.
	for i, f := range first {
		for _, h := range first[:i] {
			if pairs++; f.clusters != nil && h.clusters != nil {
				t.Stability += metric.ARI(f.clusters, h.clusters)
			}
		}
	}
	t.Stability /= max(1, pairs)
	t.Score = (t.combined() + softScore) * math.Exp(stabilityPower*(t.Stability-1))
}

// combined is what the clusters told, without their stability.
func (t *Trial) combined() float64 { return combined(t.Features, t.Edges) }
