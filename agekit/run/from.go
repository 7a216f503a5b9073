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
	// New is the number of nodes that only this run has, and Gone the number of nodes that only the
	// earlier run has.
	New  int `json:"new"`
	Gone int `json:"gone"`
	// Kept is the number of nodes that both runs have, and Moved the number of these that are in
	// another cluster now.
	Kept  int `json:"kept"`
	Moved int `json:"moved"`
}

// String returns a sentence that says what changed.
func (c *Change) String() string {
	return fmt.Sprintf("since the earlier run: %s new, %d gone; %d of the other %d moved to another cluster", counted(c.New, "node"), c.Gone, c.Moved, c.Kept)
}

// epochsFrom divides the number of epochs of an earlier training for one that begins with its weights.
const epochsFrom = 4

// from sets in p what comes from the run o.From: the number of clusters, the view and, if that run was
// trained, the settings and the first weights of the training. It returns an error if that run has no
// model, or one of other features than g has.
func (o *Options) from(p *plan, g *graph.Graph) error {
	m := o.From.Model
	if m == nil {
		return errors.New("the run to start from has no model: want one of AGE")
	}
	if err := m.Encoder.Check(g); err != nil {
		return fmt.Errorf("the run to start from had other features: %w", err)
	}
	p.clusters, p.view = views.Exactly(m.Centers.Rows), cmp.Or(o.From.View, views.AGE)
	if m.About.Settings.Epochs == 0 { // the run was not trained
		return nil
	}
	p.training.Filter, p.training.Config, p.training.Initial = m.Encoder.Filter, m.About.Settings, m.Encoder
	p.training.Epochs = max(p.training.UpdateEvery, p.training.Epochs/epochsFrom)
	if o.Epochs > 0 {
		p.training.Epochs = o.Epochs
	}
	return nil
}

// renumber gives the clusters of the nodes of g the numbers that they have in an earlier run: the
// clusters of both runs are matched one to one so that the most nodes overlap. Nodes are the same if
// their names are. renumber returns the clusters with these numbers, the earlier cluster of each node
// (NaN for a new node), and what changed.
func renumber(g *graph.Graph, clusters []int, earlier *Model) (renumbered []int, before []float64, change *Change) {
	earlierCluster := make(map[string]int, earlier.Graph.N()) // by the node's name
	for i, c := range earlier.Clusters {
		earlierCluster[earlier.Graph.NodeName(i)] = c
	}
	var old, now []int // the earlier and present clusters of the nodes in both runs
	for i, c := range clusters {
		before = append(before, math.NaN())
		if was, ok := earlierCluster[g.NodeName(i)]; ok {
			before[i] = float64(was)
			old, now = append(old, was), append(now, c)
		}
	}
	number := numbersLike(old, now, slices.Max(clusters)+1)
	change = &Change{New: len(clusters) - len(old), Gone: len(earlierCluster) - len(old), Kept: len(old)}
	for i, c := range now {
		if number[c] != old[i] {
			change.Moved++
		}
	}
	for _, c := range clusters {
		renumbered = append(renumbered, number[c])
	}
	return renumbered, before, change
}

// numbersLike returns a new number for each of k clusters. clusters and others have two clusterings of
// the same nodes, which are matched one to one so that the most nodes overlap. A matched cluster gets
// the number of its match in others, and each other cluster the lowest number that is free.
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
	next := 0 // all lower numbers are taken
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
