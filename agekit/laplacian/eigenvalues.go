package laplacian

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas64"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
)

// SpectrumVersion is the version of the eigenvalues and of the estimated density. It grows when the
// same matrix gives other numbers, so that stored ones are not used.
const SpectrumVersion = 2

// LambdaMax returns λmax, the largest eigenvalue of op, as [linalg.LargestEigenvalue]
// computes it from a fixed random vector: every call gives the same value.
func LambdaMax(ctx context.Context, op linalg.Operator) (float64, error) {
	l, err := linalg.LargestEigenvalue(ctx, op, rng.New(0, rng.Only))
	return l.Value, err
}

// ResolveFilter returns f with a number for k: 1/λmax of op if f.K is
// [laplacian.InverseLambdaMax], and otherwise f unchanged. It returns an error for
// an invalid filter and for 1/λmax of a graph without edges.
func ResolveFilter(ctx context.Context, op linalg.Operator, f Filter) (Filter, error) {
	if f.K != InverseLambdaMax {
		return f, f.Check()
	}
	lambda, err := LambdaMax(ctx, op)
	if err != nil {
		return f, err
	}
	return f.Resolve(lambda)
}

// MaxOrder is the largest number of rows of which [Eigenvalues] computes all eigenvalues.
const MaxOrder = 5000

// Eigenvalues returns all n eigenvalues of op, ascending, each repeated according to
// its multiplicity. Their error is a small multiple of 10⁻¹⁵ times the largest one, so
// zeros appear as numbers like −3·10⁻¹⁵. It takes n products with op, and (4/3)m³
// operations and 8m² bytes for a connected component of m nodes.
//
// It returns an error if ctx is done, if op has more than [MaxOrder] rows (use
// [Distribution] for those) or if its products are not finite.
func Eigenvalues(ctx context.Context, op linalg.Operator) (values []float64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("all eigenvalues: %w", err)
		}
	}()
	n := op.Dim()
	if n > MaxOrder {
		return nil, fmt.Errorf("%d nodes, want at most %d", n, MaxOrder)
	}
	matrix, err := lowerTriangle(ctx, op)
	if err != nil {
		return nil, err
	}
	values = make([]float64, 0, n)
	for _, nodes := range components(matrix) {
		d, e, err := tridiagonalize(ctx, submatrix(matrix, nodes))
		if err != nil {
			return nil, err
		}
		if !(lapackgo.Implementation{}).Dsterf(len(d), d, e) {
			return nil, fmt.Errorf("QL iteration on a tridiagonal matrix of order %d did not converge", len(d))
		}
		values = append(values, d...)
	}
	slices.Sort(values)
	return values, nil
}

// lowerTriangle returns the rows of op's lower triangle, from products with unit vectors, or an error that
// names an entry that is not a finite number.
func lowerTriangle(ctx context.Context, op linalg.Operator) ([][]float64, error) {
	n := op.Dim()
	rows := triangle(n)
	if n == 0 {
		return rows, nil
	}
	unit, row := column(n), column(n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		unit.Data[i] = 1
		if err := op.MulTo(ctx, row, unit); err != nil {
			return nil, err
		}
		unit.Data[i] = 0
		copy(rows[i], row.Data)
		for j, v := range rows[i] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("entry (%d, %d) of the operator is %v, want a finite number", i, j, v)
			}
		}
	}
	return rows, nil
}

// column returns an n×1 matrix of zeros.
func column(n int) blas64.General {
	return blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)}
}

// triangle returns a lower triangle of zeros: n rows of 1 to n numbers, in one piece of memory.
func triangle(n int) [][]float64 {
	rows, data := make([][]float64, n), make([]float64, n*(n+1)/2)
	for i := range rows {
		rows[i], data = data[:i+1:i+1], data[i+1:]
	}
	return rows
}

// components returns the connected components of the graph whose edges are the nonzero entries of the
// matrix, given as a lower triangle: the nodes of each, ascending. Components are in the order of their
// first nodes.
func components(matrix [][]float64) (all [][]int) {
	rest := make([]int, len(matrix)) // nodes without a component
	for i := range rest {
		rest[i] = i
	}
	for len(rest) > 0 {
		nodes := []int{rest[0]}
		rest = rest[1:]
		for head := 0; head < len(nodes); head++ {
			i := nodes[head]
			rest = slices.DeleteFunc(rest, func(j int) bool {
				linked := matrix[max(i, j)][min(i, j)] != 0
				if linked {
					nodes = append(nodes, j)
				}
				return linked
			})
		}
		slices.Sort(nodes)
		all = append(all, nodes)
	}
	return all
}

// submatrix returns the lower triangle of the rows and columns of the given nodes, which are ascending. For
// all nodes, it is the matrix itself.
func submatrix(matrix [][]float64, nodes []int) [][]float64 {
	if len(nodes) == len(matrix) {
		return matrix
	}
	sub := triangle(len(nodes))
	for i, from := range nodes {
		for j := range sub[i] {
			sub[i][j] = matrix[from][nodes[j]]
		}
	}
	return sub
}

