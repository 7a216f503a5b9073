package lab

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCorner: the corner of Cora that the notebooks draw has 60 nodes in one component, with
// their classes in Cora and none linked to more than a quarter of them. It can be drawn. A
// corner of a graph with fewer nodes has no more than that graph.
func TestCorner(t *testing.T) {
	const n = 60
	g := cora()
	c, nodes := Corner(g, n)
	if c.N() != n || len(nodes) != n || c.Stats().Components != 1 {
		t.Fatalf("%d nodes in %d components: want 60 in one", c.N(), c.Stats().Components)
	}
	for i, v := range nodes {
		if c.Labels[i] != g.Labels[v] {
			t.Errorf("node %d is node %d, but has class %d instead of %d", i, v, c.Labels[i], g.Labels[v])
		}
		if 4*c.Degree(i) > n {
			t.Errorf("node %d has degree %d", i, c.Degree(i))
		}
	}
	if d := Draw(c); len(d.Edges) != c.Edges() || len(d.Names) != n {
		t.Errorf("a drawing of %d edges and %d names", len(d.Edges), len(d.Names))
	}
	if c, _ := Corner(g.Subgraph([]int{1, 2, 3, 4, 5}), n); c.N() > 5 {
		t.Errorf("a corner of %d nodes in a graph of 5", c.N())
	}
}

// TestLaplacianMatrix compares the matrix of a corner of Cora with the definition of L̃sym,
// I − D^-½(A+I)D^-½ with the row sums D of A+I, computed densely.
func TestLaplacianMatrix(t *testing.T) {
	g, _ := Corner(cora(), 20)
	n := g.N()
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, float64(g.Adjacency.At(i, j)))
		}
		a.Set(i, i, 1)
	}
	ones := mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	var degree mat.VecDense
	degree.MulVec(a, ones)
	var l mat.Dense
	l.Apply(func(i, j int, v float64) float64 {
		v /= -math.Sqrt(degree.AtVec(i) * degree.AtVec(j))
		if i == j {
			v++
		}
		return v
	}, a)
	if !mat.EqualApprox(&l, LaplacianMatrix(g), 1e-6) {
		t.Error("the matrix differs from I − D^-½(A+I)D^-½ by more than 1e-6")
	}
}

// TestLaplacianOf compares the matrix with loops with [LaplacianMatrix], and largest
// eigenvalues with known ones. Without loops, these are 2 for a bipartite graph and n/(n − 1)
// for the complete graph of n nodes (Chung, "Spectral Graph Theory", 1997, lemma 1.7 and
// example 1.1). With loops, a graph in which all nodes have d neighbors has the eigenvalue
// 1 − (1 + μ)/(d + 1) for each eigenvalue μ of A. If the graph is bipartite, the least μ is
// −d, so the largest eigenvalue is 2d/(d + 1). The triangle has the least μ = −1.
func TestLaplacianOf(t *testing.T) {
	c, _ := Corner(cora(), 60)
	if !mat.EqualApprox(LaplacianMatrix(c), LaplacianOf(c.N(), Draw(c).Edges, 1), 1e-6) {
		t.Error("with loops, the matrix differs from the operator's by more than 1e-6")
	}
	cube := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
	for _, test := range []struct {
		name           string
		n              int
		edges          [][2]int
		without, loops float64 // the largest eigenvalue without and with loops
	}{
		{"pair", 2, cube[:1], 2, 1},
		{"square", 4, cube[:4], 2, 4. / 3},
		{"cube", 8, cube, 2, 3. / 2},
		{"triangle", 3, [][2]int{{0, 1}, {1, 2}, {2, 0}}, 3. / 2, 1},
	} {
		near(t, test.name+" without loops", highest(t, LaplacianOf(test.n, test.edges, 0)), test.without, 1e-12)
		near(t, test.name+" with loops", highest(t, LaplacianOf(test.n, test.edges, 1)), test.loops, 1e-12)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a node without neighbors and without a loop")
		}
	}()
	LaplacianOf(3, cube[:1], 0)
}

// highest returns the largest eigenvalue of a symmetric matrix.
func highest(t *testing.T, l *mat.SymDense) float64 {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(l, false) {
		t.Fatal("no eigenvalues")
	}
	values := e.Values(nil)
	return values[len(values)-1]
}
