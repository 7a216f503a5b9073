package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

const (
	// eigenTolerance is the length of the residual Mu − λu at which an
	// eigenvector has converged; M's eigenvalues lie in [−1, 1].
	eigenTolerance = 1e-8
	// roughTolerance is the same for eigenvectors that need less accuracy.
	roughTolerance = 1e-3
	// maxProducts is the number of block products after which the iteration
	// ends with an error.
	maxProducts = 2000
)

// symmetric is a symmetric n×n operator: apply sets dst = M·x for blocks whose
// number of columns is a multiple of lanes, or returns the error that stopped
// it.
type symmetric struct {
	n     int
	apply func(dst, x matrix[float64]) error
}

// leading returns the k largest eigenvalues of m, in descending order, and their
// orthonormal eigenvectors as the first columns of a matrix of n rows. The next
// `rough` eigenpairs follow, with residuals of at most roughTolerance.
//
// The method is block Lanczos with full reorthogonalization and thick
// restarts (Golub and Van Loan, Matrix Computations, §10.3.6; Wu and Simon,
// SIAM J. Matrix Anal. Appl. 22(2), 2000). A block of b vectors finds at most
// b copies of a multiple eigenvalue. So if b < k and b equal eigenvalues turn
// up, the iteration starts over with b ≥ k.
func leading(ctx context.Context, m symmetric, k, rough int, rnd *rand.Rand) ([]float64, matrix[float64], error) {
	if err := CheckSize(m.n, k+rough); err != nil {
		return nil, matrix[float64]{}, err
	}
	if solvesDense(m.n, k+rough) {
		values, vectors, err := denseLeading(m)
		if err != nil {
			return nil, vectors, err
		}
		return values[:k+rough], vectors.slice(0, m.n, 0, padded(k+rough)), nil
	}
	for b := lanes; ; b = padded(k) {
		values, vectors, err := blockLanczos(ctx, m, k, rough, b, basisLimit(m.n, k+rough, b), rnd)
		if err != nil || b >= k || longestRun(values[:k]) < b {
			return values, vectors, err
		}
	}
}

// solvesDense reports whether so many eigenvectors of n rows are found by a dense
// solution: a basis would have almost n vectors.
func solvesDense(n, vectors int) bool { return n < 6*padded(vectors)+8*lanes }

// CheckSize returns an error if finding the k leading eigenvectors of n rows,
// as [Spectral] does for k clusters, needs more memory than is free: 5 matrices
// n×n in float64 if k is above about n/6, and otherwise n×5k.
func CheckSize(n, k int) error {
	rows := float64(n)
	numbers := rows * float64(basisLimit(n, k, padded(k))+2*padded(k))
	if solvesDense(n, k) {
		numbers = 5 * rows * rows
	}
	return limit.Memory(fmt.Sprintf("%d eigenvectors of %d rows (lower the number of clusters)", k, n), 8*numbers)
}

// basisLimit returns the number of basis vectors before a restart: few enough
// that the projected problem costs little compared with the products and the
// basis takes no more than 1 GB.
func basisLimit(n, k, b int) int {
	limit := min(max(24*lanes, 3*padded(k)+4*b), (1<<27)/n)
	limit = min(max(limit, padded(k)+4*b), n-b)
	return limit / b * b
}

// longestRun returns the largest number of consecutive values that are equal up
// to the accuracy with which they were computed.
func longestRun(values []float64) int {
	longest, start := 0, 0
	for i, v := range values {
		if values[start]-v > 100*eigenTolerance {
			start = i
		}
		longest = max(longest, i-start+1)
	}
	return longest
}

// denseLeading forms a small m as a dense matrix and solves it directly.
func denseLeading(m symmetric) ([]float64, matrix[float64], error) {
	identity, full := newMatrix(m.n, padded(m.n)), newMatrix(m.n, padded(m.n))
	for i := range m.n {
		identity.row(i)[i] = 1
	}
	if err := m.apply(full, identity); err != nil {
		return nil, full, err
	}
	return eigenSym(full.slice(0, m.n, 0, m.n))
}

