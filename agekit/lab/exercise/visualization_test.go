package exercise

import (
	"cmp"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/mat"
)

// accuracyOfPart returns an answer to exercise 4.2: the ACC of a part of the nodes. begin and end
// are shares of the nodes, which are sorted from the lowest confidence to the highest.
func accuracyOfPart(begin, end float64) func(g *graph.Graph) any {
	return func(g *graph.Graph) any {
		s := agekit.Must(lab.Smoothed(g))
		confidence := agekit.Must(agekit.Confidence(s))
		order := make([]int, g.N())
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(confidence[i], confidence[j]) })
		var classes, clusters []int
		for _, i := range order[int(begin*float64(g.N())):int(end*float64(g.N()))] {
			classes, clusters = append(classes, g.Labels[i]), append(clusters, s.Clusters[i])
		}
		return metric.Accuracy(classes, clusters)
	}
}

// keptBy returns an answer to exercise 4.3 that is the function f.
func keptBy(f func(rows, points *mat.Dense, k int) float64) func(*graph.Graph) any {
	return constant(f)
}

var visualizationAnswers = []answers{
	{
		id: "4.1", right: constant(1.0),
		wrong: []mistake{
			{constant(10.0), "the ratio in the data"},
			{constant(3.16), "keeps less of the ratio"},
			{constant(0.1), "shrink a sparse group"},
			{constant(100.0), "more than in the data"},
			{constant(-1.0), "is positive"},
			{constant("equal"), "type string"},
		},
	},
	{
		id: "4.2", right: accuracyOfPart(0.2, 1),
		wrong: []mistake{
			{accuracyOfPart(0, 1), "of all nodes"},
			{accuracyOfPart(0, 0.8), "the wrong way around"},
			{accuracyOfPart(0.8, 1), "most confident 20 %"},
			{accuracyOfPart(0, 0.2), "to be left out"},
			{func(g *graph.Graph) any { return 0.8 * accuracyOfPart(0.2, 1)(g).(float64) }, "by the number of all nodes"},
			{func(g *graph.Graph) any { return 100 * accuracyOfPart(0.2, 1)(g).(float64) }, "not a percentage"},
			{constant(1.0), "needs no labels"},
			{constant(0.123), "is not 0.123"},
		},
	},
	{
		id: "4.3", right: keptBy(func(rows, points *mat.Dense, k int) float64 { return neighborCount{}.kept(rows, points, k) }),
		wrong: []mistake{
			{keptBy(func(_, _ *mat.Dense, _ int) float64 { return 0 }), "There is no answer yet"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 { return neighborCount{itself: true}.kept(rows, points, k) }), "The node itself"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 {
				return neighborCount{inOrder: true}.kept(rows, points, k)
			}), "the same place in both orders"},
			{keptBy(func(rows, _ *mat.Dense, k int) float64 { return neighborCount{}.kept(rows, rows, k) }), "the same matrix"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 {
				return float64(k) * neighborCount{}.kept(rows, points, k)
			}), "not a share"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 {
				return float64(int(neighborCount{}.kept(rows, points, k)))
			}), "In Go, 1/2 is 0"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 {
				return 0.9 * neighborCount{}.kept(rows, points, k)
			}), "Work an example out"},
			{keptBy(func(rows, points *mat.Dense, _ int) float64 { return neighborCount{}.kept(rows, points, 3) }), "is k written into it"},
			{keptBy(func(rows, points *mat.Dense, k int) float64 {
				n, _ := rows.Dims()
				return neighborCount{}.kept(rows, points, k) * float64(n) / 12
			}), "Is a size written into it"},
			{keptBy(func(rows, _ *mat.Dense, _ int) float64 { return rows.At(12, 0) }), "panics"},
		},
	},
}
