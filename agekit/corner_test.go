package agekit

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
