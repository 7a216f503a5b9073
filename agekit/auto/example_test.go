package auto_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
)

// Settings for penguins, chosen without their species.
func ExampleFit() {
	ctx := context.Background()
	penguins, err := input.Open(ctx, input.Source{
		Nodes: "../../assets/examples/penguins.csv", Edges: "../../assets/examples/penguins-edges.csv", Label: "species",
	})
	if err != nil {
		panic(err)
	}
	found, err := auto.Fit(ctx, penguins.Graph, auto.Options{Clusters: auto.Exactly(3), Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("ACC %.2f\n", metric.Accuracy(penguins.Graph.Labels, found.Result.Labels))
	// Output: ACC 0.98
}
