package run_test

import (
	"context"
	"fmt"
	"strings"

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
	verdict, _, _ := strings.Cut(r.Verdict, ":") // then come the scores
	fmt.Printf("%d clusters, ACC %.2f\n%s\n", len(r.Clusters), *r.ACC, verdict)
	// Output:
	// 3 clusters, ACC 0.98
	// Training did not help here
}
