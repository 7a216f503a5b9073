package pairs_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/pairs"
	"gonum.org/v1/gonum/blas/blas32"
)

// Six vectors of length 1 in two directions. Of the 36 ordered pairs, pairs (i, i) among
// them, half are alike.
func ExampleSelect() {
	z := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{
		1, 0,
		0.99875, 0.05,
		1, 0,
		0, 1,
		0.05, 0.99875,
		0, 1,
	}}
	s, err := pairs.Select(context.Background(), z, 0.5, 0.75, pairs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d positive pairs from similarity %.3f, %d negative ones up to %.3f\n", len(s.I), s.PosThreshold, s.Negatives, s.NegThreshold)
	fmt.Println("node 0 is alike with", s.J[:3])
	// Output:
	// 18 positive pairs from similarity 0.999, 9 negative ones up to 0.050
	// node 0 is alike with [0 1 2]
}
