package views_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
)

// TestReduceColumns: in 8 columns, the rows of a matrix of rank 8, dense or sparse, have the distances
// that they had, and nearly so with noise. If as many columns are asked for as the matrix has, it is
// returned as it is.
func TestReduceColumns(t *testing.T) {
	const n, f, rank = 60, 300, 8
	rnd := rand.New(rand.NewPCG(1, 0))
	for noise, tolerance := range map[float64]float64{0: 1e-3, 0.02: 0.02} { // the latter for relative distances
		tall, wide := linalg.New(n, rank), linalg.New(rank, f) // whose product has the rank
		for _, m := range []blas32.General{tall, wide} {
			for p := range m.Data {
				m.Data[p] = float32(rnd.NormFloat64())
			}
		}
		x := linalg.New(n, f)
		for i := range n {
			for j := range f {
				v := noise * rnd.NormFloat64()
				for r := range rank {
					v += float64(tall.Data[i*tall.Stride+r] * wide.Data[r*wide.Stride+j])
				}
				x.Data[i*x.Stride+j] = float32(v)
			}
		}
		for name, features := range map[string]graph.Features{"dense": {Dense: &x}, "sparse": {Sparse: graph.FromDense(x)}} {
			few, err := views.ReduceColumns(t.Context(), features, rank, rnd)
			if err != nil {
				t.Fatal(err)
			}
			y := few.ToDense()
			if y.Cols != rank {
				t.Fatalf("%s: %d columns", name, y.Cols)
			}
			for i := range n {
				for j := range i {
					was, is := distance(x, i, j), distance(y, i, j)
					if math.Abs(is/was-1) > tolerance {
						t.Fatalf("%s, noise %v: distance %v, was %v", name, noise, is, was)
					}
				}
			}
			if same, err := views.ReduceColumns(t.Context(), features, f, rnd); err != nil || same != features {
				t.Errorf("%s: as many columns are left, but they changed", name)
			}
		}
	}
}

// distance returns the Euclidean distance of the rows i and j of m.
func distance(m blas32.General, i, j int) float64 {
	sum := 0.
	for c := range m.Cols {
		d := float64(m.Data[i*m.Stride+c] - m.Data[j*m.Stride+c])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// TestReduceRows: rows of a matrix of rank 6, of which there are several blocks, have in 6 columns the
// distances that they had. If more columns are asked for than the matrix has, the result has as many.
func TestReduceRows(t *testing.T) {
	const n, f, rank = 700, 90, 6
	rnd := rand.New(rand.NewPCG(2, 0))
	tall, wide, x := linalg.New(n, rank), linalg.New(rank, f), linalg.New(n, f)
	for _, m := range []blas32.General{tall, wide} {
		for p := range m.Data {
			m.Data[p] = float32(rnd.NormFloat64())
		}
	}
	for i := range n {
		for j := range f {
			for r := range rank {
				x.Data[i*x.Stride+j] += tall.Data[i*tall.Stride+r] * wide.Data[r*wide.Stride+j]
			}
		}
	}
	y, err := views.ReduceRows(t.Context(), linalg.InMemory(x), rank, rnd)
	if err != nil || y.Rows != n || y.Cols != rank {
		t.Fatalf("%d×%d (%v)", y.Rows, y.Cols, err)
	}
	for i := range n {
		if was, is := distance(x, i, (i+1)%n), distance(y, i, (i+1)%n); math.Abs(is/was-1) > 1e-3 {
			t.Fatalf("distance %v, was %v", is, was)
		}
	}
	if y, err := views.ReduceRows(t.Context(), linalg.InMemory(x), 2*f, rnd); err != nil || y.Cols != f {
		t.Errorf("%d columns of %d (%v)", y.Cols, f, err)
	}
}
