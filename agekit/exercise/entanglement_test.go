package exercise

import (
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/mat"
)

// percent returns a number of 64×64 matrices as a percentage of LS+RA's weights.
func percent(matrices float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		_, f := g.Features.Dims()
		return 100 * matrices * 64 * 64 / float64(64*f+64*16)
	}
}

// quick returns a score of a short run.
func quick(method string, layers int, score string) func(*graph.Graph) any {
	return func(g *graph.Graph) any { return quickRun(g, method, layers)[score] }
}

// forward returns LS+RA's embedding, with what is done to the smoothed features
// and filters that are not there.
func forward(filters func(t int) int, weigh func(s, y, w1, w2 *mat.Dense) *mat.Dense) func(*graph.Graph) any {
	return constant(func(s, x, w1, w2 *mat.Dense, t int) *mat.Dense {
		y := mat.DenseCopyOf(x)
		for range filters(t) {
			y = times(s, y)
		}
		return weigh(s, y, w1, w2)
	})
}

func all(t int) int { return t }

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
	{"8.2", quick("GAE-64", 1, "NMI"), []mistake{
		{quick("GAE-64", 8, "NMI"), "eight layers"},
		{quick("LS+RA-64", 1, "NMI"), "LS+RA with one layer"},
		{quick("GAE-64", 1, "ACC"), "ACC"},
		{func(g *graph.Graph) any { return 100 * quick("GAE-64", 1, "NMI")(g).(float64) }, "percent"},
		{constant(0.99), "Change only Layers"},
	}},
	{"8.3", forward(all, weights), []mistake{
		{forward(all, func(_, _, _, _ *mat.Dense) *mat.Dense { return nil }), "no answer yet"},
		{forward(all, func(_, y, w1, w2 *mat.Dense) *mat.Dense { return times(times(y, w1), w2) }), "no ReLU between"},
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
