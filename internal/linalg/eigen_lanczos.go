package linalg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Operator is a symmetric n×n matrix M that is given only by its products.
type Operator interface {
	// Dim returns n.
	Dim() int
	// MulTo sets dst = M·x. Both are n×b and share no memory; b is 1 for [LargestEigenvalue] and
	// [Quadrature], and a multiple of 8 for [LeadingEigenvectors]. Once ctx is done, it returns the
	// context's error and may leave dst incomplete. Several goroutines may call it at
	// the same time.
	MulTo(ctx context.Context, dst, x blas64.General) error
}

// NewOperator returns the operator of order n whose products mul computes ([Operator].MulTo).
func NewOperator(n int, mul func(ctx context.Context, dst, x blas64.General) error) Operator {
	return products{n, mul}
}

// products is the operator of [NewOperator].
type products struct {
	n   int
	mul func(ctx context.Context, dst, x blas64.General) error
}

func (p products) Dim() int { return p.n }

func (p products) MulTo(ctx context.Context, dst, x blas64.General) error { return p.mul(ctx, dst, x) }

const (
	// tolerance is the residual, relative to the eigenvalue, at which [LargestEigenvalue]
	// ends. A well separated eigenvalue reaches it in about a hundred steps.
	tolerance = 1e-10
	// maxSteps is the most products that [LargestEigenvalue] takes.
	maxSteps = 300
)

// ExtremeEigenvalue is an eigenvalue at the end of the spectrum.
type ExtremeEigenvalue struct {
	// Value is the estimate λ. It exceeds the true eigenvalue at most by rounding.
	Value float64
	// Residual is |Mx − λx| for a unit vector x. An eigenvalue lies within this
	// distance of Value. A small residual means a much smaller error: about its square
	// divided by the gap to the next eigenvalue.
	Residual float64
	// Steps is the number of products with the operator.
	Steps int
}

// LargestEigenvalue computes the largest eigenvalue λ of op by Lanczos iteration from a random vector.
// It stops at a residual of 10⁻¹⁰·λ, or after 300 products, and stores three vectors of
// length n. It does not reorthogonalize: rounding then only makes copies of known eigenvalues
// appear again, while the largest one and its residual stay correct (Paige, "Accuracy and
// effectiveness of the Lanczos algorithm", Linear Algebra Appl. 1980).
//
// It returns an error if ctx is done, op has no rows or its products are not finite.
func LargestEigenvalue(ctx context.Context, op Operator, rnd *rand.Rand) (ExtremeEigenvalue, error) {
	x, err := largest(ctx, op, maxSteps, rnd)
	if err != nil {
		return ExtremeEigenvalue{}, fmt.Errorf("largest eigenvalue: %w", err)
	}
	return x, nil
}

// largest is [LargestEigenvalue] with at most maxSteps products. It checks the residual after 16
// products, and then each time that there are a quarter more, because a check takes time, too.
func largest(ctx context.Context, op Operator, maxSteps int, rnd *rand.Rand) (ExtremeEigenvalue, error) {
	start := make([]float64, op.Dim())
	for i := range start {
		start[i] = rnd.NormFloat64()
	}
	it, err := newLanczos(op, start)
	if err != nil {
		return ExtremeEigenvalue{}, err
	}
	for check := 16; ; check += check / 4 {
		if err := it.run(ctx, min(check, maxSteps)); err != nil {
			return ExtremeEigenvalue{}, err
		}
		values, _, last, err := it.ritz()
		if err != nil {
			return ExtremeEigenvalue{}, err
		}
		steps := len(values)
		x := ExtremeEigenvalue{
			Value:    values[steps-1],
			Residual: it.beta[steps-1] * math.Abs(last[steps-1]),
			Steps:    steps,
		}
		if it.done || steps == maxSteps || x.Residual <= tolerance*math.Abs(x.Value) {
			return x, nil
		}
	}
}

