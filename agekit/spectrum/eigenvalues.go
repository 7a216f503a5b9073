package spectrum

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas64"
	lapackgo "gonum.org/v1/gonum/lapack/gonum"
)

// LambdaMax returns λmax, the largest eigenvalue of op, as [eigen.Largest]
// computes it from a fixed random vector: every call gives the same value.
func LambdaMax(ctx context.Context, op eigen.Operator) (float64, error) {
	l, err := eigen.Largest(ctx, op, rand.New(rand.NewPCG(0, 0)))
	return l.Value, err
}

// ResolveFilter returns f with a number for k: 1/λmax of op if f.K is
// [laplacian.InverseLambdaMax], and otherwise f unchanged. It returns an error for
// an invalid filter and for 1/λmax of a graph without edges.
func ResolveFilter(ctx context.Context, op eigen.Operator, f laplacian.Filter) (laplacian.Filter, error) {
	if f.K != laplacian.InverseLambdaMax {
		return f, f.Validate()
	}
	lambda, err := LambdaMax(ctx, op)
	if err != nil {
		return f, err
	}
	return f.Resolve(lambda)
}

// MaxOrder is the largest number of nodes for which [Eigenvalues] computes all
// eigenvalues.
const MaxOrder = 5000

// Eigenvalues returns all n eigenvalues of op, ascending, each repeated according to
// its multiplicity. Their error is a small multiple of 10⁻¹⁵ times the largest one, so
// zeros appear as numbers like −3·10⁻¹⁵. It takes n products with op, (4/3)n³
// operations and 8n² bytes, where n is the size of the largest connected component,
// because the components are solved separately.
//
// It returns an error if ctx is done, if op has more than [MaxOrder] rows (use
// [EstimateDensity] for those) or if its products are not finite.
func Eigenvalues(ctx context.Context, op eigen.Operator) ([]float64, error) {
	values, err := eigenvalues(ctx, op)
	if err != nil {
		return nil, fmt.Errorf("all eigenvalues: %w", err)
	}
	return values, nil
}

func eigenvalues(ctx context.Context, op eigen.Operator) ([]float64, error) {
	n := op.Dim()
	if n > MaxOrder {
		return nil, fmt.Errorf("%d nodes, want at most %d", n, MaxOrder)
	}
	matrix, err := lowerTriangle(ctx, op)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, n)
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

// lowerTriangle returns the rows of op's lower triangle, diagonal included,
// from its products with the unit vectors.
func lowerTriangle(ctx context.Context, op eigen.Operator) ([][]float64, error) {
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

// triangle returns n rows of 1 to n zeros.
func triangle(n int) [][]float64 {
	rows, data := make([][]float64, n), make([]float64, n*(n+1)/2)
	for i := range rows {
		rows[i], data = data[:i+1:i+1], data[i+1:]
	}
	return rows
}

// components returns the connected components of the graph whose edges are the
// nonzero entries of the matrix, with nodes ascending.
func components(matrix [][]float64) [][]int {
	parent := make([]int, len(matrix))
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, row := range matrix {
		parent[i] = i
		for j, v := range row[:i] {
			if v != 0 {
				// The smaller number is the root, so that roots come first.
				a, b := root(i), root(j)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	var blocks [][]int
	place := make([]int, len(matrix))
	for i := range matrix {
		r := root(i)
		if r == i {
			place[i] = len(blocks)
			blocks = append(blocks, nil)
		}
		blocks[place[r]] = append(blocks[place[r]], i)
	}
	return blocks
}

// submatrix returns the rows and columns of the given nodes: a copy, or the
// matrix itself if these are all nodes.
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
