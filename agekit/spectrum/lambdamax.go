package spectrum

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/laplacian"
)

// LambdaMax returns λmax, the largest eigenvalue of op, as [eigen.Largest]
// computes it from a fixed random vector: every call gives the same value.
func LambdaMax(ctx context.Context, op eigen.Operator) (float64, error) {
	l, err := eigen.Largest(ctx, op, rand.New(rand.NewPCG(0, 0)))
	return l.Value, err
}

// ResolveFilter returns f with a number for k: 1/λmax of op if f.K is
// [laplacian.InverseLambdaMax], and otherwise f unchanged. It returns an error for
// an invalid filter and for 1/λmax of a graph without edges.
func ResolveFilter(ctx context.Context, op eigen.Operator, f laplacian.Filter) (laplacian.Filter, error) {
	lambda := 0.0
	if f.K == laplacian.InverseLambdaMax {
		l, err := LambdaMax(ctx, op)
		if err != nil {
			return f, err
		}
		lambda = l
	}
	return f.Resolve(lambda)
}