// eigenSym returns all eigenvalues of the symmetric matrix a, in descending
// order, and the eigenvectors as columns, padded with columns of zeros to a
// multiple of lanes.
func eigenSym(a matrix[float64]) ([]float64, matrix[float64], error) {
	n := a.rows
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.row(i)[j]+a.row(j)[i])/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, matrix[float64]{}, fmt.Errorf("the eigenvalues of a %d×%d matrix did not converge", n, n)
	}
	var u mat.Dense
	e.VectorsTo(&u)
	rising := e.Values(nil)
	values, vectors := make([]float64, n), newMatrix(n, padded(n))
	for c := range n {
		values[c] = rising[n-1-c]
		for i := range n {
			vectors.row(i)[c] = u.At(i, n-1-c)
		}
	}
	return values, vectors, nil
}

// blockLanczos finds the k leading eigenpairs and, less accurately, the next
// `rough` ones, with blocks of b vectors and at most limit basis vectors.
func blockLanczos(ctx context.Context, m symmetric, k, rough, b, limit int, rnd *rand.Rand) ([]float64, matrix[float64], error) {
	basis := newMatrix(m.n, limit+b) // orthonormal columns: `size` to which M was applied, then a block
	h := newMatrix(limit, limit)     // basisᵀ·M·basis for these `size` columns
	w := newMatrix(m.n, b)
	fillNormal(w, rnd)
	size, check := 0, max(4*b, padded(k+rough)+b)
	for step := 1; ; step++ {
		if err := orthonormalize(ctx, w, basis.slice(0, m.n, 0, size), rnd); err != nil {
			return nil, w, err
		}
		copyRows(basis.slice(0, m.n, size, size+b), w)
		if err := m.apply(w, basis.slice(0, m.n, size, size+b)); err != nil {
			return nil, w, fmt.Errorf("eigenvectors: %w", err)
		}
		size += b
		known := basis.slice(0, m.n, 0, size)
		if err := project(ctx, w, known, h.slice(0, size, size-b, size)); err != nil {
			return nil, w, err
		}
		for i := range size {
			for c := size - b; c < size; c++ {
				h.row(c)[i] = h.row(i)[c]
			}
		}
		if size < check && size+b <= limit {
			continue
		}
		values, y, err := eigenSym(h.slice(0, size, 0, size))
		if err != nil {
			return nil, w, err
		}
		gram, err := mulTrans(ctx, w, w)
		if err != nil {
			return nil, w, err
		}
		residual := largestResidual(gram, y.slice(size-b, size, 0, k))
		last := y.slice(size-b, size, k, k+rough)
		if residual <= eigenTolerance && largestResidual(gram, last) <= roughTolerance {
			vectors := newMatrix(m.n, padded(k+rough))
			err := mul(ctx, vectors, known, y.slice(0, size, 0, padded(k+rough)))
			return values[:k+rough], vectors, err
		}
		if step >= maxProducts {
			return nil, w, fmt.Errorf("eigenvectors: residual %.2g after %d products, want %.0g", residual, step, eigenTolerance)
		}
		if size+b > limit {
			size = restart(known, h, values, y.slice(0, size, 0, padded(k+rough)+b))
		}
		check = size + b*stepsToCheck(step, residual)
	}
}

// stepsToCheck returns the number of steps until the next check of the residual:
// less than half of the steps still needed at the mean rate so far, since
// convergence accelerates and a check costs less than a step.
func stepsToCheck(step int, residual float64) int {
	digits := -math.Log(min(residual, 0.5))
	missing := float64(step) * (-math.Log(eigenTolerance) - digits) / digits
	return max(1, int(0.4*missing))
}

