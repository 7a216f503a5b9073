package lab

import (
	"slices"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/device"
	gomlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Evaluate computes a GoMLX graph whose result is one number, with matrices, slices or
// tensors as arguments, on GoMLX's Go backend.
func Evaluate[F gomlx.ExecGraphFnOneOutput](f F, args ...any) (float32, error) {
	args = slices.Clone(args)
	for k, a := range args {
		if x, ok := a.(blas32.General); ok {
			args[k] = device.Matrix(x)
		}
	}
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
