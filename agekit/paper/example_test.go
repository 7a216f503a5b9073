package paper_test

import (
	"fmt"

	"github.com/agekit/age/agekit/paper"
)

// The paper filters Wiki's features once. A graph that is not in the paper gets
// Cora's settings, and false.
func ExampleSettings() {
	for _, dataset := range []string{"wiki", "pubmed", "my-wiki"} {
		o, known := paper.Settings(dataset)
		fmt.Println(dataset, o.Layers, o.Thresholds.PosStart, known)
	}
	// Output:
	// wiki 1 0.0011 true
	// pubmed 35 0.0013 true
	// my-wiki 8 0.011 false
}
