package lab

import (
	"slices"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/device"
	gomlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// Evaluate returns the number that the GoMLX graph f computes on GoMLX's Go backend. The
// arguments of f, args, may be matrices, slices or tensors.
func Evaluate[F gomlx.ExecGraphFnOneOutput](f F, args ...any) (float32, error) {
	args = slices.Clone(args) // the caller's slice stays as it is
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
