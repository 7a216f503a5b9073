package cluster_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"gonum.org/v1/gonum/blas/blas32"
)

// embeddings returns n rows of d non-negative numbers, of length 1, around k
// centres: the form of AGE's embeddings.
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

var benchSizes = []struct{ n, d, k int }{{500, 100, 7}, {2708, 500, 7}, {2405, 500, 17}, {19717, 500, 3}}

func benchEmbeddings(b *testing.B, run func(z blas32.General, labels []int, k int)) {
	for _, s := range benchSizes {
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", s.n, s.d, s.k), func(b *testing.B) {
			z, labels := embeddings(s.n, s.d, s.k)
			b.ReportAllocs()
			for b.Loop() {
				run(z, labels, s.k)
			}
		})
	}
}

func BenchmarkSpectral(b *testing.B) {
	benchEmbeddings(b, func(z blas32.General, _ []int, k int) {
		if _, err := cluster.Spectral(b.Context(), cluster.Gram(z), k, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 2))); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkDaviesBouldinGram(b *testing.B) {
	benchEmbeddings(b, func(z blas32.General, labels []int, _ int) {
		if _, err := cluster.DaviesBouldinGram(b.Context(), z, labels); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkKMeans(b *testing.B) {
	for _, s := range []struct{ n, d, k int }{{2708, 7, 7}, {2708, 1433, 7}, {200000, 7, 7}} {
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", s.n, s.d, s.k), func(b *testing.B) {
			z, _ := embeddings(s.n, s.d, s.k)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := cluster.KMeans(b.Context(), z, s.k, cluster.KMeansOptions{Restarts: 1}, rand.New(rand.NewPCG(1, 2))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
