package cluster_test

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// TestBlocksAreFound checks a property on random rows: if rows of different blocks have no feature in common,
// the affinity is block-diagonal, and spectral clustering into as many clusters finds the blocks
// exactly (an ARI of 1).
func TestBlocksAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 12).Draw(t, "blocks")
		var truth []int
		for c := range k {
			for range rapid.IntRange(2, 25).Draw(t, "size") {
				truth = append(truth, c)
			}
		}
		scaling := rapid.SampledFrom([]cluster.Scaling{cluster.RandomWalk, cluster.NJW}).Draw(t, "scaling")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rnd.Shuffle(len(truth), func(i, j int) { truth[i], truth[j] = truth[j], truth[i] })
		const features = 3 // of each block
		z := blas32.General{Rows: len(truth), Cols: features * k, Stride: features * k, Data: make([]float32, features*k*len(truth))}
		for i, c := range truth {
			for j := range features {
				z.Data[i*z.Stride+features*c+j] = 0.1 + rnd.Float32()
			}
		}
		found, err := cluster.Spectral(t.Context(), cluster.Gram(z), k, cluster.SpectralOptions{Scaling: scaling}, rnd)
		if err != nil {
			t.Fatal(err)
		}
		if ari := metric.ARI(truth, found.Labels); ari < 1 {
			t.Fatalf("adjusted Rand index %v, want 1", ari)
		}
	})
}

// TestGramAndSparseAgree checks that [cluster.Gram] of rows and [cluster.Sparse] of the matrix of their
// products give the same clusters, and that these are about the planted ones (an ARI of 0.9 or more).
func TestGramAndSparseAgree(t *testing.T) {
	const n, d, k = 300, 100, 4
	z, truth := embeddings(n, d, k)
	var entries []graph.Entry
	for i := range z.Rows {
		for j := range z.Rows {
			s := float32(0)
			for c := range z.Cols {
				s += z.Data[i*z.Stride+c] * z.Data[j*z.Stride+c]
			}
			entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: s})
		}
	}
	s := cluster.Sparse(graph.FromEntries(z.Rows, z.Rows, entries))
	var labels [2][]int
	for i, affinity := range []cluster.Affinity{cluster.Gram(z), s} {
		found := testutil.Value(cluster.Spectral(t.Context(), affinity, k, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
		labels[i] = found.Labels
	}
	if ari := metric.ARI(labels[0], labels[1]); ari != 1 {
		t.Errorf("adjusted Rand index between the two is %v, want 1", ari)
	}
	if ari := metric.ARI(truth, labels[0]); ari < 0.9 {
		t.Errorf("adjusted Rand index with the planted clusters is %v, want above 0.9", ari)
	}
}
