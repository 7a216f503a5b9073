package spectrum

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/laplacian"
)

// ResolveFilter returns f with a number for k: 1/λmax of op if f.K is
// [laplacian.InverseLambdaMax]; otherwise it returns f unchanged. It returns
// an error for an invalid filter and for 1/λmax of a graph without edges.
func ResolveFilter(ctx context.Context, op *laplacian.Operator, f laplacian.Filter) (laplacian.Filter, error) {
	lambda := 0.0
	if f.K == laplacian.InverseLambdaMax {
		l, err := LambdaMaxOf(ctx, op)
		if err != nil {
			return f, err
		}
		lambda = l
	}
	return f.Resolve(lambda)
}

// LambdaMaxOf returns λmax of op with the default options. Every call gives
// the same value, because the iteration starts from a fixed vector.
func LambdaMaxOf(ctx context.Context, op *laplacian.Operator) (float64, error) {
	l, err := LambdaMax(ctx, op, rand.New(rand.NewPCG(0, 0)), LambdaMaxOptions{})
	if err != nil {
		return 0, fmt.Errorf("λmax: %w", err)
	}
	return l.Value, nil
}
