package figure

import (
	"errors"
	"fmt"
	"math"
)

// Pairs is what a [PairsExplorer] shows: the pairs of a drawing's nodes at several stages of
// a training.
type Pairs struct {
	Drawing Drawing
	// Others are the names of further nodes of the graph, which are not drawn, but whose
	// pairs with drawn nodes are shown.
	Others []string
	// Nodes is the n of the n² pairs that are ranked.
	Nodes int
	// PosShares and NegShares are the values that the reader can choose for the thresholds
	// r_pos and r_neg, as shares of the n² pairs, in increasing order.
	PosShares, NegShares []float64
	Stages               []PairStage
}

// PairStage holds the similarities at one stage of a training. With m drawn nodes, entry
// [i][j] is that of drawn node i with drawn node j, or, for j ≥ m, with Others[j−m].
type PairStage struct {
	Name       string
	Similarity [][]float64
	// Rank is the pair's place among all n² pairs: 1 for the most similar one.
	Rank [][]float64
	// PosThresholds[s] is the similarity of the pair at the share PosShares[s], and
	// NegThresholds[s] that at NegShares[s].
	PosThresholds, NegThresholds []float64
	// SameClass is the share of the positive pairs of two different nodes that
	// have the same class, for each of PosShares; NaN if there is no such pair.
	// It is nil for a graph without classes.
	SameClass []float64
	// Pos and Neg are the thresholds of the training's schedule at this stage, as indices of
	// PosShares and NegShares.
	Pos, Neg int
}

// PairsExplorer draws a small graph in which the reader chooses a node. Every other node has
// the color of its pair with the chosen node: blue if the pair is positive, orange if it is
// negative, gray if it is unused. Beside the graph the same pairs stand in the order of
// their similarity. Sliders move the stage of the training and both thresholds (paper,
// §3.4.1). The first node chosen is the one with the most positive pairs.
func PairsExplorer(title string, p Pairs) Fragment {
	if err := p.check(); err != nil {
		return refused("pairs: %w", err)
	}
	n := len(p.Drawing.X)
	type stage struct {
		Name                         string
		S, R                         []int // similarity, and log₁₀ of the rank, both in thousandths
		PosThresholds, NegThresholds []float64
		Same                         []*float64 // SameClass, with nil instead of NaN, which JSON does not have
		Pos, Neg                     int
	}
	var stages []stage
	for _, from := range p.Stages {
		drawn := stage{Name: from.Name, Pos: from.Pos, Neg: from.Neg, PosThresholds: rounded(from.PosThresholds, 5), NegThresholds: rounded(from.NegThresholds, 5)}
		for i := range n {
			for j, s := range from.Similarity[i] {
				drawn.S = append(drawn.S, int(math.Round(1000*s)))
				drawn.R = append(drawn.R, int(math.Round(1000*math.Log10(from.Rank[i][j]))))
			}
		}
		for _, share := range from.SameClass {
			known := &share
			if math.IsNaN(share) {
				known = nil
			}
			drawn.Same = append(drawn.Same, known)
		}
		stages = append(stages, drawn)
	}
	chosen := p.busiest()
	const firstStage = 0
	first := p.Stages[firstStage]
	firstPairs := &nodesAndEdges{Drawing: p.Drawing, values: p.states(firstStage, chosen), pairs: true, chosen: chosen}
	return explorer{
		name: "pairs", title: title,
		data: map[string]any{
			"Title": title, "Graph": p.Drawing.rounded(), "Others": p.Others, "N": p.Nodes, "Start": chosen,
			"PosShares": p.PosShares, "NegShares": p.NegShares, "Stages": stages,
		},
		still: firstPairs.figure(title + " in black"), // such as "cora: the pairs of a node in black"
		text: fmt.Sprintf("%s: similarity %.4g and above is positive, %.4g and below negative (%s)\n", title,
			first.PosThresholds[first.Pos], first.NegThresholds[first.Neg], first.Name),
	}.fragment()
}

// check returns an error if there is nothing to draw or a number is out of range, and panics
// if the lengths of p's slices do not fit together.
func (p Pairs) check() error {
	n := len(p.Drawing.X)
	if n == 0 || len(p.Stages) == 0 || len(p.PosShares) == 0 || len(p.NegShares) == 0 {
		return errNoData
	}
	for _, s := range p.Stages {
		fits := len(s.Similarity) == n && len(s.Rank) == n &&
			len(s.PosThresholds) == len(p.PosShares) && len(s.NegThresholds) == len(p.NegShares) &&
			(s.SameClass == nil || len(s.SameClass) == len(p.PosShares))
		require(fits, "the lengths of stage %q do not fit", s.Name)
		pairs := n + len(p.Others) // of each drawn node
		for i := range n {
			fits := len(s.Similarity[i]) == pairs && len(s.Rank[i]) == pairs
			require(fits, "stage %q has %d pairs of node %d: want %d", s.Name, len(s.Rank[i]), i, pairs)
			for j, rank := range s.Rank[i] {
				if !finite(s.Similarity[i][j], rank) || rank < 1 {
					return errors.New("want finite similarities, and ranks from 1")
				}
			}
		}
		if !finite(s.PosThresholds...) || !finite(s.NegThresholds...) {
			return errors.New("want finite thresholds")
		}
	}
	return nil
}

// busiest returns the drawn node with the most positive pairs over all stages.
func (p Pairs) busiest() int {
	best, most := 0, -1
	for i := range p.Drawing.X {
		positive := 0
		for stage := range p.Stages {
			for _, state := range p.states(stage, i) {
				positive += max(0, int(state)) // 1 for a positive pair
			}
		}
		if positive > most {
			best, most = i, positive
		}
	}
	return best
}

// states returns the state of the pair of node i with each drawn node, at an index of Stages:
// 1 if the pair is positive by the stage's own thresholds, −1 if it is negative, and 0 if it
// is unused.
func (p Pairs) states(stage, i int) []float64 {
	s, all := p.Stages[stage], float64(p.Nodes)*float64(p.Nodes)
	states := make([]float64, len(p.Drawing.X))
	for j := range states {
		switch rank := s.Rank[i][j]; {
		case rank <= p.PosShares[s.Pos]*all:
			states[j] = 1
		case rank > p.NegShares[s.Neg]*all:
			states[j] = -1
		}
	}
	return states
}
