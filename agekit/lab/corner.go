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

// Corner returns a part of g that is small enough to draw: n nodes around one of them,
// with all edges between them, and the numbers that they have in g. Of up to a thousand
// such parts it takes the one that falls most clearly into three groups: the second and
// third eigenvalues of its own L̃sym are smallest, and no node is linked to more than a
// quarter of the others. It uses no features and no labels. If no connected component has
// n nodes, it returns the largest. The choice is stored for the next cell.
func Corner(g *graph.Graph, n int) (*graph.Graph, []int) {
	// The only error would be that of the function, which has none.
	nodes, _, _ := store.Cached(cell.Store(), store.NewKey("corner", version, g, n), func() ([]int, error) { return corner(g, n), nil })
	return g.Subgraph(nodes), nodes
}

// corner returns the nodes of the part that Corner takes.
func corner(g *graph.Graph, n int) (best []int) {
	const starts = 1000
	lowest := math.Inf(1)
	for start := 0; start < g.N(); start += max(1, g.N()/starts) {
		nodes := around(g, start, n)
		if len(nodes) < len(best) {
			continue
		}
		if value := unlikeGroups(g.Subgraph(nodes)); len(nodes) > len(best) || value < lowest {
			best, lowest = nodes, value
		}
	}
	return best
}

// around returns the n nodes nearest to start, or its whole component if that has fewer.
func around(g *graph.Graph, start, n int) []int {
	seen := map[int]bool{start: true}
	nodes := []int{start}
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

// unlikeGroups returns how far a small graph is from falling into three groups: λ₂ + λ₃, plus
// 2 if one node is linked to more than a quarter of the others.
func unlikeGroups(g *graph.Graph) float64 {
	var values mat.EigenSym
	if g.N() < 3 || !values.Factorize(LaplacianMatrix(g), false) {
		return math.Inf(1)
	}
	lambda := values.Values(nil)
	value := lambda[1] + lambda[2]
	for i := range g.N() {
		if 4*g.Degree(i) > g.N() {
			return value + 2
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

// Draw returns a drawing of a small connected graph. Pointing at a node shows its name, if
// it has one, its class and its degree. If g has more classes than there are colors, the
// drawing leaves out those without a node.
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

// nodeNames returns the name of each node, or its number, and its class if there are classes.
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

// occurring returns labels and names without the classes that have no node.
func occurring(labels []int, names []string) ([]int, []string) {
	classes, renumbered := graph.DistinctIDs(labels)
	var classNames []string
	for _, c := range classes {
		classNames = append(classNames, names[c])
	}
	return renumbered, classNames
}
