package exercise

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/floats"
)

// filtering are the exercises of notebook 1.
var filtering = []exercise{
	{"1.1", answering("the Rayleigh quotient as a number", checkSingleNode),
		"Each of the three edges contributes (1/√4)² = 1/4. A signal on a single node is smoother if the node has fewer neighbors: with d of them, its quotient is d/(d+1)."},
	{"1.2", answering("the smallest number of layers", checkLayersForNoise),
		"Smoothed noise is as smooth as a class, but says nothing about the classes. A low Rayleigh quotient is what good features have, not what makes them good: the filter finds what the features of neighbors have in common, and noise has nothing in common."},
	{"1.3", answering("a function that returns Hᵗx", checkFilter),
		"This is the whole filter: t times a weighted mean of each node and its neighbors. It has no weights to train, and it takes a few steps per edge and layer."},
}

// checkSingleNode checks the Rayleigh quotient of a signal that is 1 on a node with three
// neighbors and 0 elsewhere.
func checkSingleNode(_ *graph.Graph, answer float64) string {
	star := fromEdges(4, [2]int32{0, 1}, [2]int32{0, 2}, [2]int32{0, 3})
	truth := laplacian.New(star.Adjacency).RayleighQuotient([]float64{1, 0, 0, 0})
	is := func(v float64) bool { return math.Abs(answer-v) < 0.005 }
	return firstOf([]finding{
		{is(truth), ""},
		{is(1 - truth), "That is a single term: what one edge contributes, and also what the filter with k = 1 leaves at the node itself. The Rayleigh quotient is the sum over all edges."},
		{is(1 - 1./3), "You seem to have used 1 − 1/3, with a degree of 3. L̃sym has a self loop at every node, which counts in the degree d̃."},
		{is(1), "This is the value without self loops: then R is 1 for every single node. L̃sym has a self loop at every node, which counts in the degree d̃."},
		{is(1.5), "Two mistakes lead to this number. Did you forget to square the differences, or did you count each edge twice, once from each end?"},
		{is(3), "Each edge counts fully here, as in the Laplacian D − A. L̃sym divides the value of each node by √d̃ before it takes differences."},
		{answer < 0, "A sum of squares cannot be negative."},
		{answer >= 2, "A Rayleigh quotient of L̃sym is always less than 2."},
		{true, fmt.Sprintf("%.4g is not the sum. Write down the contribution of one edge: only one of its ends has a value other than 0. Which degree d̃, with self loop, does that end have? The other edges contribute the same.", answer)},
	})
}

// checkLayersForNoise checks the smallest number of layers with k = 2/3 after which noise has a
// smaller Rayleigh quotient than the largest class.
func checkLayersForNoise(g *graph.Graph, answer int) string {
	class := lab.ClassSignal(g, lab.LargestClass(g))
	l := agekit.Laplacian(g)
	target := l.RayleighQuotient(class.X)
	// noise returns the Rayleigh quotient of smoothed noise, and first the smallest number of
	// layers after which it is below the target.
	noise := func(k float64, layers int) float64 {
		return l.RayleighQuotient(must(lab.SmoothSignal(g, lab.NoiseSignal(g, 1).X, k, layers)))
	}
	first := func(k float64) int {
		t := 0
		for t < laplacian.MaxLayers && noise(k, t) >= target {
			t++
		}
		return t
	}
	truth := first(2. / 3)
	if answer < 0 || answer > laplacian.MaxLayers {
		return fmt.Sprintf("%d is not a number of layers: want 1 to %d.", answer, laplacian.MaxLayers)
	}
	here := noise(2./3, answer)
	return firstOf([]finding{
		{answer == truth, ""},
		{answer == first(1), fmt.Sprintf("After %d layers with k = 2/3, the noise has a Rayleigh quotient of %.3f, and %s has %.3f. (Your number is the answer for k = 1. The question is about k = 2/3, in Go 2.0/3.)", answer, here, class.Name, target)},
		{answer < truth, fmt.Sprintf("After %d layers, the noise has a Rayleigh quotient of %.3f. That is still above %.3f, the value of %s.", answer, here, target, class.Name)},
		{answer == truth+1, fmt.Sprintf("After %d layers, the noise is smoother than %s, but it was so before the last layer, too. Count the layers from 0: t = 0 leaves the signal as it is.", answer, class.Name)},
		{true, fmt.Sprintf("After %d layers, the noise has a Rayleigh quotient of %.3f, far below %.3f, the value of %s. Fewer are enough: want the smallest number.", answer, here, target, class.Name)},
	})
}

