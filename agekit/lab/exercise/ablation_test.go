package exercise

import (
	"math"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/stat"
)

// pairedBy returns an answer to exercise 7.3: a function that returns the mean difference of the
// scores, and what way computes as its standard error.
func pairedBy(way func(before, after, differences []float64) float64) any {
	return func(before, after []float64) (float64, float64) {
		var differences []float64
		for i := range before {
			differences = append(differences, after[i]-before[i])
		}
		return stat.Mean(differences, nil), way(before, after, differences)
	}
}

// root returns √n.
func root(n int) float64 { return math.Sqrt(float64(n)) }

// layersFor returns the right answer to exercise 7.2: the number of layers with k = 1/3 after
// which features are closest in roughness to those after eight layers with k = 2/3. It tries
// numbers around twice as many.
func layersFor(g *graph.Graph) any {
	roughness := func(k float64, layers int) float64 {
		x, err := agekit.Smooth(g, k, layers)
		if err != nil {
			panic(err)
		}
		return stat.Mean(agekit.RayleighQuotients(g, x), nil)
	}
	target, best, closest := roughness(2.0/3, 8), 0, math.Inf(1)
	for layers := 12; layers <= 24; layers++ {
		if d := math.Abs(roughness(1.0/3, layers) - target); d < closest {
			best, closest = layers, d
		}
	}
	return best
}

var ablationAnswers = []answers{
	{"7.1", constant(2. / 32), []mistake{
		{constant(1. / 32), "on the other side"},
		{constant(2. / 1024), "for ten seeds"},
		{constant(6.25), "a percentage"},
		{constant(0.05), "significant"},
		{constant(0.2), "five choices"},
		{constant(0.5), "all five at once"},
		{constant(1e-9), "cannot become that small"},
		{constant(0.1), "the clearest result"},
		{constant(2. / 120), "orders"},
		{constant(7.0), "between 0 and 1"},
	}},
	{"7.2", layersFor, []mistake{
		{constant(8), "the same eight layers"},
		{constant(4), "more layers, not fewer"},
		{constant(12), "rougher"},
		{constant(30), "smoother"},
		{constant(16), "One more"},
		{constant(18), "One fewer"},
		{constant(100), "between 1 and 64"},
		{constant(16.0), "of type float64"},
	}},
	{"7.3", constant(pairedBy(func(_, _, d []float64) float64 { return stat.StdDev(d, nil) / root(len(d)) })), []mistake{
		{constant(func(_, _ []float64) (float64, float64) { return 0, 0 }), "no answer yet"},
		{constant(pairedBy(func(_, _, d []float64) float64 { return stat.StdDev(d, nil) })), "the factor √n"},
		{constant(pairedBy(func(_, _, d []float64) float64 { return stat.StdDev(d, nil) / float64(len(d)) })), "with √n only"},
		{constant(pairedBy(func(_, _, d []float64) float64 { return stat.Variance(d, nil) / float64(len(d)) })), "variance"},
		{constant(pairedBy(func(_, _, d []float64) float64 { return stat.PopStdDev(d, nil) / root(len(d)) })), "n − 1"},
		{constant(pairedBy(func(b, a, _ []float64) float64 {
			return math.Sqrt((stat.Variance(a, nil) + stat.Variance(b, nil)) / float64(len(a)))
		})), "two separate means"},
		{constant(func(before, after []float64) (float64, float64) {
			return stat.Mean(before, nil) - stat.Mean(after, nil), 1
		}), "wrong sign"},
		{constant(func(before, after []float64) (float64, float64) { return stat.Mean(after, nil), 1 }), "seed by seed"},
		{constant(func(before, after []float64) (float64, float64) { return before[99], 0 }), "panics"},
	}},
}
