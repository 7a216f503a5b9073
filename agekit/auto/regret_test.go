package auto

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestRegret: on generated graphs of all families, the ACC of what is chosen is not far
// below the best of what was tried without training. It prints the table of
// docs/choosing-settings.md. The rule was developed on the first 33 graphs of each family,
// and number 39 of noise columns; on the last eight, only weakTraining and the odds were chosen.
func TestRegret(t *testing.T) {
	testutil.Long(t)
	by, results, highest := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	var all, certain []float64
	below := 0 // more than .03 below the best of four simple methods
	const seen, count = 41, 49
	for i, c := range familyGrid(count) {
		if i%count < seen {
			continue
		}
		g, err := generateFamily(c)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Clusters: Exactly(g.Classes), Seed: 1, Encoder: encoder.Options{}.WithDefaults()}
		r, err := Fit(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		s := &search{g: g, o: o, r: &Result{}, k: g.Classes}
		best, simple := 0., 0.
		for _, trial := range r.Trials {
			if trial.trained() {
				continue
			}
			found, err := s.finder(g).find(t.Context(), []Candidate{trial.Candidate})
			if err != nil {
				t.Fatal(err)
			}
			if _, k := numbered(found[trial.Candidate]); k == g.Classes {
				acc := metric.Accuracy(g.Labels, found[trial.Candidate])
				best = max(best, acc)
				if trial.Data == edgesAlone || trial.Data == smoothedFeatures && trial.Clustering == kMeans && (trial.Layers == 0 || trial.Layers == 4) {
					simple = max(simple, acc)
				}
			}
		}
		acc := metric.Accuracy(g.Labels, r.Labels)
		regret := max(0, best-acc)
		by[c.Family], all = append(by[c.Family], regret), append(all, regret)
		t.Logf("%s %s: ACC %.3f, best %.3f, agreement %.3f, little found %t", c.Family, g.Name, acc, best, r.Agreement, r.WeakEvidence())
		results[c.Family], highest[c.Family] = append(results[c.Family], acc), append(highest[c.Family], best)
		if simple-acc > 0.03 {
			below++
			t.Logf("the best simple method has %.3f", simple)
		}
		if !r.WeakEvidence() {
			certain = append(certain, regret)
		}
	}
	for _, name := range familyNames() {
		t.Logf("%-14s ACC %.3f, best %.3f; regret %.3f in the mean, largest %.3f", name, stat.Mean(results[name], nil), stat.Mean(highest[name], nil), stat.Mean(by[name], nil), slices.Max(by[name]))
	}
	slices.Sort(all)
	slices.Sort(certain)
	high := func(regrets []float64) float64 { return stat.Quantile(0.95, stat.Empirical, regrets, nil) }
	t.Logf("all %d: mean %.4f, 95 %% %.3f", len(all), stat.Mean(all, nil), high(all))
	t.Logf("%d are more than .03 below the best simple method", below)
	t.Logf("%d of which something was found: mean %.4f, 95 %% %.3f", len(certain), stat.Mean(certain, nil), high(certain))
	// The limits are a little above what was measured. Wanted are 0.01 and 0.05
	// (docs/choosing-settings.md says what is missing).
	if mean := stat.Mean(all, nil); !(mean <= 0.02) || !(high(all) <= 0.12) {
		t.Errorf("regret %.4f in the mean, %.3f for 95 %%", mean, high(all))
	}
	if mean := stat.Mean(certain, nil); !(mean <= 0.012) || !(high(certain) <= 0.06) {
		t.Errorf("regret where something was found: %.4f in the mean, %.3f for 95 %%", mean, high(certain))
	}
}
