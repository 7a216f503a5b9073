package exercise

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// clustering are the exercises of notebook 5.
var clustering = []exercise{
	{"5.1", answering("a share from 0 to 1", checkOneCluster),
		"Without having learned anything, one cluster for all gets the share of the largest class. So an ACC means something only above that share. NMI and ARI give such a clustering 0."},
	{"5.2", answering("ACC, NMI and ARI, in this order", checkShuffled),
		"ARI is 0 on average for clusters that know nothing, whatever their sizes: it is adjusted for chance. ACC is not, and NMI is only close to 0 because the clusters are large."},
	{"5.3", answering("a function of scores and m", checkBestOf),
		"The expected best grows with the number of tries even if the method stays the same. A mean does not. So only means can be compared between papers that made different numbers of runs."},
}

// largestClass returns the share of the nodes that are in the largest class, and the sum of the
// squared shares of all classes.
func largestClass(g *graph.Graph) (largest, squares float64) {
	shares := make([]float64, g.Classes)
	for _, l := range g.Labels {
		shares[l] += 1 / float64(g.N())
	}
	return slices.Max(shares), floats.Dot(shares, shares)
}

// checkOneCluster checks the ACC of a single cluster of all nodes, which is the share of the
// largest class.
func checkOneCluster(g *graph.Graph, answer float64) string {
	largest, squares := largestClass(g)
	is := func(value float64) bool { return math.Abs(answer-value) <= 0.005 } // two digits
	return firstOf([]finding{
		{is(largest), ""},
		{answer < 0 || answer > 1, "ACC is a share of nodes, from 0 to 1."},
		{is(1), "A single cluster can be assigned to a single class only. The nodes of all other classes count as wrong."},
		{is(1 / float64(g.Classes)), fmt.Sprintf("That is 1 divided by the number of classes. It would be right if all %d classes were equally large. Are they?", g.Classes)},
		{is(squares), "That is how often two nodes drawn at random have the same class. Here nothing is drawn: all nodes get the same class. Which one agrees with the most labels?"},
		{is(1 - largest), "That is the share of nodes that are wrong."},
		{math.Abs(answer-largest) <= 0.02, "Close, but this is no estimate: count the nodes of one class, and divide by all of them. Give two digits."},
		{answer < largest, "It is more than that. ACC assigns clusters to classes in the best way: which class should the one cluster get?"},
		{true, "It is less than that. How many nodes can agree with one class at most?"},
	})
}

// scoresOf returns ACC, NMI and ARI of the clusters of g's nodes.
func scoresOf(g *graph.Graph, clusters []int) []float64 {
	return []float64{metric.Accuracy(g.Labels, clusters), metric.NMI(g.Labels, clusters), metric.ARI(g.Labels, clusters)}
}

// checkShuffled checks the ACC, NMI and ARI of the clusters of the smoothed features after they
// were shuffled among the nodes. Each score must lie within five deviations of the mean of
// twenty shuffles.
func checkShuffled(g *graph.Graph, answer []float64) string {
	s := must(lab.Smoothed(g))
	if len(answer) != 3 {
		return fmt.Sprintf("%d scores: want three, ACC, NMI and ARI.", len(answer))
	}
	const shuffles = 20
	rnd := rng.New(1, rng.Only)
	var shuffled [3][]float64
	for range shuffles {
		clusters := slices.Clone(s.Clusters)
		rnd.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
		for k, v := range scoresOf(g, clusters) {
			shuffled[k] = append(shuffled[k], v)
		}
	}
	// expected reports whether value is one that score k may have after a shuffle.
	expected := func(k int, value float64) bool {
		mean, deviation := stat.MeanStdDev(shuffled[k], nil)
		return math.Abs(value-mean) <= 5*deviation
	}
	same := func(want []float64) bool { return floats.EqualApprox(answer, want, 1e-3) }
	largest, _ := largestClass(g)
	return firstOf([]finding{
		{expected(0, answer[0]) && expected(1, answer[1]) && expected(2, answer[2]), ""},
		{same(scoresOf(g, s.Clusters)), "These are the scores of the clusters as they were. Renaming clusters changes no score, and neither does shuffling labels and clusters in the same way: each node must get the cluster of another."},
		{same([]float64{largest, 0, 0}), "These are the scores of one cluster for all nodes. Shuffling keeps the clusters and their sizes: only the nodes in them change."},
		{expected(0, answer[1]) || expected(0, answer[2]), "The scores are in another order: want ACC, NMI, ARI."},
		{same([]float64{1, 1, 1}), "These are the scores of the labels themselves. Shuffle the clusters, not the labels, and compare with the labels as they are."},
		{true, fmt.Sprintf("Shuffled clusters do not score %.3f / %.3f / %.3f. Shuffle a copy of the clusters of the smoothed features with rand.Shuffle and compare it with g.Labels.", answer[0], answer[1], answer[2])},
	})
}

// checkBestOf tries a student's function that returns the expected best of m scores chosen from
// all scores, on lists for which the result is known by hand.
func checkBestOf(_ *graph.Graph, answer func(scores []float64, m int) float64) string {
	// Of the three pairs of 1, 2 and 5, one has the best 2, and two have 5.
	bestOfTwo, bestOfAll := answer([]float64{1, 2, 5}, 2), answer([]float64{1, 2, 5}, 3)
	const tolerance = 0.03 // a simulation is welcome, too
	is := func(got, want float64) bool { return math.Abs(got-want) <= tolerance }
	if !is(bestOfTwo, 4) {
		return firstOf([]finding{
			{bestOfTwo == 0 && bestOfAll == 0, "There is no answer yet: the function returns 0."},
			{bestOfTwo == 0, "With m = 3 of three scores the function is not 0, with m = 2 it is. Does it divide two integers? In Go, 1/3 is 0."},
			{is(bestOfTwo, 5), "That is the best of all scores, whatever m is. Of 1, 2 and 5, one of the three pairs does not contain the 5."},
			{is(bestOfTwo, 8./3), "That is the mean of the scores, which is the expected best of one. The best of two is higher."},
			{is(bestOfTwo, 32./9), "That draws the same run twice in some cases (1 and 1, say). Choose m different runs."},
			{is(bestOfTwo, 4./3), "That is the expected worst. Is the order the wrong way around?"},
			{true, fmt.Sprintf("For the scores 1, 2 and 5 and m = 2 the function returns %.3f. Write the three pairs down: what is the best of each, and what is the mean of these?", bestOfTwo)},
		})
	}
	scores := []float64{5, 1, 2}
	switch got := answer(scores, 2); {
	case !slices.Equal(scores, []float64{5, 1, 2}):
		return "The function sorts the caller's slice: the seeds no longer belong to their scores. Sort a copy (slices.Sorted or slices.Clone)."
	case !is(got, 4):
		return "For 1, 2 and 5 the function is right, for 5, 1 and 2 it is not. Scores come in the order of the seeds: sort a copy."
	}
	ten := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}
	for m, want := range map[int]float64{1: 3.9, 10: 9} {
		if got := answer(ten, m); math.Abs(got-want) > 3*tolerance {
			return fmt.Sprintf("For ten scores (3, 1, 4, 1, 5, 9, 2, 6, 5, 3) and m = %d the function returns %.3f, want %.3f: the best of one is the mean, the best of all is the best. Are equal scores counted once only, or is a size written into the function?", m, got, want)
		}
	}
	return ""
}