// filterFunc is the function of exercise 1.3: it returns Hᵗx.
type filterFunc = func(g *graph.Graph, x []float64, k float64, t int) []float64

// checkFilter tries a student's filter on a small graph, where it compares the result with those
// of typical mistakes, and then on g.
func checkFilter(g *graph.Graph, smooth filterFunc) string {
	const k, layers = 0.6, 3
	small := fromEdges(5, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 3}, [2]int32{1, 3}, [2]int32{3, 4})
	x := []float64{1, 0.5, -2, 0, 3}
	given := slices.Clone(x)
	got := smooth(small, given, k, layers)
	switch {
	case got == nil:
		return "There is no answer yet. Wanted: a function that returns Hᵗx."
	case len(got) != len(x):
		return fmt.Sprintf("For a graph of %d nodes, your function returns %d values. It must return one per node.", len(x), len(got))
	}
	is := func(want []float64) bool { return sameSignal(got, want) }
	// as reports whether got is the result of a filter with other entries.
	as := func(w entries) bool { return is(w.layered(small, x, k, layers)) }
	if !as(lsym) {
		overwritten, rough := slices.Clone(x), highPass(small, x, layers)
		for range layers {
			lsym.layer(small, overwritten, overwritten, k)
		}
		oneLayer, wanted := smooth(small, slices.Clone(x), k, 1), lsym.layered(small, x, k, 1)
		return firstOf([]finding{
			{is(x), "Your function returns the signal as it came. Does the result of each layer reach the next one, and the return statement?"},
			{is(wanted), "This is one layer, whatever t is. Apply the filter t times, each time to the result of the layer before."},
			{is(lsym.layered(small, x, k, layers+1)) || is(lsym.layered(small, x, k, layers-1)), "This is one layer too many, or too few. With t = 3, the loop runs for 0, 1 and 2: for range t."},
			{as(entries{0, none, bothRoots}) || as(entries{0, bothRoots, bothRoots}), "This is the filter of a graph without self loops. In L̃sym, every node is its own neighbor: it adds its own value to the sum, and 1 to the degree."},
			{as(entries{1, none, bothRoots}), "The sum forgets the node itself. Every node is its own neighbor, so xᵢ/d̃ᵢ is in the sum, too."},
			{is(lsym.layered(small, x, 1, layers)), "The result does not depend on k: it is that of k = 1, where a layer keeps nothing of the node's own value beyond its part in the mean."},
			{is(lsym.layered(small, x, 1-k, layers)), "k and 1 − k have changed places. The node keeps the share 1 − k of its own value, and takes k of the sum."},
			{is(lsym.layered(small, x, -k, layers)), "A sign is wrong: you add k·L̃x where H = I − k·L̃ subtracts it. This makes neighbors more different, not less."},
			{as(entries{1, oneDegree, oneDegree}), "You divide by the degree of one end of the edge, which gives a plain mean of the neighbors. L̃sym is symmetric: each edge counts 1/(√d̃ᵢ·√d̃ⱼ), with the degrees of both ends."},
			{as(entries{1, noRoots, noRoots}) || as(entries{1, bothRoots, noRoots}), "The square roots are missing: each edge counts 1/(√d̃ᵢ·√d̃ⱼ), not 1/(d̃ᵢ·d̃ⱼ)."},
			{is(rough), "This is L̃ᵗx: it keeps what differs between neighbors. The filter takes k times that away from the signal."},
			{is(floats.AddScaledTo(make([]float64, len(x)), x, -k, rough)), "This is x − k·L̃ᵗx. The power belongs to the whole filter: (I − k·L̃)ᵗ. Take k·L̃x away in each layer."},
			{is(overwritten), "Some nodes see new values of their neighbors, since you write into the signal that you read from. Each layer needs a slice of its own for its result."},
			{sameSignal(oneLayer, wanted), "The first layer is right, the next ones are not. Each layer starts from the result of the layer before."},
			{true, fmt.Sprintf("On a small graph with the edges 0–1, 1–2, 2–3, 1–3 and 3–4, the signal %v, k = %v and t = 1, your function returns %.3f, which is wrong. Compute the value of node 0 by hand.", x, k, oneLayer)},
		})
	}
	binary := *g // without weights of edges, which exercise 1.3 does not speak of
	binary.Adjacency = &graph.CSR{Rows: g.N(), Cols: g.N(), Indptr: g.Adjacency.Indptr, Indices: g.Adjacency.Indices}
	noise, zeroLayers := lab.NoiseSignal(g, 1).X, smooth(small, slices.Clone(x), k, 0)
	full := smooth(&binary, slices.Clone(noise), 2./3, 8)
	return firstOf([]finding{
		{!sameSignal(given, x), "The result is right, but your function changes the signal that it is given. Whoever calls it still needs that signal: work on a copy."},
		{!sameSignal(zeroLayers, x), fmt.Sprintf("With t = 0, the signal stays as it is. Your function turns %v into %.3f.", x, zeroLayers)},
		{!sameSignal(full, lsym.layered(&binary, noise, 2./3, 8)), fmt.Sprintf("On a small graph your function is right, on %s it is not. Does it treat nodes without neighbors, or with many, in another way?", g.Name)},
	})
}

