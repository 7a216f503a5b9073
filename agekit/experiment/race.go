package experiment

import (
	"slices"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/figure"
)

// racerKinds are the kinds of methods in the figure, in the order of racerKind.
var racerKinds = []string{"features only", "graph only", "both, closed form", "both, trained", "AGE"}

func racerKind(method string) int {
	m, err := baseline.New(method, baseline.Settings{})
	if err != nil { // only AGE is none of these
		return 4
	}
	switch sees := m.Sees(); {
	case sees&baseline.Edges == 0:
		return 0
	case sees&baseline.Features == 0:
		return 1
	case slices.Contains([]string{"TADW", "MGAE", "AGC", "LS", "SSGC", "MS2CAG"}, method):
		return 2
	}
	return 3
}

// addRace adds a figure of a score over the time that a run takes, for the item's
// methods on a data set. Methods whose runs have never had the machine for
// themselves have no time to compare, and are left out.
func (i Item) addRace(out *Output, s Scope, dataset, score string, from source) {
	one := s
	one.Datasets, one.Seeds = []string{dataset}, 1
	var racers []figure.Racer
	for _, kind := range i.runs(i, one) {
		runs := s.seeds(kind)
		took, _ := from.alone(runs)
		reached := from.summarize(runs, score)
		if took.count == 0 || reached.count == 0 {
			continue
		}
		racers = append(racers, figure.Racer{
			Name: racerName(kind), Seconds: took.mean, Score: reached.mean, Deviation: reached.deviation,
			Kind: racerKind(kind.Method), Open: kind.Mode == Published,
		})
	}
	if racers != nil {
		out.Figures = append(out.Figures, Drawing{
			i.Name + "-" + fileName(dataset), score + " over seconds on " + displayName(dataset),
			figure.Race(displayName(dataset)+": "+score+" over time", score, racerKinds, "as published", racers...),
		})
	}
}

// racerName is the method's name, with AGE's mode unless that is the paper's.
func racerName(r Run) string {
	if r.Mode == Best || r.Mode == Code {
		return r.Method + ", " + string(r.Mode) + " mode"
	}
	return r.Method
}
