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
	for _, v := range r.Views {
		fmt.Printf("%s: ACC %.2f\n", v.Name, *v.ACC)
	}
	// Output:
	// features: ACC 0.82
	// edges: ACC 0.78
	// both: ACC 0.98
}
