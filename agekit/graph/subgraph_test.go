package graph_test

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestSubgraph compares the subgraph of 300 random nodes of Cora with the whole graph, in every form in
// which a graph is stored: each entry of the adjacency matrix, each feature, and the nodes' classes and
// names. A node that is given twice is a panic.
func TestSubgraph(t *testing.T) {
	whole := testutil.LoadGraph(t, "cora")
	whole.NodeNames = make([]string, whole.N())
	for i := range whole.NodeNames {
		whole.NodeNames[i] = string(rune('a' + i))
	}
	for name, g := range testutil.GraphForms(whole) {
		t.Run(name, func(t *testing.T) {
			nodes := rand.New(rand.NewPCG(1, 0)).Perm(g.N())[:300]
			s := g.Subgraph(nodes)
			testutil.NoError(t, s.Validate())
			x, all := s.Features.ToDense(), g.Features.ToDense()
			for i, u := range nodes {
				for j, v := range nodes {
					if got, want := s.Adjacency.At(i, j), g.Adjacency.At(u, v); got != want {
						t.Fatalf("entry (%d, %d) is %v: want %v", i, j, got, want)
					}
				}
				for j := range all.Cols {
					if got, want := x.Data[i*x.Stride+j], all.Data[u*all.Stride+j]; got != want {
						t.Fatalf("feature %d of node %d is %v: want %v", j, u, got, want)
					}
				}
				if s.Labels[i] != g.Labels[u] || s.NodeNames[i] != g.NodeNames[u] {
					t.Fatalf("node %d has class %d and name %q: want %d and %q", u, s.Labels[i], s.NodeNames[i], g.Labels[u], g.NodeNames[u])
				}
			}
			if s.Edges() == 0 { // a precondition
				t.Error("no edges: the test shows nothing")
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a node that is given twice")
		}
	}()
	_ = (&graph.Graph{Adjacency: whole.Adjacency}).Subgraph([]int{3, 3})
}