// restart replaces the basis with its leading Ritz vectors, basis·y, and the
// projection with their Ritz values, and returns their number. The projection
// of the next block adds the coefficients that couple it with them.
func restart(basis, h matrix[float64], values []float64, y matrix[float64]) int {
	parallel.Blocks(basis.rows, rowGrain(basis.rows), func(lo, hi int) {
		part := newMatrix(hi-lo, y.cols)
		mulAdd(part, basis.slice(lo, hi, 0, basis.cols), y)
		copyRows(basis.slice(lo, hi, 0, y.cols), part)
	})
	clear(h.data)
	for c := range y.cols {
		h.row(c)[c] = values[c]
	}
	return y.cols
}

// largestResidual returns the largest length of W·yᵢ over the columns yᵢ of y,
// given WᵀW.
func largestResidual(gram, y matrix[float64]) float64 {
	largest := 0.0
	for c := range y.cols {
		s := 0.0
		for i := range y.rows {
			for j := range y.rows {
				s += y.row(i)[c] * gram.row(i)[j] * y.row(j)[c]
			}
		}
		largest = max(largest, s)
	}
	return math.Sqrt(largest)
}

// project stores basisᵀ·w in c and subtracts basis·c from w.
func project(ctx context.Context, w, basis, c matrix[float64]) error {
	coefficients, err := mulTrans(ctx, basis, w)
	if err != nil {
		return err
	}
	copyRows(c, coefficients)
	for i := range coefficients.data {
		coefficients.data[i] = -coefficients.data[i]
	}
	return parallel.BlocksContext(ctx, w.rows, rowGrain(w.rows), func(lo, hi int) {
		mulAdd(w.slice(lo, hi, 0, w.cols), basis.slice(lo, hi, 0, basis.cols), coefficients)
	})
}

// orthonormalize makes w's columns orthonormal and orthogonal to the basis,
// whose components were subtracted from w once already. Directions that
// vanish, as they do when the basis spans an invariant subspace, are replaced
// with random ones. Each pass projects again, because the first projection's
// rounding errors weigh more the shorter w has become, and then turns w's Gram
// matrix into the identity with its eigenvectors. Passes are repeated until one
// changes little.
func orthonormalize(ctx context.Context, w, basis matrix[float64], rnd *rand.Rand) error {
	unused := newMatrix(basis.cols, w.cols)
	for {
		if err := project(ctx, w, basis, unused); err != nil {
			return err
		}
		gram, err := mulTrans(ctx, w, w)
		if err != nil {
			return err
		}
		values, u, err := eigenSym(gram)
		if err != nil {
			return err
		}
		var vanished []int
		for c, v := range values {
			scale := 0.0
			if v > max(1e-14*values[0], 1e-24) {
				scale = 1 / math.Sqrt(v)
			} else {
				vanished = append(vanished, c)
			}
			for i := range u.rows {
				u.row(i)[c] *= scale
			}
		}
		parallel.Blocks(w.rows, rowGrain(w.rows), func(lo, hi int) {
			part, to := newMatrix(hi-lo, w.cols), w.slice(lo, hi, 0, w.cols)
			mulAdd(part, to, u)
			copyRows(to, part)
		})
		for _, c := range vanished {
			fillNormal(w.slice(0, w.rows, c, c+1), rnd)
		}
		// A rounding error of 1e-16 has grown to 1e-16·λ₁/λ within w, and to less
		// than 1e-16/√λ outside it.
		if values[len(values)-1] > max(1e-5*values[0], 1e-10) {
			return nil
		}
	}
}

// fillNormal fills m with normally distributed numbers, scaled so that its
// columns have a length of about 1.
func fillNormal(m matrix[float64], rnd *rand.Rand) {
	scale := 1 / math.Sqrt(float64(m.rows))
	for i := range m.rows {
		for c := range m.row(i) {
			m.row(i)[c] = scale * rnd.NormFloat64()
		}
	}
}

func copyRows(dst, src matrix[float64]) {
	for i := range src.rows {
		copy(dst.row(i), src.row(i))
	}
}
