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

// embeddings returns n rows of d positive numbers, of length 1, around k random centers, like AGE's
// embeddings, and the center of each row.
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
			const spread = 0.6 // standard deviation around the center
			row[j] = max(0.01, centers[labels[i]*d+j]+spread*rnd.NormFloat64())
			norm += row[j] * row[j]
		}
		for j, v := range row {
			z.Data[i*d+j] = float32(v / math.Sqrt(norm))
		}
	}
	return z, labels
}

// coraWidth and coraClasses are the width of AGE's embedding of Cora and its number of classes.
const coraWidth, coraClasses = 500, 7

// benchEmbeddings measures run on embeddings of the given sizes with Cora's width and number of classes.
// multiplyAdds is the least number of multiplications that run needs, for a lower bound of its time.
func benchEmbeddings(b *testing.B, sizes [3]int, multiplyAdds func(z blas32.General) float64, run func(z blas32.General, labels []int) error) {
	testutil.BenchSizes(b, sizes, func(b *testing.B, n int) func() error {
		z, labels := embeddings(n, coraWidth, coraClasses)
		testutil.ReportFloor(b, multiplyAdds(z), float64(4*n*z.Cols+8*n))
		return func() error { return run(z, labels) }
	})
}

// countedAffinity is an affinity that counts, in blocks, its products with blocks of eight vectors.
type countedAffinity struct {
	cluster.Affinity
	blocks int
}

func (a *countedAffinity) MulTo(ctx context.Context, dst, x blas64.General) error {
	a.blocks += x.Cols / 8
	return a.Affinity.MulTo(ctx, dst, x)
}

// BenchmarkSpectral measures Spectral. The least number of multiplications is that of the products with Zᵀ
// and Z, for the degrees and for each block of eight vectors; in float64, they count twice.
func BenchmarkSpectral(b *testing.B) {
	run := func(a cluster.Affinity) error {
		_, err := cluster.Spectral(b.Context(), a, coraClasses, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 2)))
		return err
	}
	multiplyAdds := func(z blas32.General) float64 {
		counted := &countedAffinity{Affinity: cluster.Gram(z)}
		testutil.NoError(b, run(counted))
		return 2 * float64(2+16*counted.blocks) * float64(z.Rows*z.Cols)
	}
	benchEmbeddings(b, [3]int{1_000, 4_000, 16_000}, multiplyAdds, func(z blas32.General, _ []int) error { return run(cluster.Gram(z)) })
}

// BenchmarkDaviesBouldin measures DaviesBouldinGram. Up to 1,000 rows the products are float64, and count
// twice.
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

// BenchmarkKMeans measures one run, of as many columns and clusters as Cora's spectral embedding has.
func BenchmarkKMeans(b *testing.B) {
	testutil.BenchSizes(b, [3]int{2_000, 20_000, 200_000}, func(b *testing.B, n int) func() error {
		z, _ := embeddings(n, coraClasses, coraClasses)
		return func() error {
			_, err := cluster.KMeans(b.Context(), z, coraClasses, cluster.KMeansOptions{Restarts: 1}, rand.New(rand.NewPCG(1, 2)))
			return err
		}
	})
}
