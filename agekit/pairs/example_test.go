package pairs_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/pairs"
	"gonum.org/v1/gonum/blas/blas32"
)

// Six vectors in two directions. Of the 36 ordered pairs, pairs (i, i) among
// them, half are alike.
func ExampleSelect() {
	x := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{
		1, 0,
		2, 0.1,
		3, 0,
		0, 1,
		0.1, 2,
		0, 3,
	}}
	s, err := pairs.Select(context.Background(), pairs.Normalize(x), 0.5, 0.75, pairs.Options{})
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
