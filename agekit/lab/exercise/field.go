package exercise

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// field are the exercises of notebook 9.
var field = []exercise{
	{"9.1", answering("a number of communities", checkFewest),
		"Two groups without an edge between them never gain modularity by merging, so no community reaches over two components. That is why Louvain has many more communities than there are classes on a graph in pieces, and why its ACC, which pairs each class with one community, says little about it."},
	{"9.2", answering("two ACCs, []float64{weights alone, lengths alone}", checkWords),
		"The method is the same, and so are the papers and their words. Only the weights of the words and the lengths of the rows differ. Before you compare two methods in a table, ask whether they were given the same numbers."},
	{"9.3", answering("a function that returns X̃", checkMeanOfDepths),
		"Each power of S is the one before, multiplied once more, so all depths together cost no more than the deepest one alone."},
}

// checkFewest checks the fewest communities that Louvain's method can find in g: the number of
// connected components.
func checkFewest(g *graph.Graph, answer float64) string {
	s := g.Stats()
	fewest := float64(s.Components)
	return firstOf([]finding{
		{answer == fewest, ""},
		{answer == float64(g.Classes), "That is the number of classes. Louvain does not know it: it stops when no move and no merger raises the modularity."},
		{answer == float64(s.Components-s.Isolated), "That leaves out the nodes without any edge. Each of them is a community of its own, since it gains nothing from any other."},
		{answer == 1, "All nodes in one community have modularity 0, and Louvain merges two groups only if that raises it. Which groups never raise it?"},
		{answer == float64(s.Nodes), "That is how many communities Louvain begins with. How far can merging go?"},
		{answer < fewest, "It can never find that few. What does merging two groups without any edge between them do to the modularity?"},
		{true, "What you see in the cell does not guarantee that many. As long as an edge joins two groups, merging them may raise the modularity. Which groups can never merge?"},
	})
}

// checkWords checks the ACCs of K-means on g's words with only their weights changed, and with
// only the rows' lengths changed.
func checkWords(g *graph.Graph, answer []float64) string {
	if len(answer) != 2 {
		return fmt.Sprintf("There are %d numbers. Wanted are two: the ACC with the weights alone, and the one with the lengths alone.", len(answer))
	}
	weighted, scaled := wordsACC(g, weightsAlone), wordsACC(g, lengthsAlone)
	is := func(first, second float64) bool { return isPrinted(answer[0], first) && isPrinted(answer[1], second) }
	neither, both := wordsACC(g, wordChange{}), wordsACC(g, wordChange{weights: true, lengths: true})
	return firstOf([]finding{
		{is(weighted, scaled), ""},
		{is(scaled, weighted), "The two are in the wrong order: first the weights alone, then the lengths alone."},
		{is(100*weighted, 100*scaled), "These are percentages. ACC goes from 0 to 1."},
		{isPrinted(answer[0], both) || isPrinted(answer[1], both), "One of them is the ACC with both, as the cell stood. Set one of weights and lengths to false at a time."},
		{isPrinted(answer[0], neither) || isPrinted(answer[1], neither), "One of them is the ACC with neither. Set only one of weights and lengths to false at a time."},
		{isPrinted(answer[0], weighted), "The first is right. For the second, weights is false and lengths is true."},
		{isPrinted(answer[1], scaled), "The second is right. For the first, weights is true and lengths is false."},
		{true, fmt.Sprintf("K-means does not have %.4g and %.4g. Change only weights and lengths, and leave the rest of the cell as it is.", answer[0], answer[1])},
	})
}

// wordChange says which changes notebook 9 makes to the words of g: weights multiplies each word
// by the logarithm of how rare it is, and lengths scales the rows to length 1.
type wordChange struct{ weights, lengths bool }

var weightsAlone, lengthsAlone = wordChange{weights: true}, wordChange{lengths: true}

// wordsACC returns the ACC of K-means on the changed words of g. It is computed once for each
// graph and change.
func wordsACC(g *graph.Graph, change wordChange) float64 {
	type key struct {
		g      *graph.Graph
		change wordChange
	}
	once, _ := wordsACCs.LoadOrStore(key{g: g, change: change}, sync.OnceValue(func() float64 { return computeWordsACC(g, change) }))
	return once.(func() float64)()
}

