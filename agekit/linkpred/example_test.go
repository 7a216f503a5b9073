package linkpred_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/linkpred"
)

// Train briefly on Cora with 15 % of its edges held out, then predict them.
func ExampleFit() {
	ctx := context.Background()
	g, err := dataset.Load(ctx, "cora", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	split, err := linkpred.NewSplit(g, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := linkpred.Fit(ctx, split, encoder.Options{Config: encoder.Config{Epochs: 10, Seed: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d edges predicted, AUC above 0.9: %t\n", len(split.Test.Edges), r.Test.AUC > 0.9)
	// Output: 527 edges predicted, AUC above 0.9: true
}
