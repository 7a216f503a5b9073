package baseline

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/units"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// denseFeatures returns X, divided by its unit (units.Of), as a
// dense matrix. It returns an error if the given number of such matrices does not
// fit into memory, if there are no features, or if all are 0.
func denseFeatures(x graph.Features, matrices int) (blas32.General, error) {
	n, f := x.Dims()
	out := dense.Shape(n, f)
	if f == 0 {
		return out, errNoFeatures
	}
	if err := limit.Memory(fmt.Sprintf("%d matrices of %d nodes and %d features", matrices, n, f), 4*float64(matrices)*float64(n)*float64(out.Stride)); err != nil {
		return out, err
	}
	if units.Largest(x) == 0 {
		return out, fmt.Errorf("the graph's %d features are all 0: want some that are not", f)
	}
	from := units.Normalized(x).ToDense()
	out = dense.New(n, f)
	for i := range n {
		copy(dense.Row(out, i)[:f], from.Data[i*from.Stride:])
	}
	return out, nil
}

// series returns Σ cₜTᵗX for a sparse matrix T, with t from 0 on. It overwrites x.
func series(ctx context.Context, t *graph.CSR, x blas32.General, c []float64) (blas32.General, error) {
	sum, next := dense.New(x.Rows, x.Cols), dense.New(x.Rows, x.Cols)
	for power, weight := range c {
		if err := ctx.Err(); err != nil {
			return sum, fmt.Errorf("smoothing %d of %d times: %w", power, len(c)-1, err)
		}
		if power > 0 {
			mulSparse(next, t, x)
			x, next = next, x
		}
		parallel.Blocks(x.Rows, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				simd.Axpy(float32(weight), dense.Row(x, i), dense.Row(sum, i))
			}
		})
	}
	return sum, nil
}

// gramOperator is ZZᵗ, or another affinity of Z with zᵢ·zᵢ on its diagonal, with
// that diagonal.
func gramOperator(s cluster.Affinity, z blas32.General) eigen.Operator {
	squares := make([]float64, z.Rows)
	for i := range squares {
		for _, v := range dense.Row(z, i) {
			squares[i] += float64(v) * float64(v)
		}
	}
	return eigen.New(z.Rows, func(ctx context.Context, dst, x blas64.General) error {
		if err := s.MulTo(ctx, dst, x); err != nil {
			return err
		}
		for i, square := range squares {
			to := dst.Data[i*dst.Stride:][:dst.Cols]
			for c, v := range x.Data[i*x.Stride:][:x.Cols] {
				to[c] += square * v
			}
		}
		return nil
	})
}

// rounded returns m in float32.
func rounded(m blas64.General) blas32.General {
	out := dense.New(m.Rows, m.Cols)
	for i := range m.Rows {
		for c, v := range m.Data[i*m.Stride:][:m.Cols] {
			out.Data[i*out.Stride+c] = float32(v)
		}
	}
	return out
}
