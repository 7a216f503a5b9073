package exercise

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rng"
)

// large are the exercises of notebook 10.
var large = []exercise{
	{"10.1", answering("a number of megabytes", checkSquare),
		"It grows with the square of the nodes: ten times the nodes take a hundred times the memory. For the 63,436 packages of Debian it would be 16 GB, for a million nodes 4 TB."},
	{"10.2", answering("a number of anchors", checkAnchors),
		"An error falls as 1/√(number of anchors), so a quarter of it costs sixteen times as many, and sixteen times the time. As the anchors become a large part of all nodes it falls faster, to 0 with all of them: then nothing is left to chance."},
	{"10.3", answering("a function that returns the threshold and the error", checkEstimate),
		"Ten thousand similarities of ten anchors tell you far less than ten thousand independent ones would, since a node in the middle of a large group is similar to many others at once. An error that is computed as if all pairs were independent is too small."},
}

// checkSquare checks the megabytes of the similarities of all pairs of g's nodes, as float32.
func checkSquare(g *graph.Graph, answer float64) string {
	n := float64(g.N())
	truth := 4 * n * n / 1e6 // a float32 has four bytes
	is := func(v float64) bool { return math.Abs(answer-v) <= 0.01*v }
	return firstOf([]finding{
		{is(truth), ""},
		{is(n * n), "That is the number of pairs. How many bytes has each, and how many megabytes is that?"},
		{is(4 * n * n / (1 << 20)), "That is in MiB, of 2²⁰ bytes. A megabyte has 10⁶."},
		{is(truth / 4), "That is one byte for each pair. A float32 has four."},
		{is(2 * truth), "That is eight bytes for each pair, as a float64 has. A float32 has four."},
		{is(truth/2) || is(2*n*(n-1)/1e6) || is(2*n*(n+1)/1e6), "That is half of them. The similarity of i and j is that of j and i, so half would indeed do. The question is about the whole n×n matrix, as most programs store it."},
		{is(4 * n / 1e6), "That is one number for each node. There is one for each pair of nodes."},
		{is(truth*1e6) || is(truth*1e3) || is(truth/1e3), "The digits are right, the unit is not: a megabyte has 10⁶ bytes."},
		{true, fmt.Sprintf("%.4g MB is not it. How many pairs are there, if each of the %d nodes is paired with each, itself included? And how many bytes has a float32?", answer, g.N())},
	})
}

// fewAnchors is the number of anchors in the cell of exercise 10.2 as it stands.
const fewAnchors = 20

// checkAnchors checks a number of anchors with which the positive threshold has a quarter of the
// standard error that it has with fewAnchors, to 20 %.
func checkAnchors(g *graph.Graph, answer float64) string {
	c, n := agekit.Settings(g), float64(g.N())
	if answer != math.Trunc(answer) || answer < 2 || answer > n {
		return fmt.Sprintf("%v is not a number of anchors: want a whole number from 2 to %v.", answer, n)
	}
	x := must(agekit.Smooth(g, c.K, c.Layers))
	standardError := func(anchors int) float64 {
		return float64(must(agekit.SelectSampled(x, c.Thresholds.PosStart, c.Thresholds.NegStart, anchors)).PosThresholdError)
	}
	few, got := standardError(fewAnchors), standardError(int(answer))
	explanation := fmt.Sprintf(" (With %d anchors the error is %.2g, with %v it is %.2g: want %.2g.)", fewAnchors, few, answer, got, few/4)
	return firstOf([]finding{
		{math.Abs(got-few/4) <= 0.2*few/4, ""},
		{answer == n, "With all nodes as anchors, nothing is left to chance, so the error is 0. A quarter needs fewer." + explanation},
		{answer == fewAnchors, "That is the cell as it stood. Change the number of anchors until the error is a quarter of that."},
		{answer == 2*fewAnchors || answer == 4*fewAnchors, "Too few. The error does not fall as 1/(number of anchors), but as one over its root." + explanation},
		{answer < fewAnchors, "Fewer anchors make the error larger." + explanation},
		{got > few/4, "Too few." + explanation},
		{true, "More than it takes." + explanation},
	})
}

// estimator is the function of exercise 10.3: it returns the threshold of the given share of the
// most similar pairs, and the standard error of this share, from the similarities of some
// anchors with all nodes, a row for each anchor.
type estimator = func(rows [][]float64, share float64) (threshold, standardError float64)

// checkEstimate tries a student's estimator on random rows, in which some anchors are similar to
// many nodes and others to few.
func checkEstimate(_ *graph.Graph, answer estimator) string {
	if threshold, wrong := answer([][]float64{{4, 3}, {2, 1}}, 0.5); threshold == 0 && wrong == 0 {
		return "There is no answer yet: the function returns 0 and 0."
	}
	rnd := rng.New(1, rng.Only)
	for _, share := range []float64{0.1, 0.25} {
		rows := make([][]float64, 8)
		for i := range rows {
			middle := rnd.NormFloat64() // of the row: high if the anchor is similar to many nodes
			rows[i] = make([]float64, 50)
			for j := range rows[i] {
				rows[i][j] = middle + rnd.NormFloat64()
			}
		}
		if wrong := tryEstimate(answer, rows, share); wrong != "" {
			return wrong
		}
	}
	return ""
}

// tryEstimate compares the threshold and the error that a student's estimator returns with those
// of the definition and of typical mistakes. It returns what is wrong, or "".
func tryEstimate(answer estimator, rows [][]float64, share float64) string {
	copied := make([][]float64, len(rows))
	for i, row := range rows {
		copied[i] = slices.Clone(row)
	}
	threshold, got := answer(copied, share)
	if !slices.EqualFunc(rows, copied, slices.Equal) {
		return "The function changes its argument. Sort a copy: slices.Concat(rows...) makes one of all rows."
	}
	all := slices.Sorted(slices.Values(slices.Concat(rows...)))
	count := int(math.Round(share * float64(len(all))))
	if want := all[len(all)-count]; threshold != want {
		return firstOf([]finding{
			{threshold == all[count] || threshold == all[count-1], "The threshold is at the wrong end: the positive pairs are the most similar ones."},
			{threshold == all[len(all)-count-1], "The threshold is the most similar pair that is not positive anymore. It should be the least similar one that still is."},
			{true, fmt.Sprintf("With %d similarities, the share %.2g is %d of them. The threshold is the %dth largest, %.4g, and not %.4g.", len(all), share, count, count, want, threshold)},
		})
	}
	shares := make([]float64, len(rows))
	for i, row := range rows {
		above := floats.Count(func(s float64) bool { return s >= threshold }, row)
		shares[i] = float64(above) / float64(len(row))
	}
	m := float64(len(rows))
	deviation := stat.StdDev(shares, nil)
	is := func(v float64) bool { return math.Abs(got-v) <= 1e-9 }
	return firstOf([]finding{
		{is(deviation / math.Sqrt(m)), ""},
		{is(deviation), "That is the standard deviation of the rows' shares. The standard error of their mean is smaller by √(number of rows)."},
		{is(deviation*deviation/m) || is(deviation*deviation), "That is a variance. Take its square root."},
		{is(stat.PopStdDev(shares, nil) / math.Sqrt(m)), "The variance divides by the number of rows. One of them is used up by the mean: divide by one less."},
		{is(math.Sqrt(share * (1 - share) / float64(len(all)))), "That would be the error if all similarities were independent. Those of one anchor are not: compare the rows' own shares with each other."},
		{true, fmt.Sprintf("The threshold is right; the error is not %.4g. Count in each row which share is at or above the threshold. The error is that of the mean of these shares.", got)},
	})
}
