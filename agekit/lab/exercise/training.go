package exercise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// training are the exercises of notebook 3.
var training = []exercise{
	{"3.1", answering("positive pairs per node, as a number", positivesPerNode),
		"One positive pair per node is the node with itself. It has similarity 1 from the start and teaches nothing. That costs little at first, but at the end of the schedule it is a large part of the few positive pairs."},
	{"3.2", answering("two shares, []float64{first, last}", worseStart),
		"Training raises or lowers the share, but it starts from what the similarities of the features say. The filter's work is to make that start good."},
	{"3.3", answering("a function that labels all pairs", pairLabels),
		"This is the whole of adaptive training's supervision: one ranking of all pairs, and two cuts."},
}

// positivesPerNode checks how many positive pairs with other nodes a node has, on average, in the
// first selection of the paper's settings.
func positivesPerNode(g *graph.Graph, answer float64) string {
	n, t := float64(g.N()), agekit.Settings(g).Thresholds
	near := func(value float64) bool { return math.Abs(answer-value) <= max(0.3, 0.01*math.Abs(value)) }
	count := t.PosStart * n * n // of all positive pairs
	return firstOf([]finding{
		{near(count/n-1) || answer == math.Floor(count/n-1), ""},
		{near(count / n), "This counts each node's pair with itself, which is among the n² pairs too: its similarity is 1, so it ranks before all others. How many pairs with other nodes remain?"},
		{near((count/n - 1) / 2), "This counts each pair of nodes once. The n² pairs contain both (i, j) and (j, i), and both count for their first node."},
		{near(count / n / 2), "This takes n²/2 pairs. All n² are ranked: (i, j), (j, i), and also (i, i), which is not a pair with another node."},
		{near(100*count/n-1) || near(100*count/n), "This is 100 times too many: r_pos is a share in percent, and 1 % is 0.01."},
		{near(count) || near(count-n) || near(count/2), "This is the number for the whole graph. The question is about one node, on average."},
		{near(t.PosEnd*n-1) || near(t.PosEnd*n), "This is for r_pos at the end of the training. The question is about the first selection, with c.Thresholds.PosStart."},
		{near((1-t.NegStart)*n) || near((1-t.NegStart)*n-1), "These are the negative pairs: those ranked after r_neg. The positive ones are ranked up to r_pos."},
		{near(t.NegStart*n) || near(t.NegStart*n-1), "This is the number of pairs up to r_neg. Positive are only those up to r_pos."},
		{true, "Begin with the number of all pairs, n², of which the share c.Thresholds.PosStart is positive. Then divide them among the nodes, and think about the pairs of nodes with themselves."},
	})
}

// worseStart checks the shares of positive pairs with the same class before and after the cell's
// short training, without smoothing ([shares]).
func worseStart(g *graph.Graph, answer []float64) string {
	if len(answer) != 2 {
		return fmt.Sprintf("There are %d numbers. Wanted are two: the share before training and the share after it.", len(answer))
	}
	if g.Labels == nil {
		return "This graph has no classes to compare with. Choose one that has, such as cora."
	}
	same := func(a, b [2]float64) bool { return math.Abs(a[0]-b[0]) <= 0.01 && math.Abs(a[1]-b[1]) <= 0.01 }
	got := [2]float64(answer)
	if got[0] > 1 || got[1] > 1 {
		return "A share is at most 1. Are these percentages?"
	}
	right := shares(g, 0)
	if same(got, right.others) {
		return ""
	}
	first := math.Abs(got[0]-right.others[0]) <= 0.01
	if wrong := firstOf([]finding{
		{same([2]float64{got[1], got[0]}, right.others), "The two shares are in the wrong order: first comes that of the features, before training."},
		{same(got, right.all), "The pairs of nodes with themselves are counted. They have the same class by definition, which makes both shares look better."},
		{first && math.Abs(got[1]-right.end) <= 0.01, "The first share is right. The last one is that of fewer pairs, those of r_pos at the end of the schedule. Compare equal numbers: use c.Thresholds.PosStart for both."},
		{first, "The first share is right. The last one should be that of the embedding after the training with the same settings, r.Embedding, and with c.Thresholds.PosStart."},
	}); wrong != "" {
		return wrong
	}
	usual := shares(g, agekit.Settings(g).Layers)
	return firstOf([]finding{
		{same(got, usual.others), fmt.Sprintf("These are the shares with the paper's %d layers: the cell still smooths. Change c.Layers before both the smoothing and the training.", agekit.Settings(g).Layers)},
		{math.Abs(got[0]-usual.others[0]) <= 0.01, "The first share is that of smoothed features, so the selection still uses another c.Layers than the training. Set c.Layers before both."},
		{true, "Count the pairs (s.I[k], s.J[k]) of two different nodes, and among them those with g.Labels[i] == g.Labels[j]. Divide the second number by the first, once for the features and once for r.Embedding."},
	})
}

