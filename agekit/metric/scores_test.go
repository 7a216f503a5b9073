package metric_test

import (
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestScoreWithAndWithoutLabels checks that the labels themselves as clusters
// score 1, and that without labels only the structure is scored, with the same
// values.
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
	bare := metric.Score(&g, clusters)
	if bare.ACC != nil || bare.NMI != nil || bare.ARI != nil || bare.F1 != nil {
		t.Error("scores without labels to compare with")
	}
	if bare.Modularity != s.Modularity || bare.Conductance != s.Conductance {
		t.Errorf("structure %v, %v without labels; %v, %v with", bare.Modularity, bare.Conductance, s.Modularity, s.Conductance)
	}
}
