package tsne_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/tsne"
	"gonum.org/v1/gonum/blas/blas32"
)

// Two groups of 20 points in ten dimensions: on the map, every point's nearest
// neighbor is in its own group.
func ExampleMap() {
	const n, f = 40, 10
	rnd := rand.New(rand.NewPCG(1, 0))
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for i := range n {
		for j := range f {
			x.Data[i*f+j] = float32(10*(i%2)) + float32(rnd.NormFloat64())
		}
	}
	y, err := tsne.Map(context.Background(), x, tsne.Options{Perplexity: 5, Iterations: 250}, rnd)
	if err != nil {
		fmt.Println(err)
		return
	}
	same := 0
	for i := range n {
		nearest, least := -1, math.Inf(1)
		for j := range n {
			d := math.Hypot(float64(y.Data[2*i]-y.Data[2*j]), float64(y.Data[2*i+1]-y.Data[2*j+1]))
			if j != i && d < least {
				nearest, least = j, d
			}
		}
		if nearest%2 == i%2 {
			same++
		}
	}
	fmt.Printf("%d×%d, %d of %d neighbors of the same group\n", y.Rows, y.Cols, same, n)
	// Output: 40×2, 40 of 40 neighbors of the same group
}
