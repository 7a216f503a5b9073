package exercise

import (
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
)

// sharesByClass returns the share of the nodes in each class.
func sharesByClass(g *graph.Graph) []float64 {
	s := make([]float64, g.Classes)
	for _, l := range g.Labels {
		s[l] += 1 / float64(g.N())
	}
	return s
}

// shuffledScores returns a right answer to exercise 5.2, with a shuffle of its own.
func shuffledScores(g *graph.Graph) []float64 {
	clusters := slices.Clone(agekit.Must(lab.Smoothed(g)).Clusters)
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
	return scoresOf(g, clusters)
}

// bestOf returns the right answer to exercise 5.3: the mean of the best score over all choices
// of m of the scores.
func bestOf(scores []float64, m int) float64 {
	var bests []float64
	for _, choice := range combin.Combinations(len(scores), m) {
		best := scores[choice[0]]
		for _, i := range choice {
			best = max(best, scores[i])
		}
		bests = append(bests, best)
	}
	return stat.Mean(bests, nil)
}

// best returns an answer to exercise 5.3 that is the function f.
func best(f func(scores []float64, m int) float64) func(*graph.Graph) any { return constant(f) }

var clusteringAnswers = []answers{
	{
		id: "5.1", right: func(g *graph.Graph) any { return slices.Max(sharesByClass(g)) },
		wrong: []mistake{
			{func(g *graph.Graph) any { return 1 / float64(g.Classes) }, "divided by the number of classes"},
			{func(g *graph.Graph) any { return floats.Dot(sharesByClass(g), sharesByClass(g)) }, "two nodes drawn at random"},
			{func(g *graph.Graph) any { return 1 - slices.Max(sharesByClass(g)) }, "nodes that are wrong"},
			{constant(1.0), "single class only"},
			{constant(30.2), "from 0 to 1"},
			{constant(0.01), "more than that"},
			{constant(0.9), "less than that"},
			{constant(0.31), "Close, but"},
		},
	},
	{
		id: "5.2", right: func(g *graph.Graph) any { return shuffledScores(g) },
		wrong: []mistake{
			{func(g *graph.Graph) any { return scoresOf(g, agekit.Must(lab.Smoothed(g)).Clusters) }, "as they were"},
			{func(g *graph.Graph) any { return []float64{slices.Max(sharesByClass(g)), 0, 0} }, "one cluster for all nodes"},
			{func(g *graph.Graph) any { s := shuffledScores(g); return []float64{s[1], s[2], s[0]} }, "in another order"},
			{func(g *graph.Graph) any { return shuffledScores(g)[:1] }, "want three"},
			{constant([]float64{1, 1, 1}), "the labels themselves"},
			{constant([]float64{0.5, 0.5, 0.5}), "do not score 0.500"},
		},
	},
	{
		id: "5.3", right: best(bestOf),
		wrong: []mistake{
			{best(func([]float64, int) float64 { return 0 }), "There is no answer yet"},
			{best(func(scores []float64, _ int) float64 { return slices.Max(scores) }), "the best of all scores"},
			{best(func(scores []float64, _ int) float64 { return stat.Mean(scores, nil) }), "the mean of the scores"},
			{best(func(scores []float64, m int) float64 { // with each run put back
				rnd, sum := rand.New(rand.NewPCG(1, 0)), 0.0
				for range 100000 {
					b := scores[rnd.IntN(len(scores))]
					for range m - 1 {
						b = max(b, scores[rnd.IntN(len(scores))])
					}
					sum += b / 100000
				}
				return sum
			}), "the same run twice"},
			{best(func(scores []float64, m int) float64 {
				return -bestOf(floats.ScaleTo(make([]float64, len(scores)), -1, scores), m)
			}), "expected worst"},
			{best(func(scores []float64, m int) float64 { return float64(m / len(scores) * 5) }), "In Go, 1/3 is 0"},
			{best(func(scores []float64, m int) float64 { slices.Sort(scores); return bestOf(scores, m) }), "the caller's slice"},
			{best(func(scores []float64, m int) float64 { // needs sorted scores
				sum := 0.0
				for i, s := range scores {
					if i >= m-1 {
						sum += s * float64(combin.Binomial(i, m-1))
					}
				}
				return sum / float64(combin.Binomial(len(scores), m))
			}), "5, 1 and 2 it is not"},
			{best(func(scores []float64, m int) float64 {
				sorted := slices.Sorted(slices.Values(scores))
				return bestOf(slices.Compact(sorted), min(m, 7))
			}), "Are equal scores"},
			{best(func(scores []float64, m int) float64 { return scores[m] }), "panics"},
		},
	},
}
