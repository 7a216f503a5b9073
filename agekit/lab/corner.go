package lab

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/mat"
)

// Corner returns a part of g that is small enough to draw, and the numbers in g of the part's
// nodes. A part has n nodes, which are the nearest to one of them, and all edges between
// these. Of up to about a thousand parts, Corner takes the one that falls most clearly into
// three groups: the sum of the second and third eigenvalues of the part's own L̃sym is
// smallest, and, if possible, no node is linked to more than a quarter of the nodes. It uses
// no features and no labels. If no connected component has n nodes, Corner returns the
// largest component among these. The choice is stored for the next cell.
func Corner(g *graph.Graph, n int) (*graph.Graph, []int) {
	// The only error that Cached could return is that of the function, which is always nil.
	nodes, _, _ := store.Cached(cell.Store(), store.NewKey("corner", version, g, n), func() ([]int, error) { return corner(g, n), nil })
	return g.Subgraph(nodes), nodes
}

// corner returns the nodes of the part that [Corner] takes.
func corner(g *graph.Graph, n int) (best []int) {
	const starts = 1000 // nodes whose surroundings are compared, evenly spaced among all
	lowest := math.Inf(1)
	for start := 0; start < g.N(); start += max(1, g.N()/starts) {
		nodes := around(g, start, n)
		if len(nodes) < len(best) {
			continue
		}
		value := unlikeGroups(g.Subgraph(nodes))
		isLarger := len(nodes) > len(best)
		if isLarger || value < lowest {
			best, lowest = nodes, value
		}
	}
	return best
}

// around returns the n nodes nearest to start by the number of edges, start first, or all
// nodes of its component if that has fewer.
func around(g *graph.Graph, start, n int) []int {
	seen := map[int]bool{start: true}
	nodes := []int{start} // also the queue of a breadth-first search
	for k := 0; k < len(nodes); k++ {
		for j := range g.Adjacency.Each(nodes[k]) {
			if len(nodes) == n {
				return nodes
			}
			if !seen[j] {
				seen[j] = true
				nodes = append(nodes, j)
			}
		}
	}
	return nodes
}

// unlikeGroups returns how far a small graph is from falling into three groups: λ₂ + λ₃ of its
// L̃sym, plus a penalty if one node is linked to more than a quarter of the nodes. A graph of
// fewer than three nodes is infinitely far.
func unlikeGroups(g *graph.Graph) float64 {
	var values mat.EigenSym
	if g.N() < 3 || !values.Factorize(LaplacianMatrix(g), false) {
		return math.Inf(1)
	}
	const penalty = 2
	lambda := values.Values(nil) // in increasing order: λ₁ is lambda[0]
	value := lambda[1] + lambda[2]
	for i := range g.N() {
		if 4*g.Degree(i) > g.N() {
			return value + penalty
		}
	}
	return value
}

// LaplacianMatrix returns L̃sym of a small graph as a dense matrix, n×n. All other
// functions use the operator [agekit.Laplacian], which stores nothing of that size.
func LaplacianMatrix(g *graph.Graph) *mat.SymDense { return agekit.Laplacian(g).Dense() }

// LaplacianOf returns I − D^-½(A + loop·I)D^-½ of a small graph with the given
// edges, where D has the row sums of A + loop·I. With a loop of 1 this is L̃sym, as
// from [LaplacianMatrix]; with 0 it is the Laplacian without self loops. It panics
// if a node has neither a neighbor nor a loop.
func LaplacianOf(n int, edges [][2]int, loop float64) *mat.SymDense {
	l, degree := mat.NewSymDense(n, nil), make([]float64, n)
	for i := range n {
		l.SetSym(i, i, loop)
		degree[i] = loop
	}
	for _, e := range edges {
		l.SetSym(e[0], e[1], 1)
		degree[e[0]]++
		degree[e[1]]++
	}
	for i := range n {
		if degree[i] == 0 {
			panic("lab: a node without neighbors and without a self loop has no Laplacian")
		}
		for j := range i + 1 {
			l.SetSym(i, j, -l.At(i, j)/math.Sqrt(degree[i]*degree[j]))
		}
		l.SetSym(i, i, 1+l.At(i, i))
	}
	return l
}

// Draw returns a drawing of a small connected graph. Pointing at a node shows its name or its
// number, its class and its degree. If g has more classes than there are colors, the drawing
// leaves out the classes without a node.
func Draw(g *graph.Graph) figure.Drawing {
	names := nodeNames(g)
	var edges [][2]int
	for i := range g.N() {
		names[i] += fmt.Sprint(", degree ", g.Degree(i))
		for j := range g.Adjacency.Each(i) {
			if i < j {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	d := figure.Draw(g.N(), edges)
	d.Names = names
	d.Classes, d.ClassNames, _ = graph.ShownClasses(g)
	if g.Classes > palette.DistinctColors {
		d.Classes, d.ClassNames = occurring(d.Classes, d.ClassNames)
	}
	return d
}

// nodeNames returns a text for each node: its name, or "node" and its number, and, if there are
// classes, the name of its class.
func nodeNames(g *graph.Graph) []string {
	classes, classNames, _ := graph.ShownClasses(g)
	names := make([]string, g.N())
	for i := range names {
		names[i] = fmt.Sprint("node ", i)
		if g.NodeNames != nil {
			names[i] = g.NodeNames[i]
		}
		if classes != nil {
			names[i] += ", " + classNames[classes[i]]
		}
	}
	return names
}

// occurring leaves out the classes that have no node: it returns the nodes' labels as indices
// of the remaining names, and these names.
func occurring(labels []int, names []string) ([]int, []string) {
	classes, renumbered := graph.DistinctIDs(labels)
	var classNames []string
	for _, c := range classes {
		classNames = append(classNames, names[c])
	}
	return renumbered, classNames
}