// entries describes the matrix S in a layer I − k(I − S) of a filter.
type entries struct {
	// loop is added to the degree of each node, for its self loop.
	loop float64
	// node and edge return the entry of S for a node itself and for an edge, from the degrees
	// of both ends.
	node, edge func(a, b float64) float64
}

// lsym has the entries of S = I − L̃sym.
var lsym = entries{1, bothRoots, bothRoots}

// These are ways to compute an entry from the degrees; only bothRoots is right.
func bothRoots(a, b float64) float64 { return 1 / math.Sqrt(a*b) }
func oneDegree(a, _ float64) float64 { return 1 / a }
func noRoots(a, b float64) float64   { return 1 / (a * b) }
func none(_, _ float64) float64      { return 0 }

// layer sets dst to (I − k(I − S))x. dst and x may be the same slice, which is a typical mistake.
func (w entries) layer(g *graph.Graph, dst, x []float64, k float64) {
	degree := func(i int) float64 { return w.loop + float64(g.Degree(i)) }
	for i := range x {
		sum := x[i] * w.node(degree(i), degree(i))
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			sum += x[j] * w.edge(degree(i), degree(int(j)))
		}
		dst[i] = (1-k)*x[i] + k*sum
	}
}

// layered returns the result of t layers on x, in another slice than x unless t is 0.
func (w entries) layered(g *graph.Graph, x []float64, k float64, t int) []float64 {
	for range t {
		next := make([]float64, len(x))
		w.layer(g, next, x, k)
		x = next
	}
	return x
}

// highPass returns L̃symᵗ·x. One layer with k = 1 returns x − L̃sym·x, so L̃sym·x is what this
// layer takes away from x.
func highPass(g *graph.Graph, x []float64, t int) []float64 {
	for range t {
		x = floats.SubTo(make([]float64, len(x)), x, lsym.layered(g, x, 1, 1))
	}
	return x
}

// sameSignal reports whether two signals are equal up to rounding.
func sameSignal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Abs(v-w) <= 1e-6*(1+math.Abs(w)) })
}
