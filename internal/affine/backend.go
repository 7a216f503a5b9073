package affine

import (
	"context"
	"fmt"

	"github.com/agekit/age/internal/limit"
	"gonum.org/v1/gonum/blas/blas32"
)

// Native is this package's own backend: sparse SIMD code on the CPU.
var Native Backend = nativeBackend{}

type nativeBackend struct{}

func (nativeBackend) Name() string { return "native" }

// NewModel returns the model that needs the fewest multiply-adds per step: one
// that encodes all nodes, or one that encodes only the nodes of a batch.
func (nativeBackend) NewModel(in *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
	if in.Smoothed.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("affine: %d features, but weights with %d rows", in.Smoothed.Cols, start.Weights.W.Rows))
	}
	cols := float64(in.Smoothed.Cols)
	if gathers(in, maxPairs) {
		if err := limit.Memory(fmt.Sprintf("the features of the nodes of %d pairs (lower batch_size)", maxPairs), 2*4*2*float64(maxPairs)*cols); err != nil {
			return nil, err
		}
		return NewGathered(in.Smoothed, start, loss, learningRate, maxPairs), nil
	}
	if filteredCost(in) >= denseCost(in) {
		if err := limit.Memory("the transpose of the smoothed features", 4*float64(in.Smoothed.Rows)*cols); err != nil {
			return nil, err
		}
	}
	return newNative(in, start, loss, learningRate), nil
}

// Embedder returns a function that embeds all nodes with weights of d dimensions, in
// the way that takes fewer multiply-adds: it filters XW, or it multiplies the smoothed
// features, which Embedder computes, by W. Smoothed need not have data.
func Embedder(ctx context.Context, in *Input, d int) (func(ctx context.Context, z blas32.General, w Weights) error, error) {
	if filteredCost(in) < denseCost(in) {
		n := in.Smoothed.Rows
		m := &native{n: n, d: d, product: newProduct(in), length: make([]float32, n), lowest: make([]int, n)}
		return m.EmbedTo, nil
	}
	x, err := in.Smooth(ctx)
	return func(ctx context.Context, z blas32.General, w Weights) error { return embedRows(ctx, z, x, tile(w)) }, err
}
