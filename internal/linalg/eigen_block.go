package linalg

// This part computes eigenvalues and eigenvectors at the upper end of the spectrum of a
// symmetric matrix that is given only by its products, by Lanczos iterations: the largest
// eigenvalue, which determines the filter's k = 1/λmax (Cui et al., KDD 2020, §3.3.3), and
// the leading eigenvectors, on which spectral clustering runs k-means (§3.4).

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/mat"
)

const (
	// eigenTolerance is the length of the residual Mu − λu at which an eigenvector has
	// converged; M's eigenvalues lie in [−1, 1]. roughTolerance is for those that need
	// less accuracy.
	eigenTolerance = 1e-8
	roughTolerance = 1e-3
	// crowdedTolerance is enough after crowdedProducts block products if the next
	// eigenvalue is closer than the residual. No direction stands out then among the
	// vectors of these eigenvalues, as beyond the rank of the similarity of few features.
	crowdedTolerance = 1e-6
	crowdedProducts  = 100
	// maxProducts is the number of block products after which the iteration fails.
	maxProducts = 2000
)

// leading returns the k largest eigenvalues of m, in descending order, and their orthonormal
// eigenvectors as the first columns of a matrix of n rows. The next `rough` eigenvalues and
// eigenvectors follow, with residuals of at most roughTolerance; columns up to whole panels have no
// meaning.
//
// A block of b vectors finds at most b copies of a multiple eigenvalue. So if b < k and b equal
// eigenvalues turn up, the iteration starts over with b ≥ k.
func leading(ctx context.Context, m scaled, k, rough int, rnd *rand.Rand) ([]float64, Matrix[float64], error) {
	n := m.Dim()
	if err := CheckEigenSize(n, k+rough); err != nil {
		return nil, Matrix[float64]{}, err
	}
	if solvesDense(n, k+rough) {
		values, vectors, err := denseLeading(ctx, m)
		if err != nil {
			return nil, vectors, err
		}
		return values[:k+rough], vectors.Slice(0, n, 0, WholePanels(k+rough)), nil
	}
	for b := simd.PanelWidth; ; b = WholePanels(k) {
		values, vectors, err := blockLanczos(ctx, m, k, rough, b, basisLimit(n, k+rough, b), rnd)
		if err != nil || b >= k || longestRun(values[:k]) < b {
			return values, vectors, err
		}
	}
}

// solvesDense reports whether a matrix of n rows is solved as a dense one for that many eigenvectors,
// because a basis for them would have almost n vectors.
func solvesDense(n, vectors int) bool { return n < 6*WholePanels(vectors)+8*simd.PanelWidth }

// CheckEigenSize returns an error if [LeadingEigenvectors] needs more memory than is free for k
// eigenvectors of n rows: 5 matrices n×n in float64 if k is above about n/6, and
// otherwise about n×5k.
func CheckEigenSize(n, k int) error {
	return system.CheckMemory(fmt.Sprintf("%d eigenvectors of %d rows (lower the number of clusters)", k, n), EigenBytes(n, k))
}

// EigenBytes estimates the memory that [LeadingEigenvectors] needs for k eigenvectors of n rows.
func EigenBytes(n, k int) float64 {
	rows := float64(n)
	if solvesDense(n, k) {
		return 8 * 5 * rows * rows
	}
	return 8 * rows * float64(basisLimit(n, k, WholePanels(k))+2*WholePanels(k))
}

// basisLimit returns the number of basis vectors of n numbers before a restart, whole blocks of b, for k
// eigenvectors: so few that the projected problem is cheap next to the products, and the basis takes
// at most 1 GB, but enough to keep what a restart keeps and four blocks.
func basisLimit(n, k, b int) int {
	const mostNumbers = 1 << 27 // of the basis: 1 GB of float64
	limit := min(max(24*simd.PanelWidth, 3*WholePanels(k)+4*b), mostNumbers/n)
	limit = min(max(limit, WholePanels(k)+4*b), n-b)
	return limit / b * b
}

// longestRun returns the length of the longest run of consecutive values, in descending order, that are
// equal within the accuracy with which they were computed.
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

