package agekit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/stat"
)

var notices01 = []notice{
	{"01", "on Cora, it has 18 of them on average", func(t *testing.T) {
		s := cora().Stats()
		rounds(t, "words per paper", float64(s.NonZeros)/float64(s.Nodes), 18, 0)
	}},
	{"01", "most edges join opposite signs.", func(t *testing.T) {
		g, _ := Corner(cora(), 60)
		x, opposite := RoughestSignal(g), 0
		edges := Draw(g).Edges
		for _, e := range edges {
			if x[e[0]]*x[e[1]] < 0 {
				opposite++
			}
		}
		below(t, "half of the edges", float64(len(edges))/2, float64(opposite))
	}},
	{"01", "On Cora, a single layer takes the quotient of the noise from 0.61 to 0.27. The class starts at 0.10, because neighbors mostly agree on it. On this part of Cora, all three curves fall with every layer, by less each time.", func(t *testing.T) {
		g, _ := Corner(cora(), 60)
		signals, l := Signals(g), Laplacian(g)
		class, noise := signals[1].X, signals[2].X
		rounds(t, "the noise", l.RayleighQuotient(noise), 0.61, 2)
		rounds(t, "the noise after a layer", l.RayleighQuotient(must(SmoothSignal(g, noise, 2.0/3, 1))), 0.27, 2)
		rounds(t, "the class", l.RayleighQuotient(class), 0.10, 2)
		for _, s := range signals {
			falls(t, s.Name, smoothedQuotients(g, s.X, 12), 12)
		}
	}},
	{"01", "This is the paper's equation 1, $\\sum (x_i - x_j)^2 / \\sum x_i^2$.\n\nIts filter, however, uses another Laplacian, $\\tilde{\\mathbf L}_{sym}$ of equation 8", func(t *testing.T) { twoMeasures(t) }},
	{"01", "(Equation 1 as printed, without the degrees, gives this signal on Cora (0 + 1 + 1 + 4)/3 = 2 instead of 0.719.)", func(t *testing.T) {
		printed, ours := twoMeasures(t)
		near(t, "equation 1", printed, 2, 0)
		rounds(t, "with the degrees", ours, 0.719, 3)
	}},
	{"01", "On these five nodes of Cora, each layer also takes less away than the one before: the rough parts go first.", func(t *testing.T) {
		five, _ := Corner(cora(), 5)
		falls(t, "x", smoothedQuotients(five, fiveSignal, 4), 4)
	}},
	{"01", "On Cora, a word (0.65 on average) is closer to noise (0.72) than to a class (0.25 for class 0)", func(t *testing.T) {
		g, l := cora(), Laplacian(cora())
		rounds(t, "a word", stat.Mean(RayleighQuotients(g, g.Features.ToDense()), nil), 0.65, 2)
		rounds(t, "class 0", l.RayleighQuotient(class(g, 0)), 0.25, 2)
		// The mean over all noise is the mean of the eigenvalues. The notebook
		// draws one signal, whose deviation is about √(2·variance/n) = 0.01.
		near(t, "noise", stat.Mean(eigenvalues(t), nil), 0.72, 0.02)
		rounds(t, "the notebook's noise", l.RayleighQuotient(NoiseSignal(g, 1).X), 0.72, 2)
	}},
	{"01", "On Cora, the prediction for noise is within 0.01.", func(t *testing.T) {
		// The mean of 1 − 1/d̃ is that of the eigenvalues: the trace of L̃sym.
		near(t, "the prediction", stat.Mean(eigenvalues(t), nil), Laplacian(cora()).RayleighQuotient(NoiseSignal(cora(), 1).X), 0.01)
	}},
	{"01", "left of the class, at 0.25 on Cora, or right of it?", func(t *testing.T) {
		rounds(t, "class 0", Laplacian(cora()).RayleighQuotient(ClassSignal(cora(), 0).X), 0.25, 2)
	}},
	{"01", "On Cora, every feature is smoother than before, and all of them are now smoother than class 0. (The count leaves out features that no node has, which are 0 everywhere: on Cora, one of 1,433.)", func(t *testing.T) {
		g := cora()
		before, after := RayleighQuotients(g, g.Features.ToDense()), RayleighQuotients(g, must(Smooth(g, 2.0/3, 8)))
		if len(before) != 1432 || len(after) != 1432 || g.Features.ToDense().Cols != 1433 {
			t.Fatalf("%d features before, %d after, want 1432 of 1433", len(before), len(after))
		}
		for j := range before {
			if after[j] >= before[j] {
				t.Errorf("feature %d: %v before, %v after", j, before[j], after[j])
			}
		}
		below(t, "the roughest feature", slices.Max(after), Laplacian(g).RayleighQuotient(class(g, 0)))
	}},
	{"01", "On Cora, the figure seems to favor $k = 1$: its curve is the lowest. The curves for $2/3$ and $1/\\lambda_{max}$ nearly coincide.", func(t *testing.T) {
		g := SampleFeatures(cora(), 64)
		for _, layers := range []int{1, 2, 4, 8} {
			quotient := func(k float64) float64 { return stat.Mean(RayleighQuotients(g, must(Smooth(g, k, layers))), nil) }
			for _, k := range []float64{0.5, 2.0 / 3, InverseLambdaMax} {
				below(t, fmt.Sprintf("k = 1 against k = %v, t = %d", k, layers), quotient(1), quotient(k))
			}
			near(t, fmt.Sprintf("k = 2/3 against 1/λmax, t = %d", layers), quotient(2./3), quotient(InverseLambdaMax), 0.01)
		}
	}},
	{"01", "With $k = 1$ about half of it remains on Cora, with its sign flipped.", func(t *testing.T) {
		near(t, "1 − λmax", 1-must(LambdaMax(cora())), -0.5, 0.05)
	}},
	{"01", "$k = 2/3$, which the paper uses on all its data sets, is close to $1/\\lambda_{max}$ on three of them, where $\\lambda_{max}$ is around $3/2$.", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer", "wiki"} {
			near(t, "λmax of "+d, record(t, experiment.Run{Task: experiment.Spectrum, Dataset: d}).Scores["lambda_max"], 1.5, 0.11)
		}
	}},
	{"01", "On Pubmed it is 1.65, and $2/3$ is too large", func(t *testing.T) {
		lambda := must(LambdaMax(testutil.LoadGraph(t, "pubmed")))
		rounds(t, "λmax of Pubmed", lambda, 1.65, 2)
		below(t, "1/λmax", 1/lambda, 2./3-0.05)
	}},
	{"01", "After 1,000 layers, value$/\\sqrt{\\tilde d}$ is the predicted $c$ at all four nodes, to four digits on Cora.", func(t *testing.T) {
		g, _ := Corner(cora(), 60)
		x := ClassSignal(g, LargestClass(g)).X
		root := func(i int) float64 { return math.Sqrt(float64(g.Degree(i) + 1)) }
		above, all := 0.0, 0.0
		for i, v := range x {
			above, all = above+root(i)*v, all+root(i)*root(i)
		}
		for i, v := range must(SmoothSignal(g, x, 2.0/3, 1000)) {
			rounds(t, fmt.Sprint("node ", i), v/root(i), above/all, 4)
		}
	}},
	{"01", "On Cora, ACC is 0.43 after one layer, 0.64 after 8 and 0.33 after 100. The largest class alone makes up 0.30 of the papers", func(t *testing.T) {
		g := cora()
		for layers, want := range map[int]float64{1: 0.43, 8: 0.64, 100: 0.33} {
			rounds(t, fmt.Sprint(layers, " layers"), *smoothedScores(layers).ACC, want, 2)
		}
		rounds(t, "the largest class", stat.Mean(ClassSignal(g, LargestClass(g)).X, nil), 0.30, 2)
	}},
	{"01", "On Cora, the useless clusters after 100 layers have the lowest conductance of the three", func(t *testing.T) {
		hundred := smoothedScores(100).Conductance
		below(t, "100 layers against 8", hundred, smoothedScores(8).Conductance)
		below(t, "100 layers against 1", hundred, smoothedScores(1).Conductance)
	}},
	{"01", "**The paper chooses $t$ for each data set**: 8 for Cora, 3 for Citeseer, 1 for Wiki.", func(t *testing.T) {
		for name, want := range map[string]int{"cora": 8, "citeseer": 3, "wiki": 1} {
			if o, _ := encoder.PaperOptions(name); o.Layers != want {
				t.Errorf("%s: %d layers, want %d", name, o.Layers, want)
			}
		}
	}},
}

