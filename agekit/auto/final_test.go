package auto

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/metric"
)

// TestFullTrainingScoresLower: where a full training tells less than the clusters that
// were found without training, as one of nothing but noise does, these are the result.
func TestFullTrainingScoresLower(t *testing.T) {
	g := planted(t, 3, 6)
	g.Features = normals(rand.New(rand.NewPCG(1, 0)), g.N(), 6, func(int, int) float64 { return 0 })
	var lines []string
	s := &search{g: g, k: 3, r: &Result{}, o: Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{
		Config: encoder.Config{Dims: 16, Epochs: 20}, Progress: func(e encoder.Event) { lines = append(lines, e.Message) },
	}}}
	edges := Candidate{Data: edgesAlone, Clustering: leiden}
	c := choice{Voters: []Candidate{edges}, SearchReport: SearchReport{FeatureShare: 1, EdgeShare: 1, Chosen: 1, Trained: 1, Trials: []Trial{
		{Candidate: edges}, {Candidate: Candidate{Data: trainedEmbedding, Pairs: wide, Clustering: spectral}},
	}}}
	if err := s.finish(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	if acc := metric.Accuracy(g.Labels, s.r.Labels); s.r.Chosen != 0 || len(s.r.Members) != 0 || acc < 0.6 {
		t.Errorf("trial %d is the result, with %d members and ACC %.3f", s.r.Chosen, len(s.r.Members), acc)
	}
	if f := s.r.Full; f == nil || f.Score >= 0.95*f.Untrained || f.Agreement > 0.5 {
		t.Errorf("the comparison is %+v", f)
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "which is the result") {
		t.Errorf("no line says so: %q", lines)
	}
}
