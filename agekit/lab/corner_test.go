package lab

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCorner looks at the corner of Cora that the notebooks draw.
func TestCorner(t *testing.T) {
	g := cora()
	c, nodes := Corner(g, 60)
	if c.N() != 60 || len(nodes) != 60 || c.Stats().Components != 1 {
		t.Fatalf("%d nodes in %d components: want 60 in one", c.N(), c.Stats().Components)
	}
	for i, v := range nodes {
		if c.Labels[i] != g.Labels[v] || 4*c.Degree(i) > 60 {
			t.Errorf("node %d is node %d with class %d and degree %d", i, v, c.Labels[i], c.Degree(i))
		}
	}
	if d := Draw(c); len(d.Edges) != c.Edges() || len(d.Names) != 60 {
		t.Errorf("a drawing of %d edges and %d names", len(d.Edges), len(d.Names))
	}
	// Most components of Cora are smaller.
	if c, _ := Corner(g.Subgraph([]int{1, 2, 3, 4, 5}), 60); c.N() > 5 {
		t.Errorf("a corner of %d nodes in a graph of 5", c.N())
	}
}

// TestLaplacianMatrix compares the matrix with its definition.
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

// TestLaplacianOf compares the matrix with loops with the operator's, and the
// largest eigenvalue without them with what is known: 2 for bipartite graphs,
// n/(n − 1) for the complete graph of n nodes (Chung, "Spectral Graph Theory", 1997,
// lemma 1.7 and example 1.1). With a loop, a graph in which all nodes have d
// neighbors has 1 − (1 + μ)/(d + 1) for each eigenvalue μ of A, and −d is one if it
// is bipartite.
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
		without, loops float64
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
