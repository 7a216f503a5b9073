package auto

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
)

// TestFullTrainingScoresLower: where the full training scores lower than the short one
// before it, by more than chance, the short one is the result, with its own encoder.
func TestFullTrainingScoresLower(t *testing.T) {
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 200, Classes: 3, MeanDegree: 5, Features: 600, Words: 10, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for lead, short := range map[float64]bool{negligible / 2: false, 2 * negligible: true} {
		var lines []string
		s := &search{g: g, k: 3, r: &Result{Trained: -1, Untrained: -1}, o: Options{
			Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{Config: encoder.Config{Dims: 16, Epochs: 20}, Progress: func(e encoder.Event) { lines = append(lines, e.Message) }},
		}}
		if err := s.probes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.final(t.Context()); err != nil {
			t.Fatal(err)
		}
		full := s.r.Trials[len(s.r.Trials)-1]
		s.r.Trials = s.r.Trials[:len(s.r.Trials)-1]
		s.r.Trials[s.r.Trained].Score = full.Score + lead // as if it had been so much better
		if err := s.final(t.Context()); err != nil {
			t.Fatal(err)
		}
		best := s.r.Trials[s.r.Trained]
		if got := s.r.Chosen == s.r.Trained; got != short {
			t.Errorf("%v above the full training: the short one is the result: %v, want %v", lead, got, short)
		}
		if !short {
			continue
		}
		if !slices.Equal(s.r.Labels, best.clusters) || len(s.r.Members) != 1 || s.r.Config.Epochs != probeEpochs || s.r.Embedding.Cols != 16 || s.r.DaviesBouldin <= 0 {
			t.Errorf("the result has %d members, %d epochs, %d dimensions: want the short training", len(s.r.Members), s.r.Config.Epochs, s.r.Embedding.Cols)
		}
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, "which is the result") }) {
			t.Errorf("no line says so: %q", lines)
		}
	}
}