// tridiagonalize returns the diagonal d and the off-diagonal e of a tridiagonal matrix
// with the eigenvalues of the symmetric matrix whose lower triangle a holds, which it
// overwrites. Householder reflections reduce the last row first, so that the part left
// is always the first rows. A reflection changes the remaining matrix A to A − v·wᵀ −
// w·vᵀ, where w requires the product A·v. Because moving A through memory dominates the
// cost, one pass applies one reflection and computes the product for the next.
func tridiagonalize(ctx context.Context, a [][]float64) (d, e []float64, err error) {
	n := len(a)
	d, e = make([]float64, n), make([]float64, max(0, n-1))
	// v and w belong to the last reflection, and product is A·v for the next.
	v, w := make([]float64, n), make([]float64, n)
	spare, product := make([]float64, n), make([]float64, n) // spare is the memory of the next w
	partial := make([][]float64, parts)                      // each band's part of A·x
	for p := range partial {
		partial[p] = make([]float64, n)
	}
	for k := n - 1; k > 0; k-- {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		// Row k is updated ahead of the others: it determines the next reflection,
		// which maps its first k elements to (0, …, 0, e).
		row := a[k]
		for j := range row {
			row[j] -= v[k]*w[j] + w[k]*v[j]
		}
		d[k] = row[k]
		reflector := row[:k]
		beta, tau := lapackgo.Implementation{}.Dlarfg(k, reflector[k-1], reflector[:k-1], 1)
		reflector[k-1] = 1
		e[k-1] = beta

		updateAndMultiply(a[:k], v, w, reflector, product[:k], partial)
		// w = τ·p − τ²/2·(p·x)·x for the reflection I − τ·x·xᵀ and the product p = A·x.
		x, p := blas64.Vector{N: k, Inc: 1, Data: reflector}, blas64.Vector{N: k, Inc: 1, Data: product}
		next := blas64.Vector{N: k, Inc: 1, Data: spare}
		blas64.Copy(p, next)
		blas64.Scal(tau, next)
		blas64.Axpy(-tau*tau/2*blas64.Dot(p, x), x, next)
		v, w, spare = reflector, spare, w
	}
	if n > 0 {
		d[0] = a[0][0]
	}
	return d, e, nil
}

const (
	// parts is the number of bands of rows that cores process at a time. Their partial
	// sums are added in order, so the number of cores does not change the result.
	parts = 8
	// smallOrder is the order from which bands pay off.
	smallOrder = 256
)

// updateAndMultiply changes the symmetric matrix A, given by its lower triangle a, to A − v·wᵀ − w·vᵀ, and
// sets product to the new A times x. partial is workspace: a vector for each band.
func updateAndMultiply(a [][]float64, v, w, x, product []float64, partial [][]float64) {
	k := len(a)
	if k < smallOrder {
		clear(product)
		updateRows(a, 0, k, v, w, x, product)
		return
	}
	linalg.Parallel(parts, 1, func(p, _ int) {
		hi := bandStart(k, p+1)
		clear(partial[p][:hi])
		updateRows(a, bandStart(k, p), hi, v, w, x, partial[p][:hi])
	})
	clear(product)
	for p, sums := range partial {
		for j, s := range sums[:bandStart(k, p+1)] {
			product[j] += s
		}
	}
}

// bandStart returns the first row of band p of the lower triangle of order k. All bands
// have about the same number of elements.
func bandStart(k, p int) int {
	return int(math.Round(float64(k) * math.Sqrt(float64(p)/parts)))
}

// updateRows sets rows lo to hi of the lower triangle a to those of A − v·wᵀ − w·vᵀ, and adds to y what
// they and their mirror images contribute to the product of the new A and x. It takes two rows, r and
// q, at a time, which reads the vectors half as often.
func updateRows(a [][]float64, lo, hi int, v, w, x, y []float64) {
	i := lo
	for ; i+1 < hi; i += 2 {
		r, q := a[i][:i], a[i+1][:i]
		vr, wr, xr := v[i], w[i], x[i]
		vq, wq, xq := v[i+1], w[i+1], x[i+1]
		// Equal lengths eliminate bounds checks in the inner loop.
		vs, ws, xs, ys := v[:len(r)], w[:len(r)], x[:len(r)], y[:len(r)]
		q = q[:len(r)]
		sumR, sumQ := 0.0, 0.0
		for j := range r {
			s := r[j] - vr*ws[j] - wr*vs[j]
			t := q[j] - vq*ws[j] - wq*vs[j]
			r[j], q[j] = s, t
			sumR += s * xs[j]
			sumQ += t * xs[j]
			ys[j] += s*xr + t*xq
		}
		// The 2×2 block on the diagonal.
		a[i][i] -= 2 * vr * wr
		a[i+1][i] -= vq*wr + wq*vr
		a[i+1][i+1] -= 2 * vq * wq
		y[i] += sumR + a[i][i]*xr + a[i+1][i]*xq
		y[i+1] += sumQ + a[i+1][i]*xr + a[i+1][i+1]*xq
	}
	if i < hi {
		row, sum := a[i], 0.0
		for j := range i {
			row[j] -= v[i]*w[j] + w[i]*v[j]
			sum += row[j] * x[j]
			y[j] += row[j] * x[i]
		}
		row[i] -= 2 * v[i] * w[i]
		y[i] += sum + row[i]*x[i]
	}
}
