package linalg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas64"
)

// LeadingOptions are the options of [LeadingEigenvectors].
type LeadingOptions struct {
	// Rough is the number of further eigenpairs that [LeadingEigenvectors] returns after the k
	// leading ones, with residuals of up to 10⁻³ instead of 10⁻⁸. Default 0.
	Rough int
	// Norm is the largest absolute eigenvalue or an estimate of it, in which
	// residuals are measured. Default: an estimate by up to 12 products.
	Norm float64
}

// LeadingEigenvectors returns the k largest eigenvalues of op, in descending order, and their
// orthonormal eigenvectors as the columns of an n×k matrix. The residuals |Mu − λu| are
// at most about 10⁻⁸ of the largest absolute eigenvalue, which must not be 0; or 10⁻⁶ if
// 100 products do not suffice and the next eigenvalue is closer than the residual.
//
// The method is block Lanczos with full reorthogonalization and thick restarts (Golub and
// Van Loan, Matrix Computations, §10.3.6; Wu and Simon, SIAM J. Matrix Anal. Appl. 22(2),
// 2000), or a dense solution for small n. The number of cores does not change the result.
//
// It returns an error if k is outside 1…n, the eigenvectors do not converge, they need
// more memory than is free ([CheckEigenSize]), or ctx is done.
func LeadingEigenvectors(ctx context.Context, op Operator, k int, opts LeadingOptions, rnd *rand.Rand) ([]float64, blas64.General, error) {
	m, n := scaled{op, opts.Norm}, op.Dim()
	if k < 1 || k > n {
		return nil, blas64.General{}, fmt.Errorf("%d eigenvectors of %d rows: want 1 to %d", k, n, n)
	}
	if m.norm == 0 {
		var err error
		if m.norm, err = largestAbsolute(ctx, op, rnd); err != nil {
			return nil, blas64.General{}, err
		}
	}
	values, vectors, err := leading(ctx, m, k, opts.Rough, rnd)
	if err != nil {
		return nil, blas64.General{}, err
	}
	for i := range values {
		values[i] *= m.norm
	}
	return values, blas64.General(vectors.Slice(0, n, 0, k+opts.Rough)), nil
}

// scaled is an operator divided by its norm: its eigenvalues lie in about [−1, 1].
type scaled struct {
	Operator
	norm float64
}

// mul sets dst = M·x/norm.
func (m scaled) mul(ctx context.Context, dst, x Matrix[float64]) error {
	if err := m.MulTo(ctx, blas64.General(dst), blas64.General(x)); err != nil || m.norm == 1 {
		return err
	}
	for i := range dst.Rows {
		for c, v := range dst.Row(i) {
			dst.Row(i)[c] = v / m.norm
		}
	}
	return nil
}

// largestAbsolute estimates the largest absolute eigenvalue of m by a power iteration of up to 12
// products with a panel of random vectors. The estimate is the largest length that a product gives a
// unit vector. It stops when the estimate, which never falls, rises by less than 1 %: the estimate is
// only a unit, so that a few percent do no harm.
func largestAbsolute(ctx context.Context, m Operator, rnd *rand.Rand) (float64, error) {
	const products = 12
	n := m.Dim()
	x, y := NewMatrix[float64](n, simd.PanelWidth), NewMatrix[float64](n, simd.PanelWidth)
	fillNormal(x, rnd)
	norm := 0.0
	for range products {
		if err := m.MulTo(ctx, blas64.General(y), blas64.General(x)); err != nil {
			return 0, err
		}
		before := norm
		lengths := make([]float64, simd.PanelWidth) // of the columns of y; their squares at first
		for i := range n {
			for c, v := range y.Row(i) {
				lengths[c] += v * v
			}
		}
		for c, squared := range lengths {
			lengths[c] = math.Sqrt(squared)
			norm = max(norm, lengths[c])
		}
		if !(norm > 0) || math.IsInf(norm, 1) {
			return 0, fmt.Errorf("a product with the matrix has length %v: want a finite number above 0", norm)
		}
		if norm < 1.01*before {
			break
		}
		for i := range n {
			for c, v := range y.Row(i) {
				x.Row(i)[c] = v / lengths[c]
			}
		}
	}
	return norm, nil
}
