package spectrum

import (
	"context"
	"fmt"
	"math"
	"slices"

	lapackgo "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// MaxOrder is the largest number of nodes for which [Eigenvalues] computes all
// eigenvalues.
const MaxOrder = 5000

// EigenvaluesOptions are the options of [Eigenvalues].
type EigenvaluesOptions struct {
	// Progress, if set, is called from time to time with the fraction of the
	// work done, 0 to 1.
	Progress func(share float64)
}

// Eigenvalues returns all n eigenvalues of op, ascending, each repeated
// according to its multiplicity. Their error is a small multiple of 10⁻¹⁵
// times the largest one, so zeros appear as numbers like −3·10⁻¹⁵.
//
// It takes n products with op, (4/3)n³ operations and 8n² bytes, where n is
// the size of the largest connected component, because the components are
// solved separately. Cora takes about two seconds on two cores.
//
// It returns an error if ctx is done, if op has more than [MaxOrder] rows (use
// [EstimateDensity] for those) or if its products are not finite.
func Eigenvalues(ctx context.Context, op Operator, opts EigenvaluesOptions) ([]float64, error) {
	values, err := eigenvalues(ctx, op, opts)
	if err != nil {
		return nil, fmt.Errorf("all eigenvalues: %w", err)
	}
	return values, nil
}

func eigenvalues(ctx context.Context, op Operator, opts EigenvaluesOptions) ([]float64, error) {
	n := order(op)
	if n > MaxOrder {
		return nil, fmt.Errorf("%d nodes, want at most %d", n, MaxOrder)
	}
	matrix, err := lowerTriangle(ctx, op)
	if err != nil {
		return nil, err
	}
	blocks := components(matrix)
	total, done := 0.0, 0.0
	for _, nodes := range blocks {
		total += math.Pow(float64(len(nodes)), 3)
	}
	values := make([]float64, 0, n)
	for _, nodes := range blocks {
		size := float64(len(nodes))
		d, e, err := tridiagonalize(ctx, submatrix(matrix, nodes), func(left int) {
			if opts.Progress != nil {
				opts.Progress((done + size*size*size - math.Pow(float64(left), 3)) / total)
			}
		})
		if err != nil {
			return nil, err
		}
		done += size * size * size
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
func lowerTriangle(ctx context.Context, op Operator) ([][]float64, error) {
	n := order(op)
	rows := triangle(n)
	if n == 0 {
		return rows, nil
	}
	unit, row := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		unit.SetVec(i, 1)
		op.MulVecTo(row, false, unit)
		unit.SetVec(i, 0)
		copy(rows[i], row.RawVector().Data)
		for j, v := range rows[i] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("entry (%d, %d) of the operator is %v, want a finite number", i, j, v)
			}
		}
	}
	return rows, nil
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
