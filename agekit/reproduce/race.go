package reproduce

import (
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/method"
)

// The kinds of methods in the figure.
const (
	featuresOnly = iota
	graphOnly
	withoutNetwork
	withNetwork
	ours
)

var racerKinds = []string{"features only", "graph only", "both, no network", "both, a network", "AGE"}

// racerKind returns a method's kind, an index of racerKinds, from what it sees and whether it is
// trained.
func racerKind(name string) int {
	m, _ := method.Find(name)
	switch {
	case m.AGE:
		return ours
	case !m.Edges:
		return featuresOnly
	case !m.Features:
		return graphOnly
	case m.Trained:
		return withNetwork
	}
	return withoutNetwork
}

// addRace adds to out a figure of a score over the time that a run takes, for the item's methods on a data
// set. A note names the methods that never ran one at a time, and have no time to compare. If these are
// more than a third, there is a note in place of the figure.
func (i Item) addRace(out *Output, s source, dataset, score string) {
	var racers []figure.Racer
	var untimed []string
	for _, kind := range i.kinds(s.Selection, dataset) {
		records := s.find(kind)
		took, _ := records.timedAlone()
		reached := records.score(score)
		if reached.count == 0 {
			continue
		}
		if took.count == 0 {
			untimed = append(untimed, racerName(kind)+" ("+kind.modeName()+")")
			continue
		}
		racers = append(racers, figure.Racer{
			Name: racerName(kind), Seconds: took.mean, Score: reached.mean, Deviation: reached.deviation,
			Kind: racerKind(kind.Method), Open: kind.Mode == Published,
		})
	}
	if untimed != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: no time for %s, whose runs shared the machine.", DatasetTitle(dataset), strings.Join(untimed, ", ")))
	}
	switch {
	case racers == nil:
	case 2*len(untimed) > len(racers):
		out.Notes = append(out.Notes, DatasetTitle(dataset)+": no figure of "+score+" over seconds, since those that were timed alone would look like the winners.")
	default:
		out.draw(i.Name+"-"+fileName(dataset), score+" over seconds on "+DatasetTitle(dataset),
			figure.Race(DatasetTitle(dataset)+": "+score+" over time", score, racerKinds, "as published", racers...))
	}
}

// racerName returns the method's name, and the mode if it is best or code mode.
func racerName(r Run) string {
	if r.Mode == Best || r.Mode == Code {
		return r.Method + ", " + string(r.Mode) + " mode"
	}
	return r.Method
}
