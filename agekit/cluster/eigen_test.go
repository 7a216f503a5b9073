package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// denseEmbedding computes the spectral embedding by its definition, from the
// n×n matrix that s represents.
func denseEmbedding(t *testing.T, full matrix[float64], k int, scaling Scaling) (matrix[float64], []float64) {
	n := full.rows
	roots := make([]float64, n)
	for i := range n {
		full.row(i)[i] = 0
		for _, v := range full.row(i) {
			roots[i] += v
		}
		roots[i] = math.Sqrt(roots[i])
		if roots[i] == 0 {
			roots[i] = 1
		}
	}
	for i := range n {
		for j := range n {
			full.row(i)[j] /= roots[i] * roots[j]
		}
	}
	values, vectors, err := eigenSym(full)
	if err != nil {
		t.Fatal(err)
	}
	points := vectors.slice(0, n, 0, k)
	for i := range n {
		factor := map[Scaling]float64{RandomWalk: 1 / roots[i], Degree: roots[i], NJW: 1 / math.Sqrt(squaredNorm(points.row(i)))}[scaling]
		for c := range points.row(i) {
			points.row(i)[c] *= factor
		}
	}
	return points, values
}

// positiveFeatures returns n×d features, half of them zero, without zero rows.
func positiveFeatures(rnd *rand.Rand, n, d int) matrix[float32] {
	z := randomMatrix[float32](rnd, n, d, d+5)
	for i, v := range z.data {
		z.data[i] = max(0, v)
	}
	for i := range n {
		z.row(i)[0] += 0.1
	}
	return z
}

// TestEmbeddingAgainstDense compares the spectral embedding with that of the
// whole n×n matrix. It compares inner products of the embedding's rows, because
// these do not depend on the signs of eigenvectors, to 1e-6 of the largest.
func TestEmbeddingAgainstDense(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct{ n, d, k int }{{20, 12, 3}, {300, 12, 1}, {300, 12, 6}, {400, 500, 1}, {401, 17, 17}} {
		z := positiveFeatures(rnd, size.n, size.d)
		clear(z.row(size.n / 2)) // a row without affinities
		full := newMatrix(size.n, size.n)
		for i := range size.n {
			for j := range size.n {
				for c, v := range z.row(i) {
					full.row(i)[j] += float64(v) * float64(z.row(j)[c])
				}
			}
		}
		for _, scaling := range []Scaling{RandomWalk, Degree, NJW} {
			copied := newMatrix(size.n, size.n)
			copyRows(copied, full)
			want, wantValues := denseEmbedding(t, copied, size.k, scaling)
			got, values, err := spectralEmbedding(t.Context(), Gram(blas32.General{Rows: z.rows, Cols: z.cols, Stride: z.stride, Data: z.data}), size.k, 0, scaling, rnd)
			if err != nil {
				t.Fatal(err)
			}
			for c, v := range values {
				if math.Abs(v-wantValues[c]) > 1e-12 {
					t.Errorf("%v: eigenvalue %d is %.15f, want %.15f", size, c, v, wantValues[c])
				}
			}
			if gap := wantValues[size.k-1] - wantValues[size.k]; gap < 1e-3 {
				t.Fatalf("%v: gap %v is too small for a comparison", size, gap)
			}
			comparePairs(t, got, want, size.n/2)
		}
	}
}

// comparePairs compares the inner products of all pairs of rows, except for the
// row without affinities, which is embedded at zero up to rounding.
func comparePairs(t *testing.T, got, want matrix[float64], without int) {
	t.Helper()
	worst, largest := 0.0, 0.0
	for i := range want.rows {
		if i == without {
			continue
		}
		for j := range i + 1 {
			g, w := 0.0, 0.0
			for c := range want.cols {
				g += got.row(i)[c] * got.row(j)[c]
				w += want.row(i)[c] * want.row(j)[c]
			}
			if j != without {
				worst, largest = max(worst, math.Abs(g-w)), max(largest, math.Abs(w))
			}
		}
	}
	if !(worst <= 1e-6*largest) {
		t.Errorf("%d×%d: products of embedded rows are off by up to %.2g, the largest is %.2g", want.rows, want.cols, worst, largest)
	}
}

// ring returns the adjacency of a cycle of n nodes, whose eigenvalues are
// 2cos(2πj/n).
func ring(t *testing.T, n int) *graph.CSR {
	u, v := make([]int32, n), make([]int32, n)
	for i := range n {
		u[i], v[i] = int32(i), int32((i+1)%n)
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRestarts runs with the smallest basis on a cycle, whose leading
// eigenvalues are close together and come in pairs.
func TestRestarts(t *testing.T) {
	const n, k = 200, 5
	s := sparse{ring(t, n)}
	m := symmetric{n, func(dst, x matrix[float64]) error {
		if err := s.MulTo(t.Context(), to64(dst), to64(x)); err != nil {
			return err
		}
		for i := range dst.rows {
			for c := range dst.row(i) {
				dst.row(i)[c] /= 2
			}
		}
		return nil
	}}
	values, vectors, err := blockLanczos(t.Context(), m, k, 0, lanes, padded(k)+4*lanes, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range values {
		if want := math.Cos(2 * math.Pi * float64((c+1)/2) / n); math.Abs(v-want) > 1e-12 {
			t.Errorf("eigenvalue %d is %.15f, want %.15f", c, v, want)
		}
	}
	image := newMatrix(n, vectors.cols)
	if err := m.apply(image, vectors); err != nil {
		t.Fatal(err)
	}
	products, err := mulTrans(t.Context(), vectors, vectors)
	if err != nil {
		t.Fatal(err)
	}
	for c := range k {
		residual := 0.0
		for i := range n {
			residual += math.Pow(image.row(i)[c]-values[c]*vectors.row(i)[c], 2)
		}
		if math.Sqrt(residual) > 2*eigenTolerance {
			t.Errorf("eigenvector %d: residual %.2g", c, math.Sqrt(residual))
		}
		for e := range k {
			want := 0.0
			if c == e {
				want = 1
			}
			if math.Abs(products.row(c)[e]-want) > 1e-12 {
				t.Errorf("eigenvectors %d and %d: product %v, want %v", c, e, products.row(c)[e], want)
			}
		}
	}
}

// TestManyComponents: an affinity with one component per eigenvector, more than
// a block holds, has eigenvalue 1 once per component.
func TestManyComponents(t *testing.T) {
	const components, size = 20, 15
	var u, v []int32
	for i := range int32(components * size) {
		for j := i + 1; j < (i/size+1)*size; j++ {
			u, v = append(u, i), append(v, j)
		}
	}
	a, err := graph.Adjacency(components*size, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, values, err := spectralEmbedding(t.Context(), sparse{a}, components, 0, RandomWalk, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range values {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("eigenvalue %d is %v, want 1", c, v)
		}
	}
}
