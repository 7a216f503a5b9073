package cluster_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// embeddings returns n rows of d nonnegative numbers, of length 1, around k
// centers, as AGE's embeddings are.
func embeddings(n, d, k int) (z blas32.General, labels []int) {
	rnd := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	centers := make([]float64, k*d)
	for i := range centers {
		centers[i] = rnd.Float64()
	}
	z = blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
	labels = make([]int, n)
	row := make([]float64, d)
	for i := range n {
		labels[i] = rnd.IntN(k)
		norm := 0.0
		for j := range row {
			row[j] = max(0.01, centers[labels[i]*d+j]+0.6*rnd.NormFloat64())
			norm += row[j] * row[j]
		}
		for j, v := range row {
			z.Data[i*d+j] = float32(v / math.Sqrt(norm))
		}
	}
	return z, labels
}

// benchEmbeddings measures a stage on embeddings with the width and the number
// of classes of Cora's.
func benchEmbeddings(b *testing.B, sizes [3]int, multiplyAdds func(z blas32.General) float64, run func(z blas32.General, labels []int) error) {
	testutil.BenchSizes(b, sizes, func(b *testing.B, n int) func() error {
		z, labels := embeddings(n, 500, 7)
		testutil.ReportFloor(b, multiplyAdds(z), float64(4*n*z.Cols+8*n))
		return func() error { return run(z, labels) }
	})
}

// countedAffinity counts the products with blocks of eight vectors.
type countedAffinity struct {
	cluster.Affinity
	blocks int
}

func (a *countedAffinity) MulTo(ctx context.Context, dst, x blas64.General) error {
	a.blocks += x.Cols / 8
	return a.Affinity.MulTo(ctx, dst, x)
}

// BenchmarkSpectral: the floor has only the products with Zᵀ and Z in float64, for the degrees
// and for each block of eight vectors.
func BenchmarkSpectral(b *testing.B) {
	run := func(a cluster.Affinity) error {
		_, err := cluster.Spectral(b.Context(), a, 7, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	multiplyAdds := func(z blas32.General) float64 {
		counted := &countedAffinity{Affinity: cluster.Gram(z)}
		testutil.NoError(b, run(counted))
		return 2 * float64(2+16*counted.blocks) * float64(z.Rows*z.Cols)
	}
	benchEmbeddings(b, [3]int{1_000, 4_000, 16_000}, multiplyAdds, func(z blas32.General, _ []int) error { return run(cluster.Gram(z)) })
}

// BenchmarkDaviesBouldin: above 1,000 rows the products are float32.
func BenchmarkDaviesBouldin(b *testing.B) {
	multiplyAdds := func(z blas32.General) float64 { // two triangles of ZᵀZ's size
		counted := float64(z.Rows * z.Cols * (z.Cols + 1))
		if z.Rows <= 1000 {
			counted *= 2
		}
		return counted
	}
	benchEmbeddings(b, [3]int{1_000, 8_000, 40_000}, multiplyAdds, func(z blas32.General, labels []int) error {
		_, err := cluster.DaviesBouldinGram(b.Context(), z, labels)
		return err
	})
}

// BenchmarkKMeans: one run, with the number of columns of a spectral embedding.
func BenchmarkKMeans(b *testing.B) {
	testutil.BenchSizes(b, [3]int{2_000, 20_000, 200_000}, func(b *testing.B, n int) func() error {
		z, _ := embeddings(n, 7, 7)
		return func() error {
			_, err := cluster.KMeans(b.Context(), z, 7, cluster.KMeansOptions{Restarts: 1}, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}
