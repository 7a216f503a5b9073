package graph_test

import (
	"fmt"

	"github.com/agekit/age/agekit/graph"
)

// A path of four nodes and an isolated node. The edge listed in both
// directions counts once; the self loop is dropped.
func Example() {
	u, v := []int32{0, 1, 1, 2, 3}, []int32{1, 0, 2, 3, 3}
	adjacency, err := graph.Adjacency(5, u, v, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	features := graph.FromEntries(5, 2, []graph.Entry{{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 0, Value: 1}, {Row: 3, Col: 1, Value: 1}})
	g := &graph.Graph{Name: "path", Adjacency: adjacency, Features: graph.Features{Sparse: features}, ListedEdges: len(u)}
	if err := g.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	neighbors, _ := g.Adjacency.Row(1)
	fmt.Println(g.N(), "nodes,", g.Edges(), "edges, neighbors of node 1:", neighbors)
	s := g.Stats()
	fmt.Println(s.Components, "components,", s.Isolated, "isolated node,", s.ZeroRows, "nodes without a feature")
	// Output:
	// 5 nodes, 3 edges, neighbors of node 1: [0 2]
	// 2 components, 1 isolated node, 2 nodes without a feature
}
