package exercise

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/floats"
)

// eigenvalues are the exercises of notebook 2.
var eigenvalues = []exercise{
	{"2.1", answering("the number by which the difference is multiplied", leafDifference),
		"Leaves of the same node have λ = ½, and each layer multiplies their difference by 1 − kλ = 0.7. Their sum is another matter: it goes with the low frequencies and stays."},
	{"2.2", answering("the smallest t, a whole number", fewestLayers),
		"A few layers are enough to remove most frequencies. Each further layer mainly takes away from the low ones, where the classes are: t is a compromise, not a case of the more the better."},
	{"2.3", answering("the function leafTwins", leafTwins),
		"Counting neighbors explains most of the peak at ½, without computing a single eigenvalue."},
}

// leafDifference checks the factor (1 − kλ)ᵗ by which a filter with k = 0.6 and t = 2 multiplies
// the difference of two leaves, for which λ = ½. (With k = 0.8, a wrong λ of 2 would give the
// right answer as well.)
func leafDifference(_ *graph.Graph, answer float64) string {
	const k, t, lambda = 0.6, 2, 0.5
	is := func(v float64) bool { return math.Abs(answer-v) < 5e-4 }
	return firstOf([]finding{
		{is(math.Pow(1-k*lambda, t)), ""},
		{is(100 * math.Pow(1-k*lambda, t)), "That is a percentage. Give the factor itself, a number between 0 and 1."},
		{is(1 - k*lambda), "That is what one layer leaves. What does the second layer do to that?"},
		{is(math.Pow(k*lambda, t)), "You took kλ to the power t. But kλ is the part that a layer takes away; the filter multiplies by the part that stays."},
		{is(1 - math.Pow(1-k*lambda, t)), "That is the part of the difference that the two layers take away. The question is about the part that stays."},
		{is(math.Pow(1-k, t)), "That is the factor at λ = 1, where linked twins are. Leaves of the same node are not linked to each other. (Without self loops they would be at 1.) Which eigenvalue does the section about peaks give for them?"},
		{is(1 - t*k*lambda), "You took kλ away twice from the whole. The second layer takes its part from what the first layer left."},
		{is(t * (1 - k*lambda)), "You added the factors of the two layers. Layers follow one another, so their factors multiply."},
		{is(math.Pow(lambda, t)), "You took λ to the power t. An eigenvector is multiplied by λ if L̃sym is applied to it; the filter is I − k·L̃sym."},
		{math.Abs(answer) >= 1, "Such a filter would not make the difference smaller. With k = 0.6, each layer shrinks every eigenvector whose λ is above 0."},
		{answer < 0, "A negative factor would make the two leaves change places. That takes kλ > 1 and an odd number of layers."},
		{true, "That is not it. Go step by step: which eigenvalue have leaves of the same node? By what does one layer multiply an eigenvector with that eigenvalue? And two layers?"},
	})
}

// fewestLayers checks the smallest t with which at least half of the amplitudes
// |1 − λ/λmax|ᵗ are below 0.01.
func fewestLayers(g *graph.Graph, answer int) string {
	if answer < 1 {
		return fmt.Sprintf("t = %d: a filter has at least one layer.", answer)
	}
	values := must(agekit.Eigenvalues(g))
	inverse := 1 / values[len(values)-1] // 1/λmax
	// share returns the share of amplitudes |1 − kλ|ᵗ below the limit, and smallest the first
	// t at which this share is at least half.
	share := func(k float64, t int, limit float64) float64 {
		below := func(v float64) bool { return math.Pow(math.Abs(1-k*v), float64(t)) < limit }
		return float64(floats.Count(below, values)) / float64(len(values))
	}
	smallest := func(k, limit float64) int {
		t := 1
		for share(k, t, limit) < 0.5 && t < 1000 { // some k never get there
			t++
		}
		return t
	}
	want := smallest(inverse, 0.01)
	now := fmt.Sprintf("With t = %d, %.0f %% of the amplitudes are below 1 %%.", answer, 100*share(inverse, answer, 0.01))
	return firstOf([]finding{
		{answer == want, ""},
		{answer == smallest(inverse, 0.1), now + " Your t is where half of them are below 10 %, so that 1 % of the energy, the square, is left. The question is about the amplitude."},
		{answer == smallest(1, 0.01), now + " Your t is the answer for k = 1. That filter shrinks most frequencies faster, but lets the highest ones rise again. Use k = 1/λmax."},
		{answer == smallest(0.5, 0.01), now + " Your t is the answer for k = ½, which is weaker. Use k = 1/λmax."},
		{answer < want, now + " That is less than half of them, so it takes more layers."},
		{answer == want+1, now + " That is enough, but one layer less is enough, too: stop at the first t with at least half."},
		{true, now + " That is more than needed. Which is the smallest t with at least half?"},
	})
}

