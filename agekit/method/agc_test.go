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

// intraOfPairs returns intra by its definition: the mean over k clusters of the mean of |xᵢ − xⱼ|² over
// all ordered pairs of the cluster's nodes. A cluster without nodes counts 0.
func intraOfPairs(x *mat.Dense, clusters []int, k int) float64 {
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

// TestIntra compares meanIntraDistance with the definition, over all pairs of nodes, to 1e-6. One of
// the clusters is empty.
func TestIntra(t *testing.T) {
	const nodes, columns, k = 40, 9, 5
	rnd := rand.New(rand.NewPCG(3, 3))
	x := randomMatrix(nodes, columns, 2, rnd)
	clusters := make([]int, nodes)
	for i := range clusters {
		clusters[i] = rnd.IntN(k - 1) // the last cluster remains empty
	}
	got, want := meanIntraDistance(x, clusters, k), intraOfPairs(linalg.Float64(x), clusters, k)
	if math.Abs(got-want) > 1e-6*want {
		t.Errorf("intra %v, want %v", got, want)
	}
}

// TestAGCAgainstDense compares the chosen t, intra(t), to 1e-5, and Xₜ with those of a plain
// implementation: dense float64 matrices, gonum's singular vectors and all pairs.
func TestAGCAgainstDense(t *testing.T) {
	g := planted(t, 120)
	const k, mostLayers = 4, 60
	filter := denseConvolution(g.Adjacency) // ½(I + this) is G
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
		distance := intraOfPairs(&next, found.Labels, k)
		if distance > before || layers == mostLayers {
			break
		}
		layers, before, x = layers+1, distance, &next
	}
	out := testutil.Value(asMethod(agc{}).Fit(t.Context(), g, Options{Clusters: k, Seed: 2})).OrFatal(t)
	t.Logf("t = %d of %d, intra %.6f", layers, mostLayers, before)
	if layers < 2 || layers == mostLayers { // a precondition
		t.Fatalf("t = %d tests no choice", layers)
	}
	if got := out.Measures["t"]; got != float64(layers) {
		t.Errorf("t = %v, want %d", got, layers)
	}
	if got := out.Measures["intra"]; math.Abs(got-before) > 1e-5*before {
		t.Errorf("intra %v, want %v", got, before)
	}
	wantMatrix(t, "Xₜ", out.Embedding, x, 1e-5)
}

// wantScores fails the test unless the clusters' ACC, NMI and ARI are the given ones within tolerance.
func wantScores(t *testing.T, labels, clusters []int, acc, nmi, ari, tolerance float64) {
	t.Helper()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"ACC", metric.Accuracy(labels, clusters), acc},
		{"NMI", metric.NMI(labels, clusters), nmi},
		{"ARI", metric.ARI(labels, clusters), ari},
	} {
		if math.Abs(c.got-c.want) > tolerance {
			t.Errorf("%s %.4f, want %v", c.name, c.got, c.want)
		}
	}
}

// TestAGCOnCora: published mode gives what the authors' code gives on Cora, whatever the seed: t = 12,
// and within .001 ACC .689, NMI .537 and ARI .448.
func TestAGCOnCora(t *testing.T) {
	testutil.Long(t) // TestAGCAgainstDense compares with the formula
	g := testutil.LoadGraph(t, "cora")
	out := testutil.Value(asMethod(agc{Published: true}).Fit(t.Context(), g, Options{Clusters: g.Classes, Seed: 4})).OrFatal(t)
	if out.Measures["t"] != 12 {
		t.Errorf("t = %v, want 12", out.Measures["t"])
	}
	wantScores(t, g.Labels, out.Clusters, 0.689, 0.537, 0.448, 0.001)
}
