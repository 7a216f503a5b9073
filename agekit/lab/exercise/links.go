package exercise

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
)

// links are the exercises of notebook 6.
var links = []exercise{
	{"6.1", answering("a number of pairs", checkPairsAbove),
		"A high AUC does not mean that a list of the best pairs holds many edges: there are so many more pairs without an edge that a small share of them is a large number. The number is a mean: a few edges that are hard to guess can make up most of it. The test hides this, since it draws only one of them for each edge."},
	{"6.2", answering("how much the AUC rises, such as 0.02", checkLeak),
		"The filter pulls the two ends of a test edge toward each other, and so the score already knows the answer. Nothing fails and the number looks excellent: that is what makes leakage hard to see."},
	{"6.3", answering("a function of the scores of edges and of pairs without an edge", checkAUC),
		"AUC is a count: the share of pairs (edge, pair without an edge) that the scores put in the right order. It agrees with metric.AUC, which sorts the scores instead and so takes n log n steps."},
}

// closeTo reports whether got differs from want by at most a share of want.
func closeTo(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// checkPairsAbove checks how many pairs without an edge score higher than an edge, on average,
// where the AUC is 0.95.
func checkPairsAbove(g *graph.Graph, answer float64) string {
	n, m := float64(g.N()), float64(g.Edges())
	others := n*(n-1)/2 - m
	want := 0.05 * others
	return firstOf([]finding{
		{closeTo(answer, want, 0.02), ""},
		{answer < 0, "A number of pairs cannot be negative."},
		{closeTo(answer, 0.95*others, 0.02), "That is how many score lower. An AUC of 0.95 means that 95 % of the pairs without an edge are below an edge, on average, so the rest are above it."},
		{closeTo(answer, 2*want, 0.02), "That counts each pair twice, as (i, j) and as (j, i). A graph without directions has n(n − 1)/2 pairs."},
		{closeTo(answer, others, 0.02), "That is how many pairs without an edge there are. Only a share of them is above an edge: which share does the AUC give?"},
		{closeTo(answer, 0.05*math.Floor(0.1*m), 0.05) || closeTo(answer, 0.05*m, 0.02), "That counts as many pairs without an edge as there are edges, as the test does. The question is about all pairs of nodes without an edge, which are many more."},
		{answer > want, "Too many. Count the pairs of nodes first (each once), take away the edges, and then take the share that scores higher than an edge."},
		{true, "Too few. The graph has many more pairs without an edge than edges: how many pairs do n nodes form?"},
	})
}

// checkLeak checks how much higher the AUC on the test pairs is if the filter sees the test edges.
func checkLeak(g *graph.Graph, answer float64) string {
	split := must(agekit.LinkSplit(g, 1))
	// scores returns the scores of pairs by the features that the filter of a graph has smoothed.
	scores := func(filtered *graph.Graph, p graph.Pairs) metric.LinkScores {
		return must(agekit.LinkScores(must(agekit.Smooth(filtered, 2.0/3, 2)), p))
	}
	honest, leaked := scores(split.Train, split.Test), scores(g, split.Test)
	validation := scores(g, split.Validation).AUC - scores(split.Train, split.Validation).AUC
	near := func(value float64) bool { return math.Abs(answer-value) <= 0.001 }
	want := leaked.AUC - honest.AUC
	return firstOf([]finding{
		{near(want), ""},
		{near(-want), "The sign is wrong: the answer is the AUC with the leak minus the AUC without. A leak makes the score look better, not worse."},
		{near(leaked.AUC), "That is the AUC with the leak itself. How much higher is it than the AUC of the filter that sees the training edges alone?"},
		{near(honest.AUC), "That is the AUC without the leak. The filter must once see the graph with the test edges, too."},
		{near(leaked.AP - honest.AP), "That is the difference in AP. The question is about AUC."},
		{closeTo(answer, 100*want, 0.05) || closeTo(answer, 100*want/honest.AUC, 0.05), "That is in percent. AUC goes from 0 to 1, so give the difference on that scale."},
		{closeTo(answer, want/honest.AUC, 0.02), "That is the rise as a share of the AUC without the leak. The question is about the difference of the two."},
		{near(validation), "That is the difference on the validation pairs. The question is about split.Test."},
		{true, fmt.Sprintf("The difference is not %.4g. Use the same split (seed 1), two layers and split.Test for both; the only change is the graph that Smooth gets.", answer)},
	})
}

// checkAUC tries a student's function on small lists, for which the AUC and the results of typical
// mistakes are known by hand, and then on the test pairs of g, where it compares the result
// with that of package metric.
func checkAUC(g *graph.Graph, answer func(edges, nonEdges []float64) float64) string {
	perfect := answer([]float64{3, 2}, []float64{1, 0})
	reversed := answer([]float64{1, 0}, []float64{3, 2})
	mixed := answer([]float64{3, 1}, []float64{2, 0})
	tied := answer([]float64{1}, []float64{1})
	unequal := answer([]float64{5, 1}, []float64{4, 3, 0})
	perfectScaled := answer([]float64{0.3, 0.2}, []float64{0.1, 0})
	mixedScaled := answer([]float64{0.3, 0.1}, []float64{0.2, 0})
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if wrong := firstOf([]finding{
		{perfect == 0 && mixed == 0 && reversed == 0 && tied == 0, "There is no answer yet: the function returns 0 whatever it gets."},
		{near(perfect, 0) && near(reversed, 1), "It gives 0 where every edge scores higher than every other pair, and 1 where none does: the comparison is the wrong way round."},
		{near(perfect, 1) && mixed == 0, "It gives 1 for a perfect ranking and 0 for one with three of four pairs in order: in Go, the quotient of two integers is an integer. Convert the counts to float64 before you divide."},
		{perfect > 1, fmt.Sprintf("It gives %.4g where every edge scores higher than every other pair. That is a count: divide it by the number of pairs that were compared.", perfect)},
		{math.IsNaN(perfect) || math.IsNaN(tied), "It gives NaN, which is what 0/0 is. Divide by the number of pairs compared, not by the number of those in a certain order."},
		{!near(perfect, perfectScaled) || !near(mixed, mixedScaled), "The result changes when all scores are divided by ten. AUC compares scores with each other, not with a threshold: only their order counts."},
		{!near(perfect, 1), fmt.Sprintf("It gives %.4g where every edge scores higher than every other pair. The share of pairs in the right order is 1 there.", perfect)},
		{near(mixed, 5.0/6) && near(reversed, 5.0/12), "That is AP, the mean of the precisions. AUC is the share of comparisons in the right order."},
		{!near(mixed, 0.75), fmt.Sprintf("Edges with the scores 3 and 1 against other pairs with 2 and 0: it gives %.4g. Compare every edge with every other pair, four comparisons in all, not only those at the same place of the lists.", mixed)},
		{near(tied, 0.25) && near(unequal, 4.0/5), "The count is right, the number that divides it is not: two edges and three other pairs make 2·3 comparisons, not 2 + 3."},
		{near(tied, 0), "It counts a tie as wrong. Then a score that is the same for all pairs would get 0, although it is as good as tossing a coin."},
		{near(tied, 1), "It counts a tie as right. Then a score that is the same for all pairs would be perfect, although it tells nothing."},
		{!near(tied, 0.5), fmt.Sprintf("A tie counts %.4g. It must count as much for as against.", tied)},
		{!near(unequal, 4.0/6), fmt.Sprintf("Two edges against three other pairs give %.4g. There are 2·3 comparisons, and the lists need not have the same length.", unequal)},
	}); wrong != "" {
		return wrong
	}
	split := must(agekit.LinkSplit(g, 1))
	z := linalg.Normalize(must(agekit.Smooth(split.Train, 2.0/3, 2)))
	var lists [2][]float64 // the scores of edges, and of pairs without an edge
	var positive []bool    // of the scores of both lists, whether they are of edges
	for k, list := range [2][]graph.Pair{split.Test.Edges, split.Test.NonEdges} {
		for _, p := range list {
			lists[k] = append(lists[k], metric.InnerProduct(z, p.I, p.J))
			positive = append(positive, k == 0)
		}
	}
	want := metric.AUC(positive, slices.Concat(lists[0], lists[1]))
	got := answer(lists[0], lists[1])
	if math.Abs(got-want) > 1e-9 {
		return fmt.Sprintf("Small lists come out right, but the test pairs of %s give %.6f and metric.AUC gives %.6f. Does the function depend on how many scores there are?", g.Name, got, want)
	}
	return ""
}