// leafTwins tries a student's function that counts the eigenvalues ½ that leaves explain: the
// sum, over all nodes that have leaves, of the number of their leaves minus one. It tries the
// function on small graphs, each of which shows a typical mistake, and on g.
func leafTwins(g *graph.Graph, count func(*graph.Graph) int) string {
	star := fromEdges(5, [2]int32{0, 1}, [2]int32{0, 2}, [2]int32{0, 3}, [2]int32{0, 4})
	twoStars := fromEdges(7, [2]int32{0, 1}, [2]int32{0, 2}, [2]int32{0, 3}, [2]int32{3, 4}, [2]int32{3, 5}, [2]int32{3, 6})
	path := fromEdges(4, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 3})
	pair := fromEdges(2, [2]int32{0, 1})
	square := fromEdges(4, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 3}, [2]int32{3, 0})
	clique := fromEdges(3, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 0})
	want := 0
	for _, c := range laplacian.Twins(g.Adjacency) {
		if !c.Adjacent && g.Degree(int(c.Nodes[0])) == 1 {
			want += len(c.Nodes) - 1
		}
	}
	onStar, onPath, onTwo, onSquare, onG := count(star), count(path), count(twoStars), count(square), count(g)
	return firstOf([]finding{
		{onStar == 0 && onTwo == 0 && onG == 0, "There is no answer yet. Wanted: a function that counts; yours returns 0 for every graph."},
		{onStar < 0, fmt.Sprintf("For a star with 4 leaves, you count %d. A node without leaves takes nothing away: only nodes that have leaves count.", onStar)},
		{onStar == 4, "For a star with 4 leaves, you count 4, as many as there are leaves. The values on the leaves must add up to 0, so the last one follows from the others."},
		{onStar == 6, "For a star with 4 leaves, you count 6, one for each pair of leaves. They are eigenvectors, but not independent: the difference of leaves 1 and 3 is that of 1 and 2 plus that of 2 and 3."},
		{onStar == 1, "For a star with 4 leaves, you count 1, as many as there are groups of leaves. A larger group has more independent eigenvectors."},
		{onStar != 3, fmt.Sprintf("For a star with 4 leaves, you count %d, want 3: node 0 is the center, the others are its leaves.", onStar)},
		{onPath != 0, fmt.Sprintf("For a path of 4 nodes, you count %d. It has two leaves, but they are leaves of different nodes: their difference is no eigenvector. Count for each node by itself.", onPath)},
		{onTwo != 3, fmt.Sprintf("For two stars, one with 2 leaves and one with 3, whose centers are linked, you count %d, want (2 − 1) + (3 − 1).", onTwo)},
		{onSquare != 0, fmt.Sprintf("For a square, you count %d. It has twins, but none of them is a leaf: with two neighbors each, their eigenvalue is 2/3.", onSquare)},
		{count(pair) != 0 || count(clique) != 0, "You count something in an isolated pair or in a triangle. Those twins are linked to each other, and their eigenvalue is 1."},
		{onG != want, fmt.Sprintf("Your function is right on small graphs, but on %s it counts %d instead of %d.", g.Name, onG, want)},
	})
}

// fromEdges returns a graph of n nodes without features.
func fromEdges(n int, edges ...[2]int32) *graph.Graph {
	var u, v []int32
	for _, e := range edges {
		u, v = append(u, e[0]), append(v, e[1])
	}
	return &graph.Graph{Name: "a small graph", Adjacency: must(graph.Adjacency(n, u, v, nil))}
}
