package gomlx_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
)

// Train on GoMLX's Go backend.
func ExampleOn() {
	ctx := context.Background()
	g, err := dataset.Load(ctx, "planted:n=300,classes=3,f=100", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	choice, err := backend.Resolve(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := encoder.Options{Config: encoder.Config{Dims: 16, Epochs: 5}, Backend: gomlx.On(choice)}
	r, err := encoder.Fit(ctx, g, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Backend, r.Embedding.Rows, r.Embedding.Cols)
	// Output: go 300 16
}
