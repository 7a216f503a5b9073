package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// randomMatrix returns a matrix of normal random numbers, also in the padding between rows, which must not
// be read.
func randomMatrix[T float32 | float64](rnd *rand.Rand, rows, cols, stride int) linalg.Matrix[T] {
	m := linalg.Matrix[T]{Rows: rows, Cols: cols, Stride: stride, Data: make([]T, rows*stride)}
	for i := range m.Data {
		m.Data[i] = T(rnd.NormFloat64())
	}
	return m
}

// denseEmbedding returns the spectral embedding in k dimensions and all eigenvalues, in descending order. It
// computes them by definition, with gonum's eigenvectors of the whole n×n affinity matrix full, which
// it overwrites.
func denseEmbedding(t *testing.T, full linalg.Matrix[float64], k int, scaling Scaling) (linalg.Matrix[float64], []float64) {
	n := full.Rows
	roots := make([]float64, n) // √dᵢ
	for i := range n {
		full.Row(i)[i] = 0
		for _, v := range full.Row(i) {
			roots[i] += v
		}
		roots[i] = math.Sqrt(roots[i])
		if roots[i] == 0 {
			roots[i] = 1
		}
	}
	for i := range n {
		for j := range n {
			full.Row(i)[j] /= roots[i] * roots[j]
		}
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, full.Data), true) {
		t.Fatal("no eigenvalues")
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	values := e.Values(nil)
	slices.Reverse(values) // gonum's eigenvalues ascend
	points := linalg.NewMatrix[float64](n, k)
	for i := range n {
		for c := range k {
			points.Row(i)[c] = vectors.At(i, n-1-c)
		}
		factor := map[Scaling]float64{
			RandomWalk: 1 / roots[i],
			Degree:     roots[i],
			NJW:        1 / math.Sqrt(linalg.SumOfSquares(points.Row(i))),
		}[scaling]
		for c := range points.Row(i) {
			points.Row(i)[c] *= factor
		}
	}
	return points, values
}

// positiveFeatures returns n×d features, half of them zero, without zero rows.
func positiveFeatures(rnd *rand.Rand, n, d int) linalg.Matrix[float32] {
	z := randomMatrix[float32](rnd, n, d, d+5)
	for i, v := range z.Data {
		z.Data[i] = max(0, v)
	}
	for i := range n {
		z.Row(i)[0] += 0.1
	}
	return z
}

// TestEmbeddingAgainstDense compares the spectral embedding of rows Z with [denseEmbedding] of the whole
// matrix ZZᵀ, in each scaling: eigenvalues to 1e-12, and inner products of the embedded rows, which do
// not depend on the signs of eigenvectors, to 1e-6 of the largest.
func TestEmbeddingAgainstDense(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct{ n, d, k int }{{20, 12, 3}, {300, 12, 1}, {300, 12, 6}, {400, 500, 1}, {401, 17, 17}} {
		z := positiveFeatures(rnd, size.n, size.d)
		withoutAffinities := size.n / 2 // a row of zeros
		clear(z.Row(withoutAffinities))
		full := linalg.NewMatrix[float64](size.n, size.n)
		for i := range size.n {
			for j := range size.n {
				for c, v := range z.Row(i) {
					full.Row(i)[j] += float64(v) * float64(z.Row(j)[c])
				}
			}
		}
		for _, scaling := range []Scaling{RandomWalk, Degree, NJW} {
			copied := linalg.NewMatrix[float64](size.n, size.n)
			linalg.CopyRows(copied, full)
			want, wantValues := denseEmbedding(t, copied, size.k, scaling)
			got, values, err := spectralEmbedding(t.Context(), Gram(blas32.General{Rows: z.Rows, Cols: z.Cols, Stride: z.Stride, Data: z.Data}), size.k, 0, scaling, rnd)
			testutil.NoError(t, err)
			for c, v := range values {
				if math.Abs(v-wantValues[c]) > 1e-12 {
					t.Errorf("%v: eigenvalue %d is %.15f, want %.15f", size, c, v, wantValues[c])
				}
			}
			// A precondition: the k-th eigenvector is well separated from the next one.
			if gap := wantValues[size.k-1] - wantValues[size.k]; gap < 1e-3 {
				t.Fatalf("%v: gap %v is too small for a comparison", size, gap)
			}
			comparePairs(t, got, want, withoutAffinities)
		}
	}
}

// comparePairs compares the inner products of all pairs of rows of got with those of want, to 1e-6 of the
// largest. It leaves out the row `without` affinities, which is embedded at zero up to rounding.
func comparePairs(t *testing.T, got, want linalg.Matrix[float64], without int) {
	t.Helper()
	worst, largest := 0.0, 0.0
	for i := range want.Rows {
		if i == without {
			continue
		}
		for j := range i + 1 {
			g, w := 0.0, 0.0
			for c := range want.Cols {
				g += got.Row(i)[c] * got.Row(j)[c]
				w += want.Row(i)[c] * want.Row(j)[c]
			}
			if j != without {
				worst, largest = max(worst, math.Abs(g-w)), max(largest, math.Abs(w))
			}
		}
	}
	if !(worst <= 1e-6*largest) {
		t.Errorf("%d×%d: products of embedded rows are off by up to %.2g, the largest is %.2g", want.Rows, want.Cols, worst, largest)
	}
}

// TestManyComponents checks that the leading eigenvalues of a graph of 20 complete components are all 1, once
// for each component, to 1e-12. A block of eight vectors holds fewer eigenvectors.
func TestManyComponents(t *testing.T) {
	const components, size = 20, 15
	var u, v []int32
	for i := range int32(components * size) {
		for j := i + 1; j < (i/size+1)*size; j++ {
			u, v = append(u, i), append(v, j)
		}
	}
	a := testutil.Value(graph.Adjacency(components*size, u, v, nil)).OrFatal(t)
	_, values, err := spectralEmbedding(t.Context(), sparse{a}, components, 0, RandomWalk, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	for c, v := range values {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("eigenvalue %d is %v, want 1", c, v)
		}
	}
}