// fiveSignal is the notebook's signal on five nodes.
var fiveSignal = []float64{1, 1, 0, 0, -1}

// twoMeasures returns the quotient of the notebook's signal by equation 1 as printed, and
// by the same equation with L̃sym (equation 8) for L.
func twoMeasures(t *testing.T) (printed, ours float64) {
	t.Helper()
	five, _ := Corner(cora(), 5)
	x, squares := fiveSignal, 0.0
	for i, v := range x {
		squares += v * v
		for j := range five.Adjacency.Each(i) {
			printed += (v - x[j]) * (v - x[j]) / 2 // each edge is there twice
		}
	}
	printed, ours = printed/squares, Laplacian(five).RayleighQuotient(x)
	below(t, "1 against the difference of the measures", 1, math.Abs(printed-ours))
	return printed, ours
}

// smoothedQuotients returns the Rayleigh quotient of a signal after 0, …, layers layers.
func smoothedQuotients(g *graph.Graph, x []float64, layers int) (quotients []float64) {
	for t := range layers + 1 {
		quotients = append(quotients, Laplacian(g).RayleighQuotient(must(SmoothSignal(g, x, 2.0/3, t))))
	}
	return quotients
}

// falls reports a quotient that does not fall, or falls by more than in the layer before.
func falls(t *testing.T, name string, q []float64, layers int) {
	t.Helper()
	for k := 1; k <= layers; k++ {
		below(t, fmt.Sprintf("%s after layer %d", name, k), q[k], q[k-1])
		if k > 1 {
			below(t, fmt.Sprintf("fall of %s in layer %d", name, k), q[k-1]-q[k], q[k-2]-q[k-1])
		}
	}
}

var smoothedOnce = map[int]metric.Scores{}

// smoothedScores are those of the clusters of Cora's smoothed features, computed once for
// each number of layers.
func smoothedScores(layers int) metric.Scores {
	if _, ok := smoothedOnce[layers]; !ok {
		smoothedOnce[layers] = metric.Score(cora(), must(Cluster(must(Smooth(cora(), 2.0/3, layers)), cora().Classes)))
	}
	return smoothedOnce[layers]
}
