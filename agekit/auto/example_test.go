package auto_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/dataset"
)

func ExampleCount() {
	g, err := dataset.Planted(context.Background(), dataset.PlantedConfig{Nodes: 300, Classes: 4, MeanDegree: 6, Features: 100, Topic: 0.5, Seed: 1})
	if err != nil {
		panic(err)
	}
	k, numbers, err := auto.Count(context.Background(), g, auto.Range{Least: 2, Most: 8}, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(k, "clusters, of", len(numbers), "numbers")
	// Output: 4 clusters, of 7 numbers
}
