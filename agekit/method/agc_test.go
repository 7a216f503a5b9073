package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// allPairs is intra by its definition.
func allPairs(x *mat.Dense, clusters []int, k int) float64 {
	mean := 0.0
	for c := range k {
		sum, pairs := 0.0, 0.0
		for i := range clusters {
			for j := range clusters {
				if clusters[i] == c && clusters[j] == c {
					var d mat.VecDense
					d.SubVec(x.RowView(i), x.RowView(j))
					sum += mat.Dot(&d, &d)
					pairs++
				}
			}
		}
		if pairs > 0 {
			mean += sum / pairs / float64(k)
		}
	}
	return mean
}

// TestIntra compares with all pairs, to 1e-6. A cluster without nodes counts 0.
func TestIntra(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	x := randomMatrix(40, 9, 2, rnd)
	clusters := make([]int, 40)
	for i := range clusters {
		clusters[i] = rnd.IntN(4) // cluster 4 of 5 remains empty
	}
	if got, want := meanIntraDistance(x, clusters, 5), allPairs(linalg.Float64(x), clusters, 5); math.Abs(got-want) > 1e-6*want {
		t.Errorf("intra %v, want %v", got, want)
	}
}

// TestAGCAgainstDense compares the chosen t, the distances and Xₜ with those of a
// plain implementation: dense float64 matrices, gonum's singular vectors and all
// pairs.
func TestAGCAgainstDense(t *testing.T) {
	g := planted(t, 120, false)
	const k = 4
	filter := denseConvolution(g.Adjacency)
	for i := range g.N() {
		filter.Set(i, i, filter.At(i, i)+1)
	}
	filter.Scale(0.5, filter)
	x, before, layers := denseUnitX(g), math.Inf(1), 0
	for {
		var next mat.Dense
		next.Mul(filter, x)
		var svd mat.SVD
		if !svd.Factorize(&next, mat.SVDThin) {
			t.Fatal("no singular vectors")
		}
		var u mat.Dense
		svd.UTo(&u)
		points := blas32.General{Rows: g.N(), Cols: k, Stride: k}
		for i := range g.N() {
			for c := range k {
				points.Data = append(points.Data, float32(u.At(i, c)))
			}
		}
		found := testutil.Value(cluster.KMeans(t.Context(), points, k, cluster.KMeansOptions{Restarts: 20}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
		distance := allPairs(&next, found.Labels, k)
		if distance > before || layers == 60 {
			break
		}
		layers, before, x = layers+1, distance, &next
	}
	out := testutil.Value(asMethod(agc{}).Fit(t.Context(), g, Options{Clusters: k, Seed: 2})).OrFatal(t)
	t.Logf("t = %d of 60, intra %.6f", layers, before)
	if layers < 2 || layers == 60 {
		t.Fatalf("t = %d tests no choice", layers)
	}
	if out.Measures["t"] != float64(layers) || math.Abs(out.Measures["intra"]-before) > 1e-5*before {
		t.Errorf("t = %v with intra %v, want %d with %v", out.Measures["t"], out.Measures["intra"], layers, before)
	}
	wantMatrix(t, "Xₜ", out.Embedding, x, 1e-5)
}

// TestAGCOnCora: the authors' code gives ACC .689, NMI .537 and ARI .448 for
// t = 12, whatever the seed.
func TestAGCOnCora(t *testing.T) {
	testutil.Long(t) // TestAGCAgainstDense compares with the formula
	g := testutil.LoadGraph(t, "cora")
	out := testutil.Value(asMethod(agc{Published: true}).Fit(t.Context(), g, Options{Clusters: g.Classes, Seed: 4})).OrFatal(t)
	acc, nmi, ari := metric.Accuracy(g.Labels, out.Clusters), metric.NMI(g.Labels, out.Clusters), metric.ARI(g.Labels, out.Clusters)
	if out.Measures["t"] != 12 || math.Abs(acc-0.689) > 0.001 || math.Abs(nmi-0.537) > 0.001 || math.Abs(ari-0.448) > 0.001 {
		t.Errorf("t = %v, ACC %.4f, NMI %.4f, ARI %.4f", out.Measures["t"], acc, nmi, ari)
	}
}
