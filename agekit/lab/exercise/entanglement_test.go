package exercise

import (
	"math"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// percent returns an answer to exercise 8.1: the weights of a number of 64×64 matrices in percent
// of the weights of LS+RA.
func percent(matrices float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		_, f := g.Features.Dims()
		return 100 * matrices * 64 * 64 / float64(64*f+64*16)
	}
}

// layersCompared returns an answer to exercise 8.2, which the function answer makes from the NMI
// of GAE with one layer and with two, one for each seed.
func layersCompared(answer func(oneLayer, twoLayers []float64) []float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any { return answer(quickSeeds(g, 1), quickSeeds(g, 2)) }
}

// paired returns a function for layersCompared: it returns the mean difference in NMI, one layer
// minus two, times meanFactor, and the standard error of this mean, times errorFactor.
func paired(meanFactor, errorFactor float64) func(oneLayer, twoLayers []float64) []float64 {
	return func(oneLayer, twoLayers []float64) []float64 {
		differences := floats.SubTo(make([]float64, len(oneLayer)), oneLayer, twoLayers)
		mean, deviation := stat.MeanStdDev(differences, nil)
		return []float64{meanFactor * mean, errorFactor * deviation / math.Sqrt(float64(len(differences)))}
	}
}

// forward returns an answer to exercise 8.3: a function that smooths X filters(t) times and then
// returns what weigh makes of S, the smoothed features and the weights. LS+RA has filters all
// and weigh weights.
func forward(filters func(t int) int, weigh func(s, y, w1, w2 *mat.Dense) *mat.Dense) func(*graph.Graph) any {
	return constant(func(s, x, w1, w2 *mat.Dense, t int) *mat.Dense {
		y := mat.DenseCopyOf(x)
		for range filters(t) {
			y = times(s, y)
		}
		return weigh(s, y, w1, w2)
	})
}

// all is the number of filters of LS+RA: t.
func all(t int) int { return t }

// weights returns φ(YW₁)W₂, what LS+RA makes of smoothed features Y.
func weights(_, y, w1, w2 *mat.Dense) *mat.Dense { return times(relu(times(y, w1)), w2) }

var entanglementAnswers = []answers{
	{"8.1", percent(6), []mistake{
		{constant(300.), "the numbers of matrices"},
		{percent(7), "seven square matrices"},
		{percent(8), "eight square matrices"},
		{func(g *graph.Graph) any { return percent(6)(g).(float64) / 100 }, "a share"},
		{func(g *graph.Graph) any { return percent(6)(g).(float64) + 100 }, "how many more"},
		{func(g *graph.Graph) any { p := percent(6)(g).(float64); return 100 * p / (100 + p) }, "Divide by LS+RA"},
		{func(g *graph.Graph) any { return percent(6)(g).(float64)/100 + 1 }, "the ratio"},
		{constant(6 * 64 * 64.), "additional weights"},
		{constant(1000.), "Too much"},
		{constant(1.), "Too little"},
	}},
	{"8.2", layersCompared(paired(1, 1)), []mistake{
		{constant([]float64{0.1}), "There are 1 numbers"},
		{layersCompared(paired(-1, 1)), "one layer minus"},
		{layersCompared(paired(100, 100)), "hundredths"},
		{layersCompared(paired(1, math.Sqrt(3))), "deviation of the differences"},
		{layersCompared(func(oneLayer, twoLayers []float64) []float64 { return []float64{oneLayer[0] - twoLayers[0], 0} }), "seed 11 alone"},
		{layersCompared(func(oneLayer, _ []float64) []float64 { return []float64{stat.Mean(oneLayer, nil), 0} }), "a mean NMI"},
		{layersCompared(func(oneLayer, twoLayers []float64) []float64 {
			return []float64{stat.Mean(oneLayer, nil) - stat.Mean(twoLayers, nil), math.Sqrt((stat.Variance(oneLayer, nil) + stat.Variance(twoLayers, nil)) / 3)}
		}), "two separate means"},
		{layersCompared(paired(1, 9)), "divided by the root of 3"},
		{constant([]float64{0.99, 0.01}), "leave the rest"},
	}},
	{"8.3", forward(all, weights), []mistake{
		{forward(all, func(_, _, _, _ *mat.Dense) *mat.Dense { return nil }), "no answer yet"},
		{forward(all, func(_, y, w1, w2 *mat.Dense) *mat.Dense { return times(times(y, w1), w2) }), "no ReLU between"},
		{forward(all, func(_, y, w1, _ *mat.Dense) *mat.Dense { return relu(times(y, w1)) }), "second matrix is missing"},
		{forward(all, func(s, y, w1, w2 *mat.Dense) *mat.Dense { return relu(weights(s, y, w1, w2)) }), "second ReLU"},
		{forward(func(int) int { return 1 }, weights), "applied once."},
		{forward(func(t int) int { return t + 1 }, weights), "too often"},
		{forward(func(int) int { return 1 }, func(s, y, w1, w2 *mat.Dense) *mat.Dense { return times(s, weights(s, y, w1, w2)) }), "GAE's order"},
		{forward(all, func(_, y, w1, w2 *mat.Dense) *mat.Dense { return times(times(relu(y), w1), w2) }), "before W₁"},
		{forward(all, func(_, y, w1, w2 *mat.Dense) *mat.Dense { return times(y, w2) }), "panics"},
		{constant(func(s, x, w1, w2 *mat.Dense, t int) *mat.Dense {
			for range t {
				x.Copy(times(s, x))
			}
			return weights(s, x, w1, w2)
		}), "changes X"},
		{constant(func(s, x, w1, w2 *mat.Dense, t int) *mat.Dense {
			s.Pow(s, t)
			return weights(s, times(s, x), w1, w2)
		}), "changes S"},
		{forward(all, func(s, y, w1, w2 *mat.Dense) *mat.Dense {
			z := weights(s, y, w1, w2)
			z.Scale(2, z)
			return z
		}), "is not φ"},
	}},
}
