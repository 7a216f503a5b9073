package agekit

import (
	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	gomlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Prepare returns what [encoder.Fit] and the models of an encoder start from: g
// with its smoothed features.
func Prepare(g *graph.Graph, c encoder.Options) (*encoder.Input, error) {
	return encoder.Prepare(interrupt(), g, c)
}

// Tensor returns a matrix as a GoMLX tensor.
func Tensor(x blas32.General) *tensors.Tensor {
	packed := make([]float32, 0, x.Rows*x.Cols)
	for i := range x.Rows {
		packed = append(packed, x.Data[i*x.Stride:i*x.Stride+x.Cols]...)
	}
	return tensors.FromFlatDataAndDimensions(packed, x.Rows, x.Cols)
}

// Evaluate calls a function that builds a GoMLX graph, whose result is one
// number, with tensors or slices, and computes it on GoMLX's Go backend.
func Evaluate[F gomlx.ExecGraphFnOneOutput](f F, args ...any) (float32, error) {
	choice, err := backend.Resolve("go")
	if err != nil {
		return 0, err
	}
	engine, err := backend.Open(choice)
	if err != nil {
		return 0, err
	}
	out, err := gomlx.CallOnce(engine, f, args...)
	if err != nil {
		return 0, err
	}
	return tensors.ToScalar[float32](out), nil
}