// denseLeading returns all eigenvalues and eigenvectors of a small m, in the form of [eigenSym], from its
// dense matrix.
func denseLeading(ctx context.Context, m scaled) ([]float64, Matrix[float64], error) {
	n := m.Dim()
	identity, full := NewMatrix[float64](n, WholePanels(n)), NewMatrix[float64](n, WholePanels(n))
	for i := range n {
		identity.Row(i)[i] = 1
	}
	if err := m.mul(ctx, full, identity); err != nil {
		return nil, full, err
	}
	return eigenSym(full.Slice(0, n, 0, n))
}

// eigenSym returns all eigenvalues of the symmetric matrix a, in descending order, and
// its eigenvectors as columns, with columns of zeros up to a multiple of
// simd.PanelWidth.
func eigenSym(a Matrix[float64]) ([]float64, Matrix[float64], error) {
	n := a.Rows
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.Row(i)[j]+a.Row(j)[i])/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, Matrix[float64]{}, fmt.Errorf("the eigenvalues of a %d×%d matrix did not converge", n, n)
	}
	var u mat.Dense
	e.VectorsTo(&u)
	rising := e.Values(nil)
	values, vectors := make([]float64, n), NewMatrix[float64](n, WholePanels(n))
	for c := range n {
		values[c] = rising[n-1-c]
		for i := range n {
			vectors.Row(i)[c] = u.At(i, n-1-c)
		}
	}
	return values, vectors, nil
}

// blockLanczos returns the k leading eigenvalues and eigenvectors of m and, less accurately, the next
// `rough` ones, in the form of [leading]. It iterates with blocks of b vectors and at most limit basis
// vectors.
func blockLanczos(ctx context.Context, m scaled, k, rough, b, limit int, rnd *rand.Rand) ([]float64, Matrix[float64], error) {
	n := m.Dim()
	basis := NewMatrix[float64](n, limit+b) // orthonormal columns: `size` to which M was applied, then a block
	h := NewMatrix[float64](limit, limit)   // basisᵀ·M·basis for these `size` columns
	w := NewMatrix[float64](n, b)           // the next block of the basis; then M times that, less its part in the basis
	fillNormal(w, rnd)
	size, check := 0, max(4*b, WholePanels(k+rough)+b) // columns of the basis, now and at the next check
	for step := 1; ; step++ {
		if err := orthonormalize(ctx, w, basis.Slice(0, n, 0, size), rnd); err != nil {
			return nil, w, err
		}
		CopyRows(basis.Slice(0, n, size, size+b), w)
		if err := m.mul(ctx, w, basis.Slice(0, n, size, size+b)); err != nil {
			return nil, w, fmt.Errorf("eigenvectors: %w", err)
		}
		size += b
		known := basis.Slice(0, n, 0, size)
		if err := project(ctx, w, known, h.Slice(0, size, size-b, size)); err != nil {
			return nil, w, err
		}
		for i := range size {
			for c := size - b; c < size; c++ {
				h.Row(c)[i] = h.Row(i)[c]
			}
		}
		if size < check && size+b <= limit {
			continue
		}
		// The Ritz vectors are basis·y, and their residuals are w times the last b rows of y.
		values, y, err := eigenSym(h.Slice(0, size, 0, size))
		if err != nil {
			return nil, w, err
		}
		gram, err := MulTrans(ctx, w, w)
		if err != nil {
			return nil, w, err
		}
		residual, tolerance := largestResidual(gram, y.Slice(size-b, size, 0, k)), eigenTolerance
		if step >= crowdedProducts && k < len(values) && values[k-1]-values[k] < residual {
			tolerance = crowdedTolerance
		}
		last := y.Slice(size-b, size, k, k+rough)
		if residual <= tolerance && largestResidual(gram, last) <= roughTolerance {
			vectors := NewMatrix[float64](n, WholePanels(k+rough))
			err := Mul(ctx, vectors, known, y.Slice(0, size, 0, WholePanels(k+rough)))
			return values[:k+rough], vectors, err
		}
		if step >= maxProducts {
			return nil, w, fmt.Errorf("eigenvectors: residual %.2g after %d products, want %.0g", residual, step, tolerance)
		}
		if size+b > limit {
			size = restart(known, h, values, y.Slice(0, size, 0, WholePanels(k+rough)+b))
		}
		check = size + b*stepsToCheck(step, residual, tolerance)
	}
}

