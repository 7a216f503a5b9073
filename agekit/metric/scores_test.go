package metric_test

import (
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestScoreWithAndWithoutLabels checks [metric.Score] on Cora with its labels as clusters: the four
// scores against the labels are 1. Of the graph without labels these are nil, and modularity and
// conductance are the same.
func TestScoreWithAndWithoutLabels(t *testing.T) {
	g := *testutil.LoadGraph(t, "cora")
	s := metric.Score(&g, g.Labels)
	for name, v := range map[string]*float64{"ACC": s.ACC, "NMI": s.NMI, "ARI": s.ARI, "F1": s.F1} {
		if v == nil || *v < 1-1e-12 {
			t.Errorf("%s of the labels themselves: %v, want 1", name, v)
		}
	}
	clusters := g.Labels
	g.Labels = nil
	unlabeled := metric.Score(&g, clusters)
	if unlabeled.ACC != nil || unlabeled.NMI != nil || unlabeled.ARI != nil || unlabeled.F1 != nil {
		t.Error("scores without labels to compare with")
	}
	if unlabeled.Modularity != s.Modularity || unlabeled.Conductance != s.Conductance {
		t.Errorf("structure %v, %v without labels; %v, %v with", unlabeled.Modularity, unlabeled.Conductance, s.Modularity, s.Conductance)
	}
}
