package spectrum

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/lapack"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// Operator is a symmetric n×n matrix given by its products with vectors, with
// the method of gonum's linsolve.MulVecToer. MulVecTo stores the product with
// x in dst, which has n elements and is not x; trans is always false here.
// Several goroutines call it concurrently.
type Operator interface {
	Dims() (r, c int)
	MulVecTo(dst *mat.VecDense, trans bool, x mat.Vector)
}

// LambdaMaxOptions are the options of [LambdaMax].
type LambdaMaxOptions struct {
	// Tolerance is the residual bound, relative to the eigenvalue, at which
	// the iteration ends. Default 1e-10, which an eigenvalue that is well
	// separated from the next one reaches within about a hundred steps.
	Tolerance float64
	// MaxSteps limits the number of products with the operator. Default 300.
	MaxSteps int
}

// Extreme is an eigenvalue at an end of the spectrum.
type Extreme struct {
	// Value is the estimate λ, never above the true λmax except for rounding.
	Value float64
	// Residual is |Lx − λx| of a unit vector x: an eigenvalue lies within that
	// distance of Value. If it is small, the error is far smaller still, about
	// its square divided by the gap to the next eigenvalue. It is above the
	// tolerance only if MaxSteps was reached.
	Residual float64
	// Steps is the number of products with the operator.
	Steps int
}

// LambdaMax computes the largest eigenvalue of op by Lanczos iteration from a
// random vector. It stores three vectors of length n, whatever the number of
// steps.
//
// It keeps no basis for reorthogonalization: rounding then merely makes copies
// of eigenvalues already found appear again, while the largest one and its
// residual bound stay correct (Paige, "Accuracy and effectiveness of the
// Lanczos algorithm", Linear Algebra Appl. 1980).
//
// It returns an error if ctx is done, op is empty, MaxSteps is negative or
// op's products are not finite.
func LambdaMax(ctx context.Context, op Operator, rnd *rand.Rand, opts LambdaMaxOptions) (Extreme, error) {
	tolerance, maxSteps := opts.Tolerance, opts.MaxSteps
	if tolerance == 0 {
		tolerance = 1e-10
	}
	if maxSteps == 0 {
		maxSteps = 300
	}
	n := order(op)
	switch {
	case n == 0:
		return Extreme{}, errors.New("largest eigenvalue: the operator has no rows")
	case maxSteps < 1:
		return Extreme{}, fmt.Errorf("largest eigenvalue: %d steps, want at least 1", maxSteps)
	}
	start := make([]float64, n)
	for i := range start {
		start[i] = rnd.NormFloat64()
	}
	it := newLanczos(op, start)
	for check := 16; ; check += check / 4 {
		for len(it.alpha) < min(check, maxSteps) && !it.done {
			if err := ctx.Err(); err != nil {
				return Extreme{}, fmt.Errorf("largest eigenvalue: %w", err)
			}
			it.step()
		}
		values, _, last, err := it.ritz()
		if err != nil {
			return Extreme{}, fmt.Errorf("largest eigenvalue: %w", err)
		}
		steps := len(values)
		x := Extreme{
			Value:    values[steps-1],
			Residual: it.beta[steps-1] * math.Abs(last[steps-1]),
			Steps:    steps,
		}
		if it.done || steps == maxSteps || x.Residual <= tolerance*math.Abs(x.Value) {
			return x, nil
		}
	}
}

// order returns n, and panics if op is not square.
func order(op Operator) int {
	r, c := op.Dims()
	if r != c {
		panic(fmt.Sprintf("spectrum: operator is %d×%d, want a square one", r, c))
	}
	return r
}

// lanczos is the three-term recurrence
//
//	βⱼ vⱼ₊₁ = L vⱼ − αⱼ vⱼ − βⱼ₋₁ vⱼ₋₁
//
// whose coefficients form a tridiagonal matrix T with eigenvalues near those
// of L.
type lanczos struct {
	op                Operator
	previous, v, next *mat.VecDense
	alpha, beta       []float64
	// done is set when the Krylov space of the start vector is exhausted, so
	// that T's eigenvalues are eigenvalues of L.
	done bool
}

// newLanczos begins at start, which it takes ownership of and scales to length
// 1.
func newLanczos(op Operator, start []float64) *lanczos {
	n := len(start)
	it := &lanczos{
		op: op, previous: mat.NewVecDense(n, nil), v: mat.NewVecDense(n, start), next: mat.NewVecDense(n, nil),
	}
	it.v.ScaleVec(1/it.v.Norm(2), it.v)
	return it
}

// step adds one row to T.
func (it *lanczos) step() {
	it.op.MulVecTo(it.next, false, it.v)
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
	const epsilon = 0x1p-52
	if len(it.alpha) == it.v.Len() || beta <= 8*epsilon*scale {
		it.done = true
		return
	}
	it.next.ScaleVec(1/beta, it.next)
	it.previous, it.v, it.next = it.v, it.next, it.previous
}

// ritz returns T's eigenvalues, ascending, and the first and last components
// of its unit eigenvectors.
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
