package run

import (
	"testing"

	"github.com/agekit/age/agekit/auto"
)

// TestNumberText: how sure the number of clusters is, where it comes from, and other levels.
func TestNumberText(t *testing.T) {
	number := func(clusters int, share, highest float64) auto.Number {
		return auto.Number{Clusters: clusters, EdgeShare: share, Highest: highest}
	}
	level := number(9, 0.4, 0.2)
	level.Level = true
	communities := number(3, 0.5, 1)
	communities.Communities = true
	for name, test := range map[string]struct {
		numbers []auto.Number
		want    string
	}{
		"given":       {nil, ""},
		"sure":        {[]auto.Number{number(2, 0.1, 0.02), number(3, 0.5, 0.98)}, "3 clusters tell most about the edges, of 2 to 3."},
		"open":        {[]auto.Number{number(3, 0.5, 0.8), level}, "3 clusters tell most about the edges, of 3 to 9. In 95 % of the resamples of the edges, 3 to 9 do. Coarser or finer: 9."},
		"chance":      {[]auto.Number{number(3, -0.2, 0.5), number(4, -0.1, 0.5)}, "The edges do not tell how many clusters there are: no number from 3 to 4 tells more about them than clusters do by chance. 4 comes nearest; better give the number yourself."},
		"communities": {[]auto.Number{communities}, "3 clusters tell most about the edges, of 3 to 3. The clusters that are counted are communities of the edges: they tell more about edges that were held out than clusters of the features."},
	} {
		if got := NumberText(&auto.SearchReport{Numbers: test.numbers}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestCertaintyText: how likely the result is right, and where another one is if the evidence
// does not decide.
func TestCertaintyText(t *testing.T) {
	trials := []auto.Trial{{Features: 3, Edges: 2}, {Candidate: auto.Candidate{Data: "edges alone", Clustering: "spectral"}}, {}}
	for want, s := range map[string]auto.SearchReport{
		"": {Trials: trials},
		"Candidates that score nearly as much find similar clusters (ARI 0.97): judging by graphs with known classes, the chance that no candidate with as many clusters is better by more than .03 ACC is 96 %.": {
			Trials: trials, Agreement: 0.97, Probability: 0.961},
		`Candidates that score nearly as much find other clusters (ARI 0.25): judging by graphs with known classes, the chance that no candidate with as many clusters is better by more than .03 ACC is 20 %. The column "other cluster" has those of edges alone (spectral).`: {
			Trials: trials, Agreement: 0.25, Probability: 0.2, Rival: &auto.Rival{Trial: 1}},
	} {
		if got := certaintyText(&s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := certaintyText(&auto.SearchReport{Trials: trials, Chosen: 2, Agreement: 1, Probability: 0.97}); got != "" {
		t.Errorf("of clusters of which little was found: %q", got)
	}
}
