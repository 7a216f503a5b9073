package views

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// normalized is the regularized normalized adjacency matrix N = D^-½(A + τ/n·11ᵀ)D^-½, where D has the
// degrees of A + τ/n·11ᵀ. It adds weak edges between all nodes, whose weights sum to the mean degree
// τ for each node (Zhang and Rohe, NeurIPS 2018, arXiv:1806.01468). Without these edges, the leading
// eigenvectors would be those of small components.
type normalized struct {
	a     *graph.CSR // A
	tau   float64    // τ
	scale []float64  // the diagonal of D^-½
}

// newNormalized returns N for the adjacency matrix a. Without edges, τ is 1, not 0, so that N exists.
func newNormalized(a *graph.CSR) *normalized {
	m := &normalized{a: a, scale: make([]float64, a.Rows)}
	degrees := make([]float64, a.Rows)
	for i := range degrees {
		for _, w := range a.Each(i) {
			degrees[i] += float64(w)
		}
		m.tau += degrees[i] / float64(a.Rows)
	}
	m.tau = cmp.Or(m.tau, 1)
	for i, d := range degrees {
		m.scale[i] = 1 / math.Sqrt(d+m.tau)
	}
	return m
}

// mul sets dst = N·x.
func (m *normalized) mul(ctx context.Context, dst, x blas64.General) error {
	weak := make([]float64, x.Cols) // τ/n·1ᵀD^-½x, which the weak edges add to each row
	for i, s := range m.scale {
		for c, v := range x.Data[i*x.Stride:][:x.Cols] {
			weak[c] += s * v * m.tau / float64(x.Rows)
		}
	}
	return linalg.ParallelContext(ctx, x.Rows, linalg.RowGrain(x.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.Data[i*dst.Stride:][:x.Cols]
			copy(row, weak)
			for j, w := range m.a.Each(i) {
				s := float64(w) * m.scale[j]
				for c, v := range x.Data[int(j)*x.Stride:][:x.Cols] {
					row[c] += s * v
				}
			}
			for c := range row {
				row[c] *= m.scale[i]
			}
		}
	})
}

// mulSquare sets dst = N²·x. The leading eigenvectors of N² are those of N with the largest absolute
// eigenvalues. Where edges join unlike nodes, some of these are negative.
func (m *normalized) mulSquare(ctx context.Context, dst, x blas64.General) error {
	y := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, x.Rows*x.Cols)}
	if err := m.mul(ctx, y, x); err != nil {
		return err
	}
	return m.mul(ctx, dst, y)
}
