package community_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
)

// Two triangles that one edge joins are two communities.
func ExampleLouvain() {
	a, err := graph.Adjacency(6, []int32{0, 1, 2, 3, 4, 5, 2}, []int32{1, 2, 0, 4, 5, 3, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	communities, err := community.Louvain(context.Background(), a, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(communities)
	// Output: [0 0 0 1 1 1]
}
