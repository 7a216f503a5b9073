package auto_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
)

// Settings for a club, chosen without its members' sides.
func ExampleFit() {
	ctx := context.Background()
	karate, err := input.Open(ctx, input.Source{Graph: "../../assets/examples/karate.graphml", Label: "club"})
	if err != nil {
		panic(err)
	}
	found, err := auto.Fit(ctx, karate.Graph, auto.Options{Clusters: auto.Exactly(2), Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("ACC %.2f\n", metric.Accuracy(karate.Graph.Labels, found.Result.Labels))
	// Output: ACC 0.97
}
