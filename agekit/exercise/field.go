package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/mat"
)

// field are the exercises of notebook 9.
var field = []exercise{
	{
		ID: "9.1", Kind: predict,
		Takeaway: "Two groups without an edge between them never gain modularity by merging, so no community reaches over two components. That is why Louvain has many more communities than there are classes on a graph in pieces, and why its ACC, which pairs each class with one community, says little about it.",
		check:    answering("a number of communities", checkFewest),
	},
	{
		ID: "9.2", Kind: change,
		Takeaway: "The method is the same, and so are the papers and their words. Only the weights of the words and the lengths of the rows differ. Before you compare two methods in a table, ask whether they were given the same numbers.",
		check:    answering("the ACC of K-means as published", checkPublished),
	},
	{
		ID: "9.3", Kind: build,
		Takeaway: "Each power of S is the one before, multiplied once more, so all depths together cost no more than the deepest one alone.",
		check:    answering("a function that returns X̃", checkMeanOfDepths),
	},
}

func checkFewest(g *graph.Graph, answer float64) string {
	s := g.Stats()
	switch fewest := float64(s.Components); {
	case answer == fewest:
		return ""
	case answer == float64(g.Classes):
		return "That is the number of classes. Louvain does not know it: it stops when no move and no merger raises the modularity."
	case answer == float64(s.Components-s.Isolated):
		return "That leaves out the nodes without any edge. Each of them is a community of its own, since it gains nothing from any other."
	case answer == 1:
		return "All nodes in one community have modularity 0, and Louvain merges two groups only if that raises it. Which groups never raise it?"
	case answer == float64(s.Nodes):
		return "That is how many communities Louvain begins with. How far can merging go?"
	case answer < fewest:
		return "It can never find that few. What does merging two groups without any edge between them do to the modularity?"
	}
	return "What you see in the cell does not guarantee that many. As long as an edge joins two groups, merging them may raise the modularity. Which groups can never merge?"
}

func checkPublished(g *graph.Graph, answer float64) string {
	const tolerance = 0.002 // the last digit that the cell prints, and rounding
	near := func(value float64) bool { return math.Abs(answer-value) <= tolerance }
	scores := map[experiment.Mode]map[string]float64{}
	for _, mode := range []experiment.Mode{experiment.Paper, experiment.Published} {
		record, err := agekit.Reproduce(experiment.Run{
			Task: experiment.Clustering, Dataset: g.Name, Method: "K-means", Mode: mode, Seed: 11,
		})
		if err != nil {
			return err.Error()
		}
		scores[mode] = record.Scores
	}
	published := scores[experiment.Published]
	switch {
	case near(published["ACC"]):
		return ""
	case near(scores[experiment.Paper]["ACC"]):
		return "That is the fair reading, the cell as it stood. Change Mode."
	case near(published["NMI"]):
		return "That is NMI. The question is about ACC."
	case near(published["ARI"]):
		return "That is ARI. The question is about ACC."
	case math.Abs(answer-100*published["ACC"]) <= 100*tolerance:
		return "That is in percent. ACC goes from 0 to 1."
	case near(published["ACC"] - scores[experiment.Paper]["ACC"]):
		return "That is the difference between the two readings. The question is about the published one."
	}
	return fmt.Sprintf("K-means in the published reading with seed 11 does not have ACC %.4g. Change only Mode, and leave the rest of the cell as it is.", answer)
}

// depthsFunc computes the embedding of SSGC.
type depthsFunc = func(s, x *mat.Dense, depth int, alpha float64) *mat.Dense

func checkMeanOfDepths(g *graph.Graph, answer depthsFunc) string {
	for _, s := range smallFilters(g) {
		n, _ := s.Dims()
		x := random(n, 4, rand.New(rand.NewPCG(1, 0)))
		for _, depth := range []int{3, 1, 2} {
			if wrong := tryDepths(answer, s, x, depth, 0.2); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// tryDepths compares a student's embedding with the definition, and with those
// of typical mistakes.
func tryDepths(answer depthsFunc, s, x *mat.Dense, depth int, alpha float64) string {
	before, filter := mat.DenseCopyOf(x), mat.DenseCopyOf(s)
	got := answer(filter, x, depth, alpha)
	if wrong := misuse(got, x, before, s, filter); wrong != "" {
		return wrong
	}
	is := func(want *mat.Dense) bool { return mat.EqualApprox(got, want, 1e-9) }
	powers := []*mat.Dense{x} // SᵗX
	for range depth {
		powers = append(powers, times(s, powers[len(powers)-1]))
	}
	switch {
	case is(meanOfDepths(powers[1:], x, alpha)):
		return ""
	case is(meanOfDepths(powers[1:], x, 0)):
		return "The raw features are missing: αX belongs to every term of the mean."
	case is(meanOfDepths(powers[1:], x, 1-alpha)):
		return "The two weights are exchanged: the smoothed features weigh 1 − α, the raw ones α."
	case is(meanOfDepths(powers, x, alpha)):
		return "The mean includes t = 0. It goes from 1 to K."
	case is(meanOfDepths(powers[len(powers)-1:], x, alpha)):
		return "That is the deepest term alone. SSGC is the mean over all depths."
	case is(scaled(float64(depth), meanOfDepths(powers[1:], x, alpha))):
		return fmt.Sprintf("That is the sum. Divide by K = %d for the mean.", depth)
	}
	again := mat.DenseCopyOf(x) // smoothed with X mixed in after each layer
	var layers []*mat.Dense
	for range depth {
		again = meanOfDepths([]*mat.Dense{times(s, again)}, x, alpha)
		layers = append(layers, again)
	}
	if is(again) || is(meanOfDepths(layers, x, 0)) {
		return "X is mixed in before the next layer, so it is smoothed again. In SSGC, the layers are those of X alone, and αX is added to each afterwards."
	}
	return fmt.Sprintf("With K = %d, the result is not the mean of (1−α)SᵗX + αX over t = 1, …, K. Compute SᵗX in a loop, and add each to a sum.", depth)
}

// meanOfDepths returns the mean of (1−α)·layer + αX over the layers.
func meanOfDepths(layers []*mat.Dense, x *mat.Dense, alpha float64) *mat.Dense {
	mean := scaled(alpha, x)
	for _, layer := range layers {
		mean.Add(mean, scaled((1-alpha)/float64(len(layers)), layer))
	}
	return mean
}

func scaled(by float64, m *mat.Dense) *mat.Dense {
	var product mat.Dense
	product.Scale(by, m)
	return &product
}
