package laplacian_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// The largest eigenvalue of Cora's Laplacian, and the filter's k that follows
// from it.
func ExampleLambdaMax() {
	ctx := context.Background()
	g, err := dataset.Load(ctx, "cora", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	largest, err := laplacian.LambdaMax(ctx, laplacian.New(g.Adjacency))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("λmax = %.5f, k = 1/λmax = %.5f\n", largest, 1/largest)
	// Output: λmax = 1.48263, k = 1/λmax = 0.67448
}

// L̃sym of the complete graph on three nodes is I − ⅓·ones.
func ExampleEigenvalues() {
	adjacency, err := graph.Adjacency(3, []int32{0, 1, 2}, []int32{1, 2, 0}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := laplacian.Eigenvalues(context.Background(), laplacian.New(adjacency))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(laplacian.Histogram(values, 2, 0, 2), "eigenvalues below 1 and at or above 1")
	fmt.Printf("the largest is %.4f\n", values[2])
	// Output:
	// [1 2] eigenvalues below 1 and at or above 1
	// the largest is 1.0000
}
