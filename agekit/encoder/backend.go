package encoder

import "fmt"

// Native is this package's own backend: sparse SIMD code on the CPU.
var Native Backend = nativeBackend{}

type nativeBackend struct{}

func (nativeBackend) Name() string { return "native" }

// NewModel returns the model that needs the fewest multiply-adds per step: one
// that encodes all nodes, or one that encodes only the nodes of a batch.
func (nativeBackend) NewModel(in *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
	if in.Smoothed.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("encoder: %d features, but weights with %d rows", in.Smoothed.Cols, start.Weights.W.Rows))
	}
	if gathers(in, maxPairs) {
		return newGathered(in.Smoothed, start, loss, learningRate, maxPairs), nil
	}
	return newNative(in, start, loss, learningRate), nil
}
