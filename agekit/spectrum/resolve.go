package spectrum

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/laplacian"
)

// ResolveFilter returns f with a number for k: 1/λmax of op where f.K is
// [laplacian.InverseLambdaMax], and otherwise f as it is. It returns an error
// for a filter that is not valid and for 1/λmax of a graph without edges.
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

// LambdaMaxOf returns λmax of op with the default options. It is the same for
// every call: the iteration starts from a fixed vector.
func LambdaMaxOf(ctx context.Context, op *laplacian.Operator) (float64, error) {
	l, err := LambdaMax(ctx, op, rand.New(rand.NewPCG(0, 0)), LambdaMaxOptions{})
	if err != nil {
		return 0, fmt.Errorf("λmax: %w", err)
	}
	return l.Value, nil
}
