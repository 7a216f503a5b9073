package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestQuadratic: the inner products of φ(r) and φ(s) are the polynomial kernel (r·s + c)², written out, to
// 1e-5, and there are (k+1)(k+2)/2 coordinates.
func TestQuadratic(t *testing.T) {
	const n, k, c = 7, 4, 0.3
	rnd := rand.New(rand.NewPCG(1, 1))
	u := blas64.General{Rows: n, Cols: k, Stride: k}
	for range n * k {
		u.Data = append(u.Data, rnd.NormFloat64())
	}
	z := quadratic(u, c)
	if z.Cols != 15 {
		t.Fatalf("%d coordinates, want 15", z.Cols)
	}
	dense := linalg.Float64(z)
	var got mat.Dense
	got.Mul(dense, dense.T())
	want := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			sum := c
			for a := range k {
				sum += u.Data[i*k+a] * u.Data[j*k+a]
			}
			want.Set(i, j, sum*sum)
		}
	}
	if !mat.EqualApprox(&got, want, 1e-5) {
		t.Errorf("kernel %v, want %v", mat.Formatted(&got), mat.Formatted(want))
	}
}

// TestSAGSC compares H with the formula on dense powers of Ŝ in float64, to 1e-6 of its largest entry, and
// the embedding with gonum's singular vectors: the kernel of U, which is all that counts, is (UUᵗ + c)² entry
// by entry, and the embedding spans the space of the eigenvectors 2 to k+1 of the kernel divided by the
// roots of its row sums, to 1e-4. Features that are not 0 or 1 are not weighed, but in published mode, whose H is
// compared with dense powers of D⁻¹(Ŝ+I).
func TestSAGSC(t *testing.T) {
	g := weightedTwelve(t)
	m := sagsc{Layers: 3, Bias: math.Sqrt2 / 2}
	const k = 3
	x := denseUnitX(g)
	unitLength(x)
	n, f := x.Dims()
	smoothed := func(filter, x mat.Matrix) *mat.Dense {
		var power, h mat.Dense
		power.Pow(filter, m.Layers)
		h.Mul(&power, x)
		for j := range f {
			mean := mat.Sum(h.ColView(j)) / float64(n)
			for i := range n {
				h.Set(i, j, h.At(i, j)-mean)
			}
		}
		return &h
	}
	convolution := denseConvolution(g.Adjacency)
	h := smoothed(convolution, x)
	wantMatrix(t, "H", testutil.Value(m.smooth(t.Context(), g)).OrFatal(t), h, 1e-6)

	lazy := mat.DenseCopyOf(convolution)
	for i := range n {
		lazy.Set(i, i, lazy.At(i, i)+1)
		row := lazy.Slice(i, i+1, 0, n).(*mat.Dense)
		row.Scale(1/mat.Sum(row), row)
	}
	weighed := linalg.Float64(smoothTFIDF(g.Features).ToDense())
	unitLength(weighed)
	published := m
	published.Published = true
	wantMatrix(t, "H of published mode", testutil.Value(published.smooth(t.Context(), g)).OrFatal(t), smoothed(lazy, weighed), 1e-6)

	left := func(a mat.Matrix) *mat.Dense {
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			t.Fatal("no singular vectors")
		}
		var u mat.Dense
		svd.UTo(&u)
		return &u
	}
	u := left(h).Slice(0, n, 0, k)
	var kernel, squared mat.Dense
	kernel.Mul(u, u.T())
	squared.Apply(func(_, _ int, v float64) float64 { return (v + m.Bias) * (v + m.Bias) }, &kernel)
	degrees := make([]float64, n)
	for i := range degrees {
		degrees[i] = mat.Sum(squared.RowView(i))
	}
	squared.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(degrees[i]*degrees[j]) }, &squared)
	want := left(&squared).Slice(0, n, 1, k+1) // of a symmetric, positive matrix: its eigenvectors

	out := testutil.Value(asMethod(m).Fit(t.Context(), g, Options{Clusters: k, Seed: 1})).OrFatal(t)
	var cosines mat.Dense
	cosines.Mul(want.T(), linalg.Float64(out.Embedding))
	var svd mat.SVD
	svd.Factorize(&cosines, mat.SVDNone)
	for _, c := range svd.Values(nil) {
		if math.Abs(c-1) > 1e-4 {
			t.Errorf("cosines %v, want 1", svd.Values(nil))
		}
	}
}
