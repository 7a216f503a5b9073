package encoder_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/metric"
)

// Train on a generated graph, save the encoder, and embed another graph that
// has the same features.
func Example() {
	ctx := context.Background()
	planted := func(seed int) string {
		return fmt.Sprintf("planted:n=1000,classes=4,f=200,homophily=0.9,seed=%d", seed)
	}
	g, err := dataset.Load(ctx, planted(1), dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	o := encoder.Options{Config: encoder.Config{Epochs: 20, Seed: 1}}
	r, err := encoder.Fit(ctx, g, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ACC above 0.9:", metric.Accuracy(g.Labels, r.Labels) > 0.9)

	path := filepath.Join(os.TempDir(), "example-model.npz")
	defer os.Remove(path)
	if err := r.Encoder.Save(path); err != nil {
		log.Fatal(err)
	}
	e, err := encoder.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	other, err := dataset.Load(ctx, planted(2), dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	z, err := e.Embed(ctx, other)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Rows, "nodes,", z.Cols, "dimensions")
	// Output:
	// ACC above 0.9: true
	// 1000 nodes, 500 dimensions
}

// The paper filters Wiki's features once. A graph that is not in the paper gets
// Cora's settings, and false.
func ExamplePaperOptions() {
	for _, dataset := range []string{"wiki", "pubmed", "my-wiki"} {
		o, known := encoder.PaperOptions(dataset)
		fmt.Println(dataset, o.Layers, o.Thresholds.PosStart, known)
	}
	// Output:
	// wiki 1 0.0011 true
	// pubmed 35 0.0013 true
	// my-wiki 8 0.011 false
}
