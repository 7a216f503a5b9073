package exercise

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var filteringAnswers = []answers{
	{
		id: "1.1", right: constant(0.75),
		wrong: []mistake{
			{constant(0.25), "what one edge contributes"},
			{constant(2. / 3), "self loop"},
			{constant(1.), "without self loops"},
			{constant(1.5), "count each edge twice"},
			{constant(3.), "D − A"},
			{constant(-0.75), "cannot be negative"},
			{constant(2.5), "less than 2"},
			{constant(0.9), "Write down the contribution of one edge"},
			{constant("3"), "of type string"},
			{constant(0), "1/2 is 0"},
		},
	},
	{
		// On Cora the noise is smoother than its largest class after 4 layers.
		id: "1.2", right: noiseLayers(2./3, 0),
		wrong: []mistake{
			{noiseLayers(2./3, -1), "still above"},
			{noiseLayers(2./3, 1), "before the last layer"},
			{noiseLayers(1, 0), "answer for k = 1"},
			{constant(40), "Fewer are enough"},
			{constant(-3), "not a number of layers"},
		},
	},
	{
		id: "1.3", right: constant(filterFunc(denseFilter)),
		wrong: []mistake{
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return x[n.i] }), "as it came"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return x[len(x)] }), "Your function panics"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 { return denseFilter(g, x, k, 1) })), "one layer, whatever t is"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 {
				return (1-k)*x[n.i] + k*n.sum(x, func(d, other float64) float64 { return 1 / math.Sqrt((d-1)*(other-1)) }, false)
			}), "without self loops"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return (1-k)*x[n.i] + k*n.sum(x, sumRoots, false) }), "forgets the node itself"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return k*x[n.i] + (1-k)*n.sum(x, sumRoots, true) }), "have changed places"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 { return denseFilter(g, x, k, t+1) })), "one layer too many"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return n.sum(x, sumRoots, true) }), "does not depend on k"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return (1+k)*x[n.i] - k*n.sum(x, sumRoots, true) }), "A sign is wrong"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 {
				return (1-k)*x[n.i] + k*n.sum(x, func(d, _ float64) float64 { return 1 / d }, true)
			}), "plain mean"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 {
				return (1-k)*x[n.i] + k*n.sum(x, func(d, other float64) float64 { return 1 / (d * other) }, true)
			}), "square roots are missing"},
			{filterOf(func(n filterNode, x []float64, k float64) float64 { return x[n.i] - n.sum(x, sumRoots, true) }), "L̃ᵗx: it keeps"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
				var power mat.Dense
				power.Pow(lab.LaplacianMatrix(g), t)
				var rough mat.VecDense
				rough.MulVec(&power, mat.NewVecDense(len(x), x))
				return floats.AddScaledTo(make([]float64, len(x)), x, -k, rough.RawVector().Data)
			})), "x − k·L̃ᵗx"},
			{constant(filterFunc(overwrites)), "new values of their neighbors"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
				copy(x, denseFilter(g, x, k, t))
				return x
			})), "changes the signal that it is given"},
			{constant(filterFunc(func(*graph.Graph, []float64, float64, int) []float64 { return make([]float64, 3) })), "3 values"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 { return denseFilter(g, x, k, max(t, 1)) })), "With t = 0"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
				return floats.ScaleTo(make([]float64, len(x)), 2, denseFilter(g, x, k, t))
			})), "by hand"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
				first := denseFilter(g, x, k, 1)
				return floats.ScaleTo(first, float64(t), first)
			})), "first layer is right"},
			{constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
				if g.N() > 100 {
					return x
				}
				return denseFilter(g, x, k, t)
			})), "On a small graph your function is right"},
		},
	},
}

// noiseLayers returns an answer to exercise 1.2: the smallest number of layers with the given k,
// plus more.
func noiseLayers(k float64, more int) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		target := agekit.Laplacian(g).RayleighQuotient(lab.ClassSignal(g, lab.LargestClass(g)).X)
		x, t := lab.NoiseSignal(g, 1).X, 0
		for ; agekit.Laplacian(g).RayleighQuotient(x) >= target; t++ {
			x = denseFilter(g, x, k, 1)
		}
		return t + more
	}
}

// denseFilter is a right answer to exercise 1.3. It multiplies by dense matrices on small graphs,
// and uses package laplacian on others.
func denseFilter(g *graph.Graph, x []float64, k float64, t int) []float64 {
	if g.N() > 100 {
		return agekit.Must(lab.SmoothSignal(g, x, k, t))
	}
	smooth, rough := mat.NewVecDense(len(x), append([]float64(nil), x...)), new(mat.VecDense)
	for range t {
		rough.MulVec(lab.LaplacianMatrix(g), smooth)
		smooth.AddScaledVec(smooth, -k, rough)
	}
	return smooth.RawVector().Data
}

// filterNode is a node of a graph, for the wrong filters below.
type filterNode struct {
	g *graph.Graph
	i int
}

// sumRoots is the right weight for filterNode.sum.
func sumRoots(d, other float64) float64 { return 1 / math.Sqrt(d*other) }

// sum returns the sum of the neighbors' values in x, and of the node's own if loop is true. Each
// value is multiplied by the weight of two degrees, which count a self loop: that of the node
// and that of the value's node.
func (n filterNode) sum(x []float64, weight func(d, other float64) float64, loop bool) float64 {
	d, sum := float64(n.g.Degree(n.i)+1), 0.0
	if loop {
		sum = x[n.i] * weight(d, d)
	}
	neighbors, _ := n.g.Adjacency.Row(n.i)
	for _, j := range neighbors {
		sum += x[j] * weight(d, float64(n.g.Degree(int(j))+1))
	}
	return sum
}

// filterOf returns an answer to exercise 1.3: a filter in which each layer computes the values of
// all nodes by the function value.
func filterOf(value func(n filterNode, x []float64, k float64) float64) func(*graph.Graph) any {
	return constant(filterFunc(func(g *graph.Graph, x []float64, k float64, t int) []float64 {
		for range t {
			next := make([]float64, len(x))
			for i := range x {
				next[i] = value(filterNode{g, i}, x, k)
			}
			x = next
		}
		return x
	}))
}

// overwrites is a wrong filter: it writes into the signal that it reads.
func overwrites(g *graph.Graph, x []float64, k float64, t int) []float64 {
	for range t {
		for i := range x {
			x[i] = (1-k)*x[i] + k*filterNode{g, i}.sum(x, sumRoots, true)
		}
	}
	return x
}

// TestEmptyFilter: the function in the cell of exercise 1.3 as it stands, which returns nil, is
// judged to be no answer.
func TestEmptyFilter(t *testing.T) {
	g := agekit.Must(agekit.Load("cora"))
	v := Judge("1.3", g, filterFunc(func(*graph.Graph, []float64, float64, int) []float64 { return nil }))
	if want := "There is no answer yet. Wanted: a function that returns Hᵗx."; v.Right || v.Message != want {
		t.Errorf("the empty function is judged %v: %q, want %q", v.Right, v.Message, want)
	}
}
