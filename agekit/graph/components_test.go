package graph_test

import (
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"pgregory.net/rapid"
)

// TestComponents compares the components of random graphs with the paths that Warshall's algorithm
// finds: two nodes are in the same component if and only if there is a path between them. Components
// are numbered in the order of their first nodes, and their number is returned.
func TestComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		ends := rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), 0, 12)
		u := ends.Draw(t, "u")
		v := rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), len(u), len(u)).Draw(t, "v")
		a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
		path := make([][]bool, n)
		for i := range n {
			path[i] = make([]bool, n)
			for j := range n {
				path[i][j] = i == j || a.At(i, j) != 0
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					path[i][j] = path[i][j] || (path[i][k] && path[k][j])
				}
			}
		}
		component, count := a.Components()
		next := int32(0)
		for i := range n {
			if component[i] > next {
				t.Fatalf("components %v are not in the order of their first nodes", component)
			}
			next = max(next, component[i]+1)
			for j := range n {
				if (component[i] == component[j]) != path[i][j] {
					t.Fatalf("nodes %d and %d: components %v, path %v", i, j, component, path[i][j])
				}
			}
		}
		if int(next) != count {
			t.Fatalf("%d components, want %d", count, next)
		}
	})
}