// classShares are the shares of positive pairs that have the same class, before a training [0]
// and after it [1].
type classShares struct {
	others [2]float64 // among the pairs of two different nodes
	all    [2]float64 // among all pairs, with those of nodes with themselves
	end    float64    // as others[1], but selected with r_pos at the end of the schedule
}

// shares returns the shares by the features, smoothed with a number of layers, and by the
// embedding after the short training of exercise 3.2.
func shares(g *graph.Graph, layers int) classShares {
	c := agekit.Settings(g)
	c.Seed, c.Epochs, c.Dims, c.LearningRate, c.Layers = 1, 40, 64, 0.003, layers
	var out classShares
	z := must(agekit.Train(g, c)).Embedding
	for k, rows := range []blas32.General{must(agekit.Smooth(g, c.K, c.Layers)), z} {
		out.others[k], out.all[k] = sameClass(g, must(agekit.Select(rows, c.Thresholds.PosStart, c.Thresholds.NegStart)))
	}
	out.end, _ = sameClass(g, must(agekit.Select(z, c.Thresholds.PosEnd, c.Thresholds.NegEnd)))
	return out
}

// sameClass returns the share of a selection's positive pairs that have the same class: among the
// pairs of two different nodes, and among all.
func sameClass(g *graph.Graph, s *pairs.Selection) (others, all float64) {
	var different, same, self float64
	for k, i := range s.I {
		switch j := s.J[k]; {
		case i == j:
			self++
		case g.Labels[i] == g.Labels[j]:
			same++
		default:
			different++
		}
	}
	return same / (same + different), (same + self) / (same + different + self)
}

// pairLabels tries a student's function that labels all pairs by their ranks, on three nodes and
// on some nodes of g.
func pairLabels(g *graph.Graph, f func(s *mat.SymDense, rPos, rNeg int) [][]int) string {
	large := someSimilarities(g)
	rPos, rNeg := cuts(large)
	tests := []struct {
		what       string
		s          *mat.SymDense
		rPos, rNeg int
	}{
		{"three nodes with the similarities 0.9, 0.5 and 0.2", mat.NewSymDense(3, []float64{1, 0.9, 0.2, 0.9, 1, 0.5, 0.2, 0.5, 1}), 3, 7},
		{fmt.Sprintf("%d nodes of %s", large.SymmetricDim(), g.Name), large, rPos, rNeg},
	}
	for _, test := range tests {
		got := f(test.s, test.rPos, test.rNeg)
		n := test.s.SymmetricDim()
		switch {
		case got == nil:
			return "There is no answer yet. Wanted: a function that returns a label for each pair."
		case len(got) != n || slices.ContainsFunc(got, func(row []int) bool { return len(row) != n }):
			return fmt.Sprintf("For %s, the labels are not %d rows of %d numbers, one for each pair.", test.what, n, n)
		}
		if why := explain(got, test.s, test.rPos, test.rNeg); why != "" {
			return fmt.Sprintf("For %s with r_pos = %d and r_neg = %d: %s", test.what, test.rPos, test.rNeg, why)
		}
	}
	return ""
}