// Quadrature returns the nodes θ and weights w of the Gauss quadrature rule for the spectrum of op as seen
// from a vector v, after the given number of Lanczos steps: Σ wⱼ·f(θⱼ) approximates
// vᵀf(M)v/vᵀv, exactly for polynomials f of degree below 2·steps (Golub and Welsch,
// Math. Comp. 23, 1969). The nodes θ ascend, and the weights w sum to 1. There are
// fewer nodes than steps if v lies in a smaller invariant subspace. Quadrature
// overwrites v and returns the errors of [LargestEigenvalue].
func Quadrature(ctx context.Context, op Operator, v []float64, steps int) (nodes, weights []float64, err error) {
	it, err := newLanczos(op, v)
	if err != nil {
		return nil, nil, err
	}
	if err := it.run(ctx, steps); err != nil {
		return nil, nil, err
	}
	nodes, first, _, err := it.ritz()
	if err != nil {
		return nil, nil, err
	}
	weights = make([]float64, len(nodes))
	for j, f := range first {
		weights[j] = f * f
	}
	return nodes, weights, nil
}

// lanczos is the three-term recurrence
//
//	βⱼ vⱼ₊₁ = M vⱼ − αⱼ vⱼ − βⱼ₋₁ vⱼ₋₁
//
// whose coefficients form a tridiagonal matrix T with eigenvalues near those of M.
type lanczos struct {
	op                Operator
	previous, v, next *mat.VecDense // vⱼ₋₁, vⱼ, and room for vⱼ₊₁
	alpha, beta       []float64     // α₁ … αⱼ and β₁ … βⱼ
	// done says that the start vector's Krylov space is exhausted: T's eigenvalues are M's.
	done bool
}

// newLanczos returns an iteration that begins at the vector start, which it scales to length 1 and
// overwrites later. An operator without rows is an error.
func newLanczos(op Operator, start []float64) (*lanczos, error) {
	n := op.Dim()
	if n == 0 {
		return nil, errors.New("the operator has no rows")
	}
	it := &lanczos{
		op: op, previous: mat.NewVecDense(n, nil), v: mat.NewVecDense(n, start), next: mat.NewVecDense(n, nil),
	}
	it.v.ScaleVec(1/it.v.Norm(2), it.v)
	return it, nil
}

// run adds rows to T until it has the given number or the iteration is done.
func (it *lanczos) run(ctx context.Context, rows int) error {
	for len(it.alpha) < rows && !it.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := it.step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// step adds one row to T.
func (it *lanczos) step(ctx context.Context) error {
	if err := it.op.MulTo(ctx, column(it.next), column(it.v)); err != nil {
		return err
	}
	if j := len(it.beta); j > 0 {
		it.next.AddScaledVec(it.next, -it.beta[j-1], it.previous)
	}
	alpha := mat.Dot(it.v, it.next)
	it.next.AddScaledVec(it.next, -alpha, it.v)
	beta := it.next.Norm(2)
	it.alpha, it.beta = append(it.alpha, alpha), append(it.beta, beta)

	scale := 0.0
	for j := range it.alpha {
		scale = max(scale, math.Abs(it.alpha[j]), it.beta[j])
	}
	const epsilon = 0x1p-52 // of float64: such a beta is rounding error alone
	if len(it.alpha) == it.v.Len() || beta <= 8*epsilon*scale {
		it.done = true
		return nil
	}
	it.next.ScaleVec(1/beta, it.next)
	it.previous, it.v, it.next = it.v, it.next, it.previous
	return nil
}

// column returns v as a matrix with one column.
func column(v *mat.VecDense) blas64.General {
	return blas64.General{Rows: v.Len(), Cols: 1, Stride: 1, Data: v.RawVector().Data}
}

// ritz returns the eigenvalues of T, ascending, and the first and the last components of its unit
// eigenvectors. Coefficients that are not finite are an error.
func (it *lanczos) ritz() (values, first, last []float64, err error) {
	m := len(it.alpha)
	for j := range m {
		if s := it.alpha[j] + it.beta[j]; math.IsNaN(s) || math.IsInf(s, 0) {
			return nil, nil, nil, errors.New("the operator's product with a vector is not finite")
		}
	}
	values = append(values, it.alpha...)
	off := append([]float64(nil), it.beta[:m-1]...)
	vectors := make([]float64, m*m)
	if !(lapackgo.Implementation{}).Dsteqr(lapack.EVTridiag, m, values, off, vectors, m, make([]float64, max(1, 2*m-2))) {
		return nil, nil, nil, fmt.Errorf("QL iteration on a tridiagonal matrix of order %d did not converge", m)
	}
	return values, vectors[:m], vectors[(m-1)*m:], nil
}
