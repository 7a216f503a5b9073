package cluster

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestInterrupt checks that every long call stops when its context is done, and that it asks the
// context at least as often as the number in each call says: between the ranges of rows, of which each
// product has 20 here ([testutil.Interrupt]).
func TestInterrupt(t *testing.T) {
	const ranges, rowsOfRange = 20, 128 // see linalg.RowGrain
	const n, d, k = ranges * rowsOfRange, 40, 3
	rnd := rand.New(rand.NewPCG(4, 2))
	z, labels := randomMatrix[float32](rnd, n, d, d), make([]int, n)
	for i := range z.Data {
		z.Data[i] = max(z.Data[i], -z.Data[i])
	}
	for i := range labels {
		labels[i] = i % k
	}
	general := blas32.General{Rows: n, Cols: d, Stride: d, Data: z.Data}
	testutil.Interrupt(t, "spectral clustering", 20*ranges, func(ctx context.Context) error {
		_, err := Spectral(ctx, Gram(general), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
	testutil.Interrupt(t, "silhouettes", n/64, func(ctx context.Context) error {
		_, err := Silhouettes(ctx, general, labels)
		return err
	})
	testutil.Interrupt(t, "k-means", 20*ranges, func(ctx context.Context) error {
		_, err := KMeans(ctx, general, k, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
	testutil.Interrupt(t, "Davies–Bouldin index", n/256, func(ctx context.Context) error {
		_, err := DaviesBouldin(ctx, general, labels)
		return err
	})
	testutil.Interrupt(t, "Davies–Bouldin index of ZZᵀ", 2*ranges, func(ctx context.Context) error {
		_, err := DaviesBouldinGram(ctx, general, labels)
		return err
	})
	testutil.Interrupt(t, "Davies–Bouldin index of ZZᵀ in float64", 3*ranges, func(ctx context.Context) error {
		_, err := daviesBouldin(ctx, z, labels, true)
		return err
	})
}
