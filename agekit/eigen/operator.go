package eigen

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
)

// Operator is a symmetric n×n matrix M that is given only by its products.
type Operator interface {
	// Dim returns n.
	Dim() int
	// MulTo sets dst = M·x. Both are n×b and share no memory. [Largest] and
	// [Quadrature] use b = 1, and [Leading] uses multiples of 8. If ctx is done,
	// MulTo may leave dst incomplete and returns the context's error. Several
	// goroutines may call it at the same time.
	MulTo(ctx context.Context, dst, x blas64.General) error
}

// New returns the operator of order n whose products mul computes, as
// [Operator] describes them.
func New(n int, mul func(ctx context.Context, dst, x blas64.General) error) Operator {
	return products{n, mul}
}

type products struct {
	n   int
	mul func(ctx context.Context, dst, x blas64.General) error
}

func (p products) Dim() int { return p.n }

func (p products) MulTo(ctx context.Context, dst, x blas64.General) error { return p.mul(ctx, dst, x) }
