package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/cluster"
	"gonum.org/v1/gonum/blas/blas32"
)

// Two directions with three rows each: spectral clustering of the rows' inner
// products, and the separation of the clusters.
func ExampleSpectral() {
	z := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{
		1.0, 0.1,
		0.9, 0.0,
		0.1, 1.0,
		0.8, 0.1,
		0.0, 0.9,
		0.1, 0.8,
	}}
	rnd := rand.New(rand.NewPCG(1, 0))
	found, err := cluster.Spectral(context.Background(), cluster.Gram(z), 2, cluster.SpectralOptions{}, rnd)
	if err != nil {
		fmt.Println(err)
		return
	}
	together := func(i, j int) bool { return found.Labels[i] == found.Labels[j] }
	fmt.Println(together(0, 1), together(0, 3), together(0, 2), together(2, 4), together(2, 5))

	index, err := cluster.DaviesBouldinGram(context.Background(), z, found.Labels)
	fmt.Printf("%.2f %v\n", index, err)
	// Output:
	// true true false true true
	// 0.17 <nil>
}

// Points on a line in two groups.
func ExampleKMeans() {
	x := blas32.General{Rows: 5, Cols: 1, Stride: 1, Data: []float32{0, 1, 2, 10, 12}}
	found, err := cluster.KMeans(context.Background(), x, 2, cluster.KMeansOptions{}, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Labels[0] == found.Labels[2], found.Labels[3] == found.Labels[4], found.Labels[0] == found.Labels[3])
	fmt.Printf("sum of squared distances %.1f\n", found.Inertia)
	// Output:
	// true true false
	// sum of squared distances 4.0
}
