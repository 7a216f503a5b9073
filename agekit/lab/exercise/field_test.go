package exercise

import (
	"testing"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/mat"
)

// count returns an answer that is one of the graph's statistics.
func count(statistic func(graph.Statistics) int) func(*graph.Graph) any {
	return func(g *graph.Graph) any { return statistic(g.Stats()) }
}

// worded returns an answer to exercise 9.2: the ACCs of K-means with the first and with the
// second change of the words, times a factor.
func worded(first, second wordChange, factor float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		return []float64{factor * wordsACC(g, first), factor * wordsACC(g, second)}
	}
}

// depths returns an answer to exercise 9.3: a function that computes the powers SᵗX, t = 0 to K,
// and returns what combine makes of the powers and α.
func depths(combine func(powers []*mat.Dense, alpha float64) *mat.Dense) func(*graph.Graph) any {
	return constant(func(s, x *mat.Dense, depth int, alpha float64) *mat.Dense {
		powers := []*mat.Dense{mat.DenseCopyOf(x)}
		for range depth {
			powers = append(powers, times(s, powers[len(powers)-1]))
		}
		return combine(powers, alpha)
	})
}

// ssgc returns SSGC's embedding, made from the powers.
func ssgc(powers []*mat.Dense, alpha float64) *mat.Dense {
	return meanOfDepths(powers[1:], powers[0], alpha)
}

// TestMeanOfDepths compares meanOfDepths, on which the check of exercise 9.3 relies, with a mean
// by hand: for one node with S = 2, X = 1, α = 1/4 and K = 2, the mean of ¾·2 + ¼ and ¾·4 + ¼
// is 2.5.
func TestMeanOfDepths(t *testing.T) {
	scalar := func(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }
	if got := ssgc([]*mat.Dense{scalar(1), scalar(2), scalar(4)}, 0.25).At(0, 0); got != 2.5 {
		t.Errorf("the mean is %v, want 2.5", got)
	}
}

var fieldAnswers = []answers{
	{"9.1", count(func(s graph.Statistics) int { return s.Components }), []mistake{
		{count(func(s graph.Statistics) int { return s.Classes }), "number of classes"},
		{count(func(s graph.Statistics) int { return s.Nodes }), "begins with"},
		{constant(1), "modularity 0"},
		{constant(20), "never find that few"},
		{constant(500), "does not guarantee"},
	}},
	{"9.2", worded(weightsAlone, lengthsAlone, 1), []mistake{
		{constant([]float64{0.5, 0.5, 0.5}), "There are 3 numbers"},
		{worded(lengthsAlone, weightsAlone, 1), "wrong order"},
		{worded(weightsAlone, lengthsAlone, 100), "percentages"},
		{worded(weightsAlone, wordChange{weights: true, lengths: true}, 1), "with both"},
		{worded(wordChange{}, lengthsAlone, 1), "with neither"},
		{func(g *graph.Graph) any { return []float64{wordsACC(g, weightsAlone), 0.9} }, "first is right"},
		{func(g *graph.Graph) any { return []float64{0.9, wordsACC(g, lengthsAlone)} }, "second is right"},
		{constant([]float64{0.99, 0.98}), "leave the rest"},
	}},
	{"9.3", depths(ssgc), []mistake{
		{depths(func([]*mat.Dense, float64) *mat.Dense { return nil }), "no answer yet"},
		{depths(func(p []*mat.Dense, _ float64) *mat.Dense { return ssgc(p, 0) }), "raw features are missing"},
		{depths(func(p []*mat.Dense, a float64) *mat.Dense { return ssgc(p, 1-a) }), "exchanged"},
		{depths(func(p []*mat.Dense, a float64) *mat.Dense { return meanOfDepths(p, p[0], a) }), "includes t = 0"},
		{depths(func(p []*mat.Dense, a float64) *mat.Dense { return meanOfDepths(p[len(p)-1:], p[0], a) }), "deepest term"},
		{depths(func(p []*mat.Dense, a float64) *mat.Dense { return scaled(float64(len(p)-1), ssgc(p, a)) }), "That is the sum"},
		{constant(func(s, x *mat.Dense, depth int, alpha float64) *mat.Dense {
			y := mat.DenseCopyOf(x)
			for range depth {
				y = meanOfDepths([]*mat.Dense{times(s, y)}, x, alpha)
			}
			return y
		}), "smoothed again"},
		{constant(func(s, x *mat.Dense, depth int, alpha float64) *mat.Dense {
			first := mat.DenseCopyOf(x)
			for range depth {
				x.Copy(times(s, x))
			}
			return first
		}), "changes X"},
		{constant(func(s, x *mat.Dense, depth int, _ float64) *mat.Dense {
			s.Pow(s, depth+1)
			return times(s, x)
		}), "changes S"},
		{depths(func(p []*mat.Dense, a float64) *mat.Dense { return scaled(7, ssgc(p, a)) }), "Compute SᵗX in a loop"},
		{depths(func(p []*mat.Dense, _ float64) *mat.Dense { return p[99] }), "panics"},
	}},
}