// explain returns "" if the labels got, [i][j] for the pair (i, j), are right, and otherwise the
// mistake that gives these labels. If no known mistake gives them, it names a wrong pair.
func explain(got [][]int, s *mat.SymDense, rPos, rNeg int) string {
	n := s.SymmetricDim()
	every := func(i, j int) bool { return true } // keeps every pair
	descending := func(a, b float64) int { return cmp.Compare(b, a) }
	is := func(want [][]int) bool { return slices.EqualFunc(got, want, slices.Equal[[]int]) }
	right, swapped := ranked(s, rPos, rNeg, every, descending), ranked(s, rPos, rNeg, every, descending)
	without := ranked(s, rPos, rNeg, func(i, j int) bool { return i != j }, descending)
	upper := ranked(s, rPos, rNeg, func(i, j int) bool { return i <= j }, descending)
	sameWhere := func(want [][]int, where func(i, j int) bool) bool {
		for i := range n {
			for j := range n {
				if where(i, j) && got[i][j] != want[i][j] {
					return false
				}
			}
		}
		return true
	}
	for _, row := range swapped { // 0 and −1
		for j, label := range row {
			if label < 1 {
				row[j] = -1 - label
			}
		}
	}
	// oneOff reports whether the labels are those with limits that are lower by pos and neg.
	oneOff := func(pos, neg int) bool { return is(ranked(s, rPos-pos, rNeg-neg, every, descending)) }
	// fromZero reports whether the labels are those of ranks from 0. A limit then reaches one pair
	// further, and further through all pairs that are as similar as that one.
	fromZero := func(pos, neg int) bool {
		values := descendingValues(s)
		return is(ranked(s, throughTies(values, rPos+pos), throughTies(values, rNeg+neg), every, descending))
	}
	eachRowAlone := true
	for i := range n {
		row := ranked(s, rPos/n, rNeg/n, func(a, b int) bool { return a == i }, descending)
		eachRowAlone = eachRowAlone && slices.Equal(got[i], row[i])
	}
	if wrong := firstOf([]finding{
		{is(right), ""},
		{fromZero(1, 1) || fromZero(1, 0), "ranks count from 0. The most similar pair has rank 1: a pair's rank is 1 + the number of pairs that are more similar."},
		{is(ranked(s, rPos, rNeg, every, cmp.Compare[float64])), "the least similar pairs are positive and the most similar negative. Rank 1 is the most similar pair."},
		{sameWhere(without, func(i, j int) bool { return i != j }), "the pairs of nodes with themselves are not ranked. They are among the n² pairs, and with similarity 1 they are the first."},
		{sameWhere(upper, func(i, j int) bool { return i <= j }), "each pair of nodes takes one rank. Both (i, j) and (j, i) are ranked, so two different nodes take two."},
		{is(swapped), "the labels 0 and −1 have changed places. Negative pairs, those ranked after r_neg, get 0, and unused pairs get −1."},
		{is(ranked(s, rPos, rPos, every, descending)), "all pairs that are not positive are negative. Those ranked after r_pos and up to r_neg are unused, −1: the encoder is not sure of them."},
		{oneOff(1, 1) || oneOff(1, 0) || oneOff(0, 1), "a limit is off by one. Ranks count from 1; the pair of rank r_pos is still positive, and the one of rank r_neg is not yet negative. An index in a sorted slice counts from 0."},
		{eachRowAlone, "each row is ranked by itself, which gives every node equally many positive pairs. The paper ranks all n² pairs together, so that a node without similar ones has none."},
	}); wrong != "" {
		return wrong
	}
	for i := range n {
		for j := range n {
			if got[i][j] != right[i][j] {
				return fmt.Sprintf("the pair (%d, %d), with similarity %.4g, has the label %d. Find its rank among all %d pairs by hand: how many pairs are more similar?", i, j, s.At(i, j), got[i][j], n*n)
			}
		}
	}
	return ""
}

// ranked returns labels of all pairs, [i][j] for the pair (i, j). It ranks the pairs that keep
// accepts by their similarities in the given order. Pairs up to rank rPos get 1, those after
// rank rNeg get 0, and all others, as well as the pairs that are not kept, get −1.
func ranked(s *mat.SymDense, rPos, rNeg int, keep func(i, j int) bool, order func(a, b float64) int) [][]int {
	n := s.SymmetricDim()
	type pair struct{ i, j int }
	var all []pair
	labels := make([][]int, n)
	for i := range n {
		labels[i] = slices.Repeat([]int{-1}, n)
		for j := range n {
			if keep(i, j) {
				all = append(all, pair{i, j})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return order(s.At(a.i, a.j), s.At(b.i, b.j)) })
	for k, p := range all {
		switch {
		case k < rPos:
			labels[p.i][p.j] = 1
		case k >= rNeg:
			labels[p.i][p.j] = 0
		}
	}
	return labels
}

// someSimilarities returns the cosines of the features of thirty random nodes, n×n.
func someSimilarities(g *graph.Graph) *mat.SymDense {
	nodes := rng.New(3, rng.Only).Perm(g.N())
	nodes = nodes[:min(30, len(nodes))]
	x := linalg.Normalize(g.Features.ToDense())
	s := mat.NewSymDense(len(nodes), nil)
	for a, i := range nodes {
		for b, j := range nodes[:a] {
			s.SetSym(a, b, metric.InnerProduct(x, int32(i), int32(j)))
		}
		s.SetSym(a, a, 1)
	}
	return s
}

// cuts returns ranks near a tenth and a half of all pairs that do not separate pairs of equal
// similarity, so that the labels do not depend on the order of equal pairs.
func cuts(s *mat.SymDense) (rPos, rNeg int) {
	values := descendingValues(s)
	rPos = throughTies(values, len(values)/10)
	return rPos, throughTies(values, max(rPos+1, len(values)/2))
}

// descendingValues returns the similarities of all pairs, the largest first.
func descendingValues(s *mat.SymDense) []float64 {
	values := mat.DenseCopyOf(s).RawMatrix().Data
	slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
	return values
}

// throughTies returns the last rank whose value is that of the given rank; values are sorted, and
// ranks count from 1.
func throughTies(values []float64, rank int) int {
	for rank < len(values) && values[rank-1] == values[rank] {
		rank++
	}
	return rank
}
