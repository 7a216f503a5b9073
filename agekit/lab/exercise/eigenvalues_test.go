package exercise

import (
	"math"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"gonum.org/v1/gonum/mat"
)

var eigenvaluesAnswers = []answers{
	{
		id: "2.1",
		// Two layers on a path of three nodes, whose ends are leaves of the middle.
		right: func(*graph.Graph) any {
			l := lab.LaplacianMatrix(fromEdges(3, [2]int32{0, 1}, [2]int32{1, 2}))
			x := mat.NewVecDense(3, []float64{1, 0, -1})
			for range 2 {
				var lx mat.VecDense
				lx.MulVec(l, x)
				x.AddScaledVec(x, -0.6, &lx)
			}
			return x.AtVec(0)
		},
		wrong: []mistake{
			{constant(0.7), "one layer leaves"},
			{constant(0.09), "the part that a layer takes away"},
			{constant(0.51), "the two layers take away"},
			{constant(0.16), "linked twins"},
			{constant(0.4), "what the first layer left"},
			{constant(1.4), "factors multiply"},
			{constant(0.25), "I − k·L̃sym"},
			{constant(49.0), "a percentage"},
			{constant(2.0), "would not make the difference smaller"},
			{constant(-0.49), "change places"},
			{constant(0.5), "step by step"},
			{constant("1"), "of type string"},
		},
	},
	{
		id:    "2.2",
		right: func(g *graph.Graph) any { return layersByRank(g, 1, 0.01) },
		wrong: []mistake{
			{constant(-1), "at least one layer"},
			{constant(1), "less than half"},
			{func(g *graph.Graph) any { return layersByRank(g, 1, 0.1) }, "the square"},
			{func(g *graph.Graph) any { return layersByRank(g, agekit.Must(agekit.LambdaMax(g)), 0.01) }, "the answer for k = 1"},
			{func(g *graph.Graph) any { return layersByRank(g, agekit.Must(agekit.LambdaMax(g))/2, 0.01) }, "the answer for k = ½"},
			{func(g *graph.Graph) any { return layersByRank(g, 1, 0.01) + 1 }, "one layer less"},
			{constant(100), "more than needed"},
			{constant(7.0), "of type float64"},
		},
	},
	{
		id: "2.3",
		right: func(*graph.Graph) any {
			return func(g *graph.Graph) int {
				return overNodes(g, func(leaves int) int { return max(0, leaves-1) })
			}
		},
		wrong: []mistake{
			{counting(func(*graph.Graph) int { return 0 }), "There is no answer yet."},
			{counting(func(g *graph.Graph) int { return overNodes(g, func(leaves int) int { return leaves }) }), "as many as there are leaves"},
			{counting(func(g *graph.Graph) int { return overNodes(g, func(leaves int) int { return leaves - 1 }) }), "takes nothing away"},
			{counting(func(g *graph.Graph) int {
				return overNodes(g, func(leaves int) int { return leaves * (leaves - 1) / 2 })
			}), "for each pair of leaves"},
			{counting(func(g *graph.Graph) int { return overNodes(g, func(leaves int) int { return min(1, leaves/2) }) }), "groups of leaves"},
			{counting(func(g *graph.Graph) int { return max(0, overNodes(g, func(leaves int) int { return leaves })-1) }), "leaves of different nodes"},
			{counting(func(g *graph.Graph) int { return 3 * overNodes(g, func(leaves int) int { return leaves / 4 }) }), "want (2 − 1) + (3 − 1)"},
			{counting(func(g *graph.Graph) int { return unlinkedTwins(g) }), "their eigenvalue is 2/3"},
			{counting(func(g *graph.Graph) int {
				if g.N() == 2 {
					return 1
				}
				return overNodes(g, func(leaves int) int { return max(0, leaves-1) })
			}), "linked to each other"},
			{counting(atHalf), "instead of 62"},
			{counting(func(g *graph.Graph) int { return g.Degree(g.N()) }), "panics"},
		},
	},
}

// counting returns an answer to exercise 2.3 that is the function f.
func counting(f func(*graph.Graph) int) func(*graph.Graph) any { return constant(f) }

// overNodes returns the sum, over all nodes, of f of the number of leaves at the node.
func overNodes(g *graph.Graph, f func(leaves int) int) int {
	sum := 0
	for i := range g.N() {
		neighbors, _ := g.Adjacency.Row(i)
		leaves := 0
		for _, j := range neighbors {
			if g.Degree(int(j)) == 1 {
				leaves++
			}
		}
		sum += f(leaves)
	}
	return sum
}

// unlinkedTwins returns the number of nodes for which an earlier node has the same neighbors.
func unlinkedTwins(g *graph.Graph) int {
	count := 0
	for i := range g.N() {
		row, _ := g.Adjacency.Row(i)
		for j := range i {
			if other, _ := g.Adjacency.Row(j); slices.Equal(row, other) {
				count++
				break
			}
		}
	}
	return count
}

// atHalf returns the number of all eigenvalues ½, whatever explains them.
func atHalf(g *graph.Graph) int {
	count := 0
	if g.Features.Dense == nil && g.Features.Sparse == nil { // a small graph of the check
		var values mat.EigenSym
		values.Factorize(lab.LaplacianMatrix(g), false)
		for _, v := range values.Values(nil) {
			if math.Abs(v-0.5) < 1e-9 {
				count++
			}
		}
		return count
	}
	for _, v := range agekit.Must(agekit.Eigenvalues(g)) {
		if math.Abs(v-0.5) < 1e-9 {
			count++
		}
	}
	return count
}

// layersByRank returns an answer to exercise 2.2: the smallest t with which at least half of the
// amplitudes |1 − f·λ/λmax|ᵗ are below the limit. Other than the check, it does not try
// numbers of layers: by a logarithm, t follows from the amplitude of one layer in the middle
// of all.
func layersByRank(g *graph.Graph, f, limit float64) int {
	values := agekit.Must(agekit.Eigenvalues(g))
	var amplitudes []float64
	for _, v := range values {
		amplitudes = append(amplitudes, math.Abs(1-f*v/values[len(values)-1]))
	}
	slices.Sort(amplitudes)
	middle := amplitudes[(len(amplitudes)+1)/2-1]
	return int(math.Floor(math.Log(limit)/math.Log(middle))) + 1
}
