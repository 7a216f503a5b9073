package exercise

import (
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// share returns an answer to exercise 6.1: a share of the pairs without an edge.
func share(factor float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any { return factor * float64(g.N()*(g.N()-1)/2-g.Edges()) }
}

// auc returns an answer to exercise 6.3: a function that returns the share of comparisons in which
// the edge scores higher, where a tie counts as tie of a comparison. The right tie is 0.5.
func auc(tie float64) func(edges, nonEdges []float64) float64 {
	return func(edges, nonEdges []float64) float64 {
		sum := 0.0
		for _, e := range edges {
			for _, o := range nonEdges {
				if e > o {
					sum++
				} else if e == o {
					sum += tie
				}
			}
		}
		return sum / float64(len(edges)*len(nonEdges))
	}
}

// leak returns an answer to exercise 6.2: what combine makes of the scores on the test pairs with
// the leak and without it.
func leak(combine func(leaked, honest metric.LinkScores) float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		split, err := agekit.LinkSplit(g, 1)
		if err != nil {
			panic(err)
		}
		scores := func(g *graph.Graph) metric.LinkScores {
			x, err := agekit.Smooth(g, 2.0/3, 2)
			if err != nil {
				panic(err)
			}
			s, err := agekit.LinkScores(x, split.Test)
			if err != nil {
				panic(err)
			}
			return s
		}
		return combine(scores(g), scores(split.Train))
	}
}

var linksAnswers = []answers{
	{"6.1", share(0.05), []mistake{
		{share(0.95), "how many score lower"},
		{share(0.1), "twice"},
		{share(1), "Only a share of them"},
		{func(g *graph.Graph) any { return 0.05 * float64(g.Edges()) }, "as the test does"},
		{constant(-3.0), "negative"},
		{constant(1e12), "Too many"},
		{constant(1.5), "Too few"},
		{constant("a lot"), "of type string"},
	}},
	{"6.2", leak(func(l, h metric.LinkScores) float64 { return l.AUC - h.AUC }), []mistake{
		{leak(func(l, h metric.LinkScores) float64 { return h.AUC - l.AUC }), "The sign"},
		{leak(func(l, h metric.LinkScores) float64 { return l.AUC }), "the AUC with the leak itself"},
		{leak(func(l, h metric.LinkScores) float64 { return h.AUC }), "without the leak"},
		{leak(func(l, h metric.LinkScores) float64 { return l.AP - h.AP }), "in AP"},
		{leak(func(l, h metric.LinkScores) float64 { return 100 * (l.AUC - h.AUC) }), "percent"},
		{leak(func(l, h metric.LinkScores) float64 { return l.AUC/h.AUC - 1 }), "as a share"},
		{constant(0.3), "the same split"},
	}},
	{"6.3", constant(auc(0.5)), []mistake{
		{constant(func(edges, nonEdges []float64) float64 { return 0 }), "no answer yet"},
		{constant(auc(0)), "a tie as wrong"},
		{constant(auc(1)), "a tie as right"},
		{constant(func(edges, nonEdges []float64) float64 { return auc(0.5)(nonEdges, edges) }), "the wrong way round"},
		{constant(func(edges, nonEdges []float64) float64 {
			return float64(int(auc(0.5)(edges, nonEdges)))
		}), "integer"},
		{constant(func(edges, nonEdges []float64) float64 {
			return auc(0.5)(edges, nonEdges) * float64(len(edges)*len(nonEdges))
		}), "divide it"},
		{constant(func(edges, nonEdges []float64) float64 {
			right := 0.0
			for i := range edges {
				if edges[i] > nonEdges[i] {
					right++
				}
			}
			return right / float64(len(edges))
		}), "four comparisons"},
		{constant(func(edges, nonEdges []float64) float64 {
			return auc(0.5)(edges, nonEdges) * float64(len(edges)*len(nonEdges)) / float64(len(edges)+len(nonEdges))
		}), "not 2 + 3"},
		{constant(func(edges, nonEdges []float64) float64 {
			positive := make([]bool, len(edges)+len(nonEdges))
			for i := range edges {
				positive[i] = true
			}
			return metric.AveragePrecision(positive, slices.Concat(edges, nonEdges))
		}), "That is AP"},
		{constant(func(edges, nonEdges []float64) float64 { return edges[7] }), "panics"},
		{constant(func(edges, nonEdges []float64) float64 { // accuracy at a threshold
			right := 0.0
			for _, s := range edges {
				if s > 0.5 {
					right++
				}
			}
			for _, s := range nonEdges {
				if s <= 0.5 {
					right++
				}
			}
			return right / float64(len(edges)+len(nonEdges))
		}), "not with a threshold"},
		{constant(func(edges, nonEdges []float64) float64 {
			return auc(0.5)(edges[:min(len(edges), 9)], slices.Clone(nonEdges))
		}), "how many scores"},
	}},
}
