package tsne

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	oversampling    = 10 // columns of the subspace beyond the k wanted, which speed up convergence
	subspaceRepeats = 5  // iterations
)

// centered returns a copy of x whose columns have mean 0, divided by its largest absolute
// value: P does not depend on the scale, and squares then stay in the range of float32.
// It returns an error if a value is not finite.
func centered(x blas32.General) (blas32.General, error) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range row(x, i) {
			if v-v != 0 { // NaN or infinite
				return x, fmt.Errorf("row %d, column %d: value %v, want a finite number", i, j, v)
			}
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	var largest float64
	for i := range x.Rows {
		for j, v := range row(x, i) {
			largest = max(largest, math.Abs(float64(v)-mean[j]))
		}
	}
	largest = cmp.Or(largest, 1)
	out := newGeneral(x.Rows, x.Cols)
	for i := range x.Rows {
		for j, v := range row(x, i) {
			out.Data[i*out.Stride+j] = float32((float64(v) - mean[j]) / largest)
		}
	}
	return out, nil
}

// principalComponents returns the scores of the rows of the centered x (n×f) on its
// first k principal components, or on min(n, f) if that is less, by subspace iteration
// from a random start (Halko, Martinsson, Tropp, "Finding structure with randomness",
// SIAM Review 53, 2011, §4.5): a few products with x instead of a decomposition of it.
// The sign of each component makes its largest loading positive.
func principalComponents(ctx context.Context, x blas32.General, k int, rnd *rand.Rand) (blas32.General, error) {
	n, f := x.Rows, x.Cols
	width := min(k+oversampling, n, f)
	k = min(k, width)
	basis := newGeneral(f, width)
	for i := range basis.Data {
		basis.Data[i] = float32(rnd.NormFloat64())
	}
	scores := newGeneral(n, width)
	for range subspaceRepeats {
		if err := ctx.Err(); err != nil {
			return blas32.General{}, err
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, basis, 0, scores)
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, x, scores, 0, basis)
		orthonormalize(basis)
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, basis, 0, scores)
	rotation := principalAxes(scores, basis, k)
	out := newGeneral(n, k)
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, scores, rotation, 0, out)
	return out, nil
}

// principalAxes returns the k leading eigenvectors of scoresᵀ·scores as columns (width×k), the axes of the
// components in the subspace that basis spans. Each has the sign that makes its largest loading,
// an entry of basis times the axis, positive.
func principalAxes(scores, basis blas32.General, k int) blas32.General {
	width := scores.Cols
	s := linalg.Float64(scores)
	var gram mat.SymDense
	gram.SymOuterK(1, s.T())
	var eig mat.EigenSym
	if !eig.Factorize(&gram, true) {
		panic("tsne: eigenvalues of a finite symmetric matrix did not converge")
	}
	var vectors, loadings mat.Dense
	eig.VectorsTo(&vectors)
	loadings.Mul(linalg.Float64(basis), &vectors)
	rotation := newGeneral(width, k)
	for j := range k {
		from := width - 1 - j // eigenvalues are in increasing order
		loading := mat.Col(nil, from, &loadings)
		largest := loading[blas64.Iamax(blas64.Vector{N: len(loading), Inc: 1, Data: loading})]
		for i := range width {
			rotation.Data[i*k+j] = float32(math.Copysign(1, largest) * vectors.At(i, from))
		}
	}
	return rotation
}

// orthonormalize replaces the columns of a, in place, by an orthonormal basis of their span.
func orthonormalize(a blas32.General) {
	q := linalg.Float64(a).RawMatrix()
	linalg.Orthonormalize(linalg.Matrix[float64]{Rows: q.Rows, Cols: q.Cols, Data: q.Data, Stride: q.Stride})
	for i, v := range q.Data {
		a.Data[i] = float32(v)
	}
}

// newGeneral returns a zero matrix without padding.
func newGeneral(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

// row returns row i of x.
func row(x blas32.General, i int) []float32 { return x.Data[i*x.Stride:][:x.Cols] }
