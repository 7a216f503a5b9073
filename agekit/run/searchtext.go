package run

import (
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/auto"
)

// NumberText says which number of clusters a search chose, how sure it is, and which other
// numbers stand out; "" if the number was given.
func NumberText(s *auto.SearchReport) string {
	if s.Numbers == nil {
		return ""
	}
	chosen := s.Numbers[s.ChosenNumber()]
	first, last := s.Numbers[0].Clusters, s.Numbers[len(s.Numbers)-1].Clusters
	text := fmt.Sprintf("%d clusters tell most about the edges, of %d to %d.", chosen.Clusters, first, last)
	if chosen.EdgeShare <= 0 {
		text = fmt.Sprintf("The edges do not tell how many clusters there are: no number from %d to %d tells more about them than clusters do by chance. %d comes nearest; better give the number yourself.", first, last, chosen.Clusters)
	} else if least, most := s.LikelyNumbers(); most > least {
		text += fmt.Sprintf(" In 95 %% of the resamples of the edges, %d to %d do.", least, most)
	}
	if chosen.Communities {
		text += " The clusters that are counted are communities of the edges: they tell more about edges that were held out than clusters of the features."
	}
	var others []string
	for _, k := range s.Levels() {
		if k != chosen.Clusters {
			others = append(others, fmt.Sprint(k))
		}
	}
	if others != nil {
		text += fmt.Sprintf(" Coarser or finer: %s.", strings.Join(others, " or "))
	}
	return text
}

// certaintyText says how likely it is that nothing that was tried finds much better clusters;
// "" where little was found, and for a report that does not say it.
func certaintyText(s *auto.SearchReport) string {
	if s.Probability == 0 || s.WeakEvidence() {
		return ""
	}
	found := "similar"
	if s.Rival != nil {
		found = "other"
	}
	text := fmt.Sprintf("Candidates that score nearly as much find %s clusters (ARI %.2f): judging by graphs with known classes, the chance that no candidate with as many clusters is better by more than .03 ACC is %.0f %%.", found, s.Agreement, 100*s.Probability)
	if s.Rival != nil {
		text += fmt.Sprintf(" The column %q has those of %s.", rivalColumn, s.Trials[s.Rival.Trial].Name())
	}
	return text
}

// evidenceText warns of chosen clusters that gain little in all, or little for the edges or
// for the features where others gain much; "" if there is nothing to warn of.
func evidenceText(s *auto.SearchReport) string {
	if s.WeakEvidence() {
		return fmt.Sprintf("Little was found: the clusters tell %.2f nats per node about edges and features that were held out, and may be no better than chance.", s.HeldOutGain())
	}
	what, most := s.OneSided()
	chosen := s.Trials[s.Chosen]
	gain, best := chosen.Edges, most.Edges
	switch what {
	case "":
		return ""
	case "features":
		gain, best = chosen.Features, most.Features
	}
	return fmt.Sprintf("The clusters tell little about the %s: %.2f nats per node; %s would tell %.2f.", what, max(0, gain), most.Name(), best)
}
