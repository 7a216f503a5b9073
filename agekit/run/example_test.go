package run_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
)

func ExampleFit() {
	penguins, err := input.Open(context.Background(), input.Source{
		Nodes: "../../assets/examples/penguins.csv", Edges: "../../assets/examples/penguins-edges.csv", Label: "species",
	})
	if err != nil {
		panic(err)
	}
	r, err := run.Fit(context.Background(), penguins, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d clusters, ACC %.3f\n%s\n", len(r.Clusters), *r.ACC, r.Verdict)
	// Output:
	// 3 clusters, ACC 0.971
	// Training did not help here: short training, t 4, wide pairs (k-means by cosine) scores 3.13, edges alone (spectral) 3.62.
}
