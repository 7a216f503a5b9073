package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestScale checks that rows multiplied by a power of two, which changes no digits, have the same clusters by
// k-means and three spectral clusterings, and the same Davies–Bouldin indices, to the last bit. Products
// of the scaled rows leave the range of float32, or are below the absolute tolerance of other programs.
func TestScale(t *testing.T) {
	const n, d, k = 1200, 20, 3 // enough rows for products in float32
	x := blobs(n, d, k, 0.5, 3)
	times := func(factor float64) blas32.General {
		y := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
		for i := range n {
			for j := range d {
				y.Data[i*d+j] = float32(math.Abs(float64(x.Data[i*x.Stride+j])) * factor)
			}
		}
		return y
	}
	results := func(z blas32.General) (labels [][]int, indices []float64) {
		t.Helper()
		means := testutil.Value(KMeans(t.Context(), z, k, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
		labels = append(labels, means.Labels)
		for _, s := range []Affinity{Gram(z), newGramPower(z, 3), newGramPower(z, 0.5)} {
			found := testutil.Value(Spectral(t.Context(), s, k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
			labels = append(labels, found.Labels)
		}
		plain := testutil.Value(DaviesBouldin(t.Context(), z, means.Labels)).OrFatal(t)
		gram := testutil.Value(DaviesBouldinGram(t.Context(), z, means.Labels)).OrFatal(t)
		return labels, []float64{plain, gram}
	}
	labels, indices := results(times(1))
	if indices[0] == 0 || indices[1] == 0 { // a precondition
		t.Fatalf("indices %v", indices)
	}
	for _, factor := range []float64{0x1p-100, 0x1p-60, 0x1p-20, 0x1p-4, 0x1p4, 0x1p20, 0x1p60, 0x1p100} {
		gotLabels, gotIndices := results(times(factor))
		for m := range labels {
			if !slices.Equal(gotLabels[m], labels[m]) {
				t.Errorf("rows times %g: method %d has other clusters", factor, m)
			}
		}
		if !slices.Equal(gotIndices, indices) {
			t.Errorf("rows times %g: indices %v, want %v", factor, gotIndices, indices)
		}
	}
}

// TestCheckSize checks that a clustering which needs more memory than is free is an error that says what to
// lower, for spectral clustering and k-means, and that a smaller one is not.
func TestCheckSize(t *testing.T) {
	x := blobs(300, 5, 3, 0.5, 3)
	t.Setenv(system.MemoryVariable, "1MB")
	for k, fits := range map[int]bool{3: true, 150: false} {
		_, err := Spectral(t.Context(), Gram(x), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))
		if fits && err != nil {
			t.Errorf("%d clusters: error %v", k, err)
		}
		if !fits {
			testutil.Fails(t, err, "lower the number of clusters")
		}
	}
	t.Setenv(system.MemoryVariable, "5kB")
	testutil.Value(KMeans(t.Context(), x, 100, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).Fails(t, "100 clusters of 300 rows")
}
