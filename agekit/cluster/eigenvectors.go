package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
)

// Operator is a symmetric n×n matrix that is given only by its products: MulTo
// sets dst = M·x, where both are n×b and b is a multiple of 8.
type Operator struct {
	N     int
	MulTo func(ctx context.Context, dst, x blas64.General) error
}

// Eigenvectors returns the k largest eigenvalues of a symmetric matrix, in
// descending order, and their orthonormal eigenvectors as columns, n×k. Residuals
// |Mu − λu| are at most about 10⁻⁸ of the largest absolute eigenvalue, which
// must not be 0. It returns an error if the eigenvectors do not converge or the
// context is done.
//
// [Spectral] finds the eigenvectors of D^-½SD^-½ itself.
func Eigenvectors(ctx context.Context, m Operator, k int, rnd *rand.Rand) ([]float64, blas64.General, error) {
	if err := checkClusters(k, m.N); err != nil {
		return nil, blas64.General{}, err
	}
	norm, err := largest(ctx, m, rnd)
	if err != nil {
		return nil, blas64.General{}, err
	}
	values, vectors, err := leading(ctx, symmetric{m.N, func(dst, x matrix[float64]) error {
		if err := m.MulTo(ctx, to64(dst), to64(x)); err != nil {
			return err
		}
		for i := range dst.rows {
			for c, v := range dst.row(i) {
				dst.row(i)[c] = v / norm
			}
		}
		return nil
	}}, k, 0, rnd)
	if err != nil {
		return nil, blas64.General{}, err
	}
	for i := range values {
		values[i] *= norm
	}
	return values, to64(vectors.slice(0, m.N, 0, k)), nil
}

// largest estimates the largest absolute eigenvalue by products, at most 12 and
// fewer if the estimate, which only rises, rises by less than 1 %. One that is too
// small by a few percent does no harm: it is a unit.
func largest(ctx context.Context, m Operator, rnd *rand.Rand) (float64, error) {
	const products = 12
	x, y := newMatrix(m.N, lanes), newMatrix(m.N, lanes)
	fillNormal(x, rnd)
	norm := 0.0
	for range products {
		if err := m.MulTo(ctx, to64(y), to64(x)); err != nil {
			return 0, err
		}
		before := norm
		lengths := make([]float64, lanes)
		for i := range m.N {
			for c, v := range y.row(i) {
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
		for i := range m.N {
			for c, v := range y.row(i) {
				x.row(i)[c] = v / lengths[c]
			}
		}
	}
	return norm, nil
}