// stepsToCheck returns the number of steps until the next check of the residual, which is that after
// `step` steps: less than half of the steps that are still needed at the mean rate so far, since
// convergence accelerates, and none beyond crowdedProducts before that.
func stepsToCheck(step int, residual, tolerance float64) int {
	digits := -math.Log(min(residual, 0.5)) // gained so far, to the base e
	missing := float64(step) * (-math.Log(tolerance) - digits) / digits
	steps := max(1, int(0.4*missing))
	if step < crowdedProducts {
		return min(steps, crowdedProducts-step)
	}
	return steps
}

// restart overwrites the first columns of the basis with its leading Ritz vectors, basis·y, and the
// projection h with the Ritz values, the first of values, on its diagonal. It returns the number of
// these vectors.
func restart(basis, h Matrix[float64], values []float64, y Matrix[float64]) int {
	Parallel(basis.Rows, RowGrain(basis.Rows), func(lo, hi int) {
		part := NewMatrix[float64](hi-lo, y.Cols)
		MulAdd(part, basis.Slice(lo, hi, 0, basis.Cols), y)
		CopyRows(basis.Slice(lo, hi, 0, y.Cols), part)
	})
	clear(h.Data)
	for c := range y.Cols {
		h.Row(c)[c] = values[c]
	}
	return y.Cols
}

// largestResidual returns the largest length of W·yᵢ over the columns yᵢ of y. gram is WᵀW, by which
// |W·yᵢ|² = yᵢᵀ·gram·yᵢ.
func largestResidual(gram, y Matrix[float64]) float64 {
	largest := 0.0
	for c := range y.Cols {
		s := 0.0
		for i := range y.Rows {
			for j := range y.Rows {
				s += y.Row(i)[c] * gram.Row(i)[j] * y.Row(j)[c]
			}
		}
		largest = max(largest, s)
	}
	return math.Sqrt(largest)
}

// project makes the columns of w orthogonal to the basis: it stores basisᵀ·w in c and subtracts basis·c
// from w.
func project(ctx context.Context, w, basis, c Matrix[float64]) error {
	coefficients, err := MulTrans(ctx, basis, w)
	if err != nil {
		return err
	}
	CopyRows(c, coefficients)
	for i := range coefficients.Data {
		coefficients.Data[i] = -coefficients.Data[i]
	}
	return ParallelContext(ctx, w.Rows, RowGrain(w.Rows), func(lo, hi int) {
		MulAdd(w.Slice(lo, hi, 0, w.Cols), basis.Slice(lo, hi, 0, basis.Cols), coefficients)
	})
}

// orthonormalize makes w's columns orthonormal and orthogonal to the basis, whose
// components were subtracted from w once already. Each pass projects again, because the
// rounding errors weigh more the shorter w has become, and then turns w's Gram matrix
// into the identity with its eigenvectors. Directions that vanish, as in an invariant
// subspace, are replaced with random ones. Passes end when one changes little.
func orthonormalize(ctx context.Context, w, basis Matrix[float64], rnd *rand.Rand) error {
	unused := NewMatrix[float64](basis.Cols, w.Cols)
	for {
		if err := project(ctx, w, basis, unused); err != nil {
			return err
		}
		gram, err := MulTrans(ctx, w, w)
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
			if v > max(1e-14*values[0], 1e-24) { // else the direction is rounding error alone
				scale = 1 / math.Sqrt(v)
			} else {
				vanished = append(vanished, c)
			}
			for i := range u.Rows {
				u.Row(i)[c] *= scale
			}
		}
		Parallel(w.Rows, RowGrain(w.Rows), func(lo, hi int) {
			part, rows := NewMatrix[float64](hi-lo, w.Cols), w.Slice(lo, hi, 0, w.Cols)
			MulAdd(part, rows, u)
			CopyRows(rows, part)
		})
		for _, c := range vanished {
			fillNormal(w.Slice(0, w.Rows, c, c+1), rnd)
		}
		// A rounding error of 1e-16 has grown to 1e-16·λ₁/λ within w, and to less
		// than 1e-16/√λ outside it.
		if values[len(values)-1] > max(1e-5*values[0], 1e-10) {
			return nil
		}
	}
}

// fillNormal fills m with normal random numbers, so that its columns have about length 1.
func fillNormal(m Matrix[float64], rnd *rand.Rand) {
	scale := 1 / math.Sqrt(float64(m.Rows))
	for i := range m.Rows {
		for c := range m.Row(i) {
			m.Row(i)[c] = scale * rnd.NormFloat64()
		}
	}
}