// wordsACCs has, for each graph and change, a function that computes the ACC in its first call.
var wordsACCs sync.Map

// computeWordsACC returns what [wordsACC] returns.
func computeWordsACC(g *graph.Graph, change wordChange) float64 {
	x := g.Features.ToDense()
	if change.weights {
		for j := range x.Cols {
			withWord := 0.0 // nodes
			for i := range x.Rows {
				if x.Data[i*x.Stride+j] != 0 {
					withWord++
				}
			}
			for i := range x.Rows {
				if v := &x.Data[i*x.Stride+j]; *v != 0 {
					*v *= float32(math.Log(float64(x.Rows) / withWord))
				}
			}
		}
	}
	// The arithmetic is that of the notebook: with another rounding, K-means may find other clusters.
	for i := 0; change.lengths && i < x.Rows; i++ {
		row := blas32.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride:]}
		if length := blas32.Nrm2(row); length > 0 {
			blas32.Scal(1/length, row)
		}
	}
	changed := *g
	changed.Features = graph.Features{Dense: &x}
	kMeans := must(method.New("K-means", method.Settings{}))
	output := must(kMeans.Fit(context.Background(), &changed, method.Options{Clusters: g.Classes, Seed: 11}))
	return metric.Accuracy(g.Labels, output.Clusters)
}

// checkMeanOfDepths compares the embeddings that a student's function returns with those of SSGC,
// the mean of (1−α)SᵗX + αX over t = 1, …, K, and with those of typical mistakes.
func checkMeanOfDepths(g *graph.Graph, answer func(s, x *mat.Dense, depth int, alpha float64) *mat.Dense) string {
	const alpha = 0.2
	embed := func(s, x *mat.Dense, depth int) *mat.Dense { return answer(s, x, depth, alpha) }
	return onSmallFilters(g, embed, func(got, s, x *mat.Dense, depth int) string {
		is := func(want *mat.Dense) bool { return mat.EqualApprox(got, want, 1e-9) }
		powers := []*mat.Dense{x} // SᵗX for t = 0, …, K
		again := x                // a mistake: X is mixed in after each layer, and smoothed again
		var layers []*mat.Dense   // again after each layer
		for t := range depth {
			powers = append(powers, times(s, powers[t]))
			again = meanOfDepths([]*mat.Dense{times(s, again)}, x, alpha)
			layers = append(layers, again)
		}
		return firstOf([]finding{
			{is(meanOfDepths(powers[1:], x, alpha)), ""},
			{is(meanOfDepths(powers[1:], x, 0)), "The raw features are missing: αX belongs to every term of the mean."},
			{is(meanOfDepths(powers[1:], x, 1-alpha)), "The two weights are exchanged: the smoothed features weigh 1 − α, the raw ones α."},
			{is(meanOfDepths(powers, x, alpha)), "The mean includes t = 0. It goes from 1 to K."},
			{is(meanOfDepths(powers[depth:], x, alpha)), "That is the deepest term alone. SSGC is the mean over all depths."},
			{is(scaled(float64(depth), meanOfDepths(powers[1:], x, alpha))), fmt.Sprintf("That is the sum. Divide by K = %d for the mean.", depth)},
			{is(again) || is(meanOfDepths(layers, x, 0)), "X is mixed in before the next layer, so it is smoothed again. In SSGC, the layers are those of X alone, and αX is added to each afterwards."},
			{true, fmt.Sprintf("With K = %d, the result is not the mean of (1−α)SᵗX + αX over t = 1, …, K. Compute SᵗX in a loop, and add each to a sum.", depth)},
		})
	})
}

// meanOfDepths returns the mean of (1−α)·layer + αX over the layers.
func meanOfDepths(layers []*mat.Dense, x *mat.Dense, alpha float64) *mat.Dense {
	mean := scaled(alpha, x)
	for _, layer := range layers {
		mean.Add(mean, scaled((1-alpha)/float64(len(layers)), layer))
	}
	return mean
}

// scaled returns m times a number.
func scaled(by float64, m *mat.Dense) *mat.Dense {
	var product mat.Dense
	product.Scale(by, m)
	return &product
}
