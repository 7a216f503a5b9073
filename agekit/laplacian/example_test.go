package laplacian_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// A signal that alternates along a path of four nodes is rough. One layer of
// the filter with k = 2/3 smooths it.
func ExampleFilter_Smooth() {
	adjacency, err := graph.Adjacency(4, []int32{0, 1, 2}, []int32{1, 2, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	op := laplacian.New(adjacency)
	x := blas32.General{Rows: 4, Cols: 1, Stride: 1, Data: []float32{1, 0, 1, 0}}
	smoothed, err := laplacian.Filter{K: 2.0 / 3, Layers: 1}.Smooth(context.Background(), op, graph.Features{Dense: &x})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range smoothed.Rows {
		fmt.Printf("%.3f\n", smoothed.Data[i*smoothed.Stride])
	}
	fmt.Printf("Rayleigh quotient %.3f, before %.3f\n", op.RayleighQuotients(smoothed)[0], op.RayleighQuotients(x)[0])
	// Output:
	// 0.667
	// 0.494
	// 0.556
	// 0.272
	// Rayleigh quotient 0.049, before 0.583
}
