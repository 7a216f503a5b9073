package run

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/views"
)

// Change says what has changed since the run that a run started from.
type Change struct {
	// New is the number of nodes that the earlier run does not have, and Gone of those that
	// this one no longer has.
	New  int `json:"new"`
	Gone int `json:"gone"`
	// Kept is the number of nodes in both, and Moved of those among them that are in
	// another cluster now.
	Kept  int `json:"kept"`
	Moved int `json:"moved"`
}

// String says what changed in a sentence.
func (c *Change) String() string {
	return fmt.Sprintf("since the earlier run: %s new, %d gone; %d of the other %d moved to another cluster", counted(c.New, "node"), c.Gone, c.Moved, c.Kept)
}

// epochsFrom is how many times fewer epochs a training has that begins with the weights of
// an earlier one.
const epochsFrom = 4

// from sets what comes from the run to start from.
func (o *Options) from(p *plan, g *graph.Graph) error {
	m := o.From.Model
	if m == nil {
		return errors.New("the run to start from has no model: want one of AGE")
	}
	if err := m.Encoder.Check(g); err != nil {
		return fmt.Errorf("the run to start from had other features: %w", err)
	}
	p.clusters, p.view = views.Exactly(m.Centers.Rows), cmp.Or(o.From.View, views.AGE)
	if m.About.Settings.Epochs == 0 { // it was not trained
		return nil
	}
	p.training.Filter, p.training.Config, p.training.Initial = m.Encoder.Filter, m.About.Settings, m.Encoder
	if p.training.Epochs = max(p.training.UpdateEvery, p.training.Epochs/epochsFrom); o.Epochs > 0 {
		p.training.Epochs = o.Epochs
	}
	return nil
}

// renumber gives the clusters of the nodes the numbers that they have in an earlier run:
// clusters are matched one to one so that the most nodes overlap. It also returns the
// earlier cluster of each node, NaN for new ones, and says what changed.
func renumber(g *graph.Graph, clusters []int, earlier *Model) (renumbered []int, before []float64, c *Change) {
	was := make(map[string]int, earlier.Graph.N())
	for i, k := range earlier.Clusters {
		was[earlier.Graph.NodeName(i)] = k
	}
	var old, now []int // of the nodes in both
	for i, k := range clusters {
		before = append(before, math.NaN())
		if k0, ok := was[g.NodeName(i)]; ok {
			before[i] = float64(k0)
			old, now = append(old, k0), append(now, k)
		}
	}
	number := numbersLike(old, now, slices.Max(clusters)+1)
	c = &Change{New: len(clusters) - len(old), Gone: len(was) - len(old), Kept: len(old)}
	for i, k := range now {
		if number[k] != old[i] {
			c.Moved++
		}
	}
	for _, k := range clusters {
		renumbered = append(renumbered, number[k])
	}
	return renumbered, before, c
}

// numbersLike returns the numbers of k clusters: those of other clusters of the same nodes, matched one
// to one so that the most nodes overlap, and the lowest that are free for the rest.
func numbersLike(others, clusters []int, k int) []int {
	const none = -1
	number, taken := slices.Repeat([]int{none}, k), map[int]bool{}
	if len(others) > 0 {
		overlaps := metric.NewConfusion(others, clusters)
		for i, cluster := range overlaps.Assigned {
			if cluster >= 0 {
				number[overlaps.Clusters[cluster]] = overlaps.Classes[i]
				taken[overlaps.Classes[i]] = true
			}
		}
	}
	next := 0 // number that may be free
	for c := range number {
		if number[c] != none {
			continue
		}
		for taken[next] {
			next++
		}
		number[c], taken[next] = next, true
	}
	return number
}
