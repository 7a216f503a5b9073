package agekit

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

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
