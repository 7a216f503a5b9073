package lab

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/floats"
)

// TestWrongByConfidence compares with shares by hand: of the two least confident nodes one is
// wrong, of the next two also one, and of the others none.
func TestWrongByConfidence(t *testing.T) {
	g := fromEdges(t, 8, []int{0, 0, 0, 0, 1, 1, 1, 1})
	clusters := []int{3, 3, 3, 6, 6, 6, 6, 3} // nodes 3 and 7 are wrong
	confidence := []float64{0.9, 0.8, 0.2, 0.1, 0.7, 0.6, 0.3, 0.4}
	if got := WrongByConfidence(g, clusters, confidence, 4); !floats.Equal(got, []float64{0.5, 0.5, 0, 0}) {
		t.Errorf("%v", got)
	}
}

// TestWrongOfKnown: nodes of unknown class count as neither right nor wrong.
func TestWrongOfKnown(t *testing.T) {
	g := fromEdges(t, 7, []int{0, 0, 1, 1, 2, 2, 2})
	for _, i := range []int{4, 5, 6} {
		g.Labels[i] = graph.Unknown
	}
	clusters := []int{5, 5, 3, 3, 9, 9, 9}
	if got := WrongByConfidence(g, clusters, make([]float64, g.N()), 1); got[0] != 0 {
		t.Errorf("%v of the known ones are wrong", got)
	}
}

// TestStages: the raw and the smoothed stage have different rows and clusters, a second call
// returns the same clusters, and a graph without classes is an error.
func TestStages(t *testing.T) {
	g := must(agekit.Load(small))
	raw, smoothed := must(Raw(g)), must(Smoothed(g))
	if slices.Equal(raw.Rows.Data, smoothed.Rows.Data) || slices.Equal(raw.Clusters, smoothed.Clusters) {
		t.Error("smoothing changes nothing")
	}
	if again := must(Smoothed(g)); !slices.Equal(again.Clusters, smoothed.Clusters) {
		t.Error("the stored clusters are others")
	}
	unlabeled := *g
	unlabeled.Labels, unlabeled.Classes = nil, 0
	if _, err := Raw(&unlabeled); err == nil {
		t.Error("no error for an unknown number of clusters")
	}
}
