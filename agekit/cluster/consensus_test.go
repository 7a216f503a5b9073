package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// allClusterings is the number of clusterings of a consensus: 3 powers, 2 shares, 3 numbers of
// eigenvectors and 3 rounds.
const allClusterings = 3 * 2 * 3 * 3

// TestSpectralConsensus checks the consensus on planted groups. Five well-separated groups are found
// exactly, by all clusterings. One cloud, of which seven clusters are wanted, is recognized as not
// separated: the result is one soft clustering, with the scaling Degree.
func TestSpectralConsensus(t *testing.T) {
	const n, d, k = 400, 40, 5
	const noise, seed = 1.2, 3
	got := testutil.Value(SpectralConsensus(t.Context(), blobs(n, d, k, noise, seed), k, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	for i, l := range got.Labels {
		if l != got.Labels[i%k] {
			t.Fatalf("rows %d and %d are in clusters %d and %d, want one", i, i%k, l, got.Labels[i%k])
		}
	}
	if got.Gap <= leastGap || got.Scaling != RandomWalk || got.Clusterings != allClusterings || slices.Max(got.Labels) != k-1 {
		t.Errorf("gap %v, scaling %v, %d clusterings, labels to %d", got.Gap, got.Scaling, got.Clusterings, slices.Max(got.Labels))
	}
	const cloudClusters = 7
	cloud := testutil.Value(SpectralConsensus(t.Context(), blobs(n, d, 1, noise, seed), cloudClusters, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	if cloud.Gap > leastGap || cloud.Scaling != Degree || cloud.Clusterings != 1 || slices.Max(cloud.Labels) != cloudClusters-1 {
		t.Errorf("a cloud: gap %v, scaling %v, %d clusterings, labels to %d", cloud.Gap, cloud.Scaling, cloud.Clusterings, slices.Max(cloud.Labels))
	}
}

// TestSpectralConsensusErrors checks that numbers of clusters and options out of range are errors, and that
// 1, 5 and 9 clusters of 9 rows are not.
func TestSpectralConsensusErrors(t *testing.T) {
	z := blobs(9, 4, 2, 1, 1)
	for name, c := range map[string]struct {
		k    int
		opts KMeansOptions
	}{
		"more clusters than rows": {k: 10},
		"no clusters":             {k: 0},
		"restarts below 0":        {k: 2, opts: KMeansOptions{Restarts: -1}},
	} {
		if _, err := SpectralConsensus(t.Context(), z, c.k, c.opts, rand.New(rand.NewPCG(1, 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for k := 1; k <= 9; k += 4 { // from one cluster to one per row
		r, err := SpectralConsensus(t.Context(), z, k, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))
		if err != nil || slices.Max(r.Labels) != k-1 {
			t.Errorf("%d clusters of 9 rows: labels %v, error %v", k, r.Labels, err)
		}
	}
}

// groups returns k·m rows, row i in group i mod k: products of two rows of a group are a, and of two groups
// b. All rows share the first column, and each group has a column of its own.
func groups(k, m int, a, b float64) blas32.General {
	z := blas32.General{Rows: k * m, Cols: k + 1, Stride: k + 1, Data: make([]float32, k*m*(k+1))}
	for i := range z.Rows {
		z.Data[i*z.Stride] = float32(math.Sqrt(b))
		z.Data[i*z.Stride+1+i%k] = float32(math.Sqrt(a - b))
	}
	return z
}

// TestEigengap compares the eigengap of planted groups with its closed form, to 1e-5. k groups of m rows,
// with similarity a within and b between groups, have the degrees d = (m−1)a + (k−1)mb and the
// eigenvalues λ₂ to λ_k = ((m−1)a − mb)/d and λ_k₊₁ = −a/d. So the relative gap is (a−b)/(a+(k−1)b)
// for any m. The gap is 0 where it is not defined: one cluster, no λ_k₊₁, or λ_k₊₁ = 1.
func TestEigengap(t *testing.T) {
	for _, c := range []struct {
		k, m int
		a, b float64
	}{
		{k: 3, m: 20, a: 0.9, b: 0.1},
		{k: 3, m: 50, a: 0.9, b: 0.1},
		{k: 5, m: 30, a: 0.6, b: 0.5},
		{k: 2, m: 40, a: 1, b: 0},
	} {
		_, values, err := spectralEmbedding(t.Context(), Gram(groups(c.k, c.m, c.a, c.b)), c.k, c.k, RandomWalk, rand.New(rand.NewPCG(1, 1)))
		testutil.NoError(t, err)
		got := eigengap(values, c.k)
		want := (c.a - c.b) / (c.a + float64(c.k-1)*c.b)
		if math.Abs(got-want) > 1e-5 { // λ_k₊₁ is one of the rough, less accurate eigenvalues
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
	for k, values := range map[int][]float64{1: {1, 0.5}, 2: {1, 0.5}, 3: {1, 1, 1, 1, 0.5}} {
		if got := eigengap(values, k); got != 0 {
			t.Errorf("%d clusters, eigenvalues %v: gap %v, want 0", k, values, got)
		}
	}
}

// whole returns the entries of an affinity, from its product with the identity matrix.
func whole(t *testing.T, s Affinity) linalg.Matrix[float64] {
	t.Helper()
	n := s.Dim()
	identity := linalg.NewMatrix[float64](n, linalg.WholePanels(n))
	entries := linalg.NewMatrix[float64](n, linalg.WholePanels(n))
	for i := range n {
		identity.Row(i)[i] = 1
	}
	testutil.NoError(t, s.MulTo(t.Context(), blas64.General(entries), blas64.General(identity)))
	return entries
}

// TestRegularized compares the regularized affinity with its definition, from the entries of the plain one:
// a share of the mean degree, spread over the row, is added to each entry off the diagonal, and degrees
// are sums of entries. A share of 0 returns the plain affinity.
func TestRegularized(t *testing.T) {
	const n, share = 60, 0.7
	z := blobs(n, 12, 3, 1, 1)
	s := newGramPower(z, 2)
	r := testutil.Value(regularized(t.Context(), s, share)).OrFatal(t)
	plain, got := whole(t, s), whole(t, r)
	var all float64 // sum of the entries: n times the mean degree
	for _, v := range plain.Data {
		all += v
	}
	degrees := testutil.Value(r.Degrees(t.Context())).OrFatal(t)
	for i := range n {
		var degree float64
		for j := range n {
			want := plain.Row(i)[j]
			if i != j {
				want += share * all / n / n
			}
			if math.Abs(got.Row(i)[j]-want) > 1e-12 {
				t.Fatalf("entry (%d, %d) is %v, want %v", i, j, got.Row(i)[j], want)
			}
			degree += want
		}
		// Entries are float32, and the degrees are sums of entries.
		if math.Abs(degrees[i]-degree) > 1e-6*degree {
			t.Fatalf("degree %d is %v, want %v", i, degrees[i], degree)
		}
	}
	if same, err := regularized(t.Context(), s, 0); err != nil || same.(gramPower).p != 2 {
		t.Errorf("a share of 0 gives %v, error %v, want the affinity itself", same, err)
	}
}

// TestRegularizedJoinsSmallGroups checks what regularization is for. Five rows are loosely attached to two
// large groups. Spectral clustering into two clusters splits them off with the plain affinity, and
// divides the large groups with the regularized one.
func TestRegularizedJoinsSmallGroups(t *testing.T) {
	const m, few = 60, 5
	z := blas32.General{Rows: 2*m + few, Cols: 4, Stride: 4}
	for i := range z.Rows {
		row := []float32{0.95, 0, 0, 0} // the few: .9 with each other, .13 with the rest
		if i < 2*m {
			row = []float32{0.14, 0, 0, 0.63} // .9 within a group, .42 with the other group
			row[1+i%2] = 0.69
		}
		z.Data = append(z.Data, row...)
	}
	smallerCluster := func(share float64) int { // its number of rows
		s := testutil.Value(regularized(t.Context(), newGramPower(z, 3), share)).OrFatal(t)
		r := testutil.Value(Spectral(t.Context(), s, 2, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
		var ones int
		for _, l := range r.Labels {
			ones += l
		}
		return min(ones, len(r.Labels)-ones)
	}
	if got := smallerCluster(0); got != few {
		t.Errorf("plain: the smaller cluster has %d rows, want the %d", got, few)
	}
	if got := smallerCluster(1); got < m {
		t.Errorf("regularized: the smaller cluster has %d rows, want %d or more", got, m)
	}
}

// TestAgreement compares the affinity of five random clusterings with counts: entry (i, j) is the number of
// clusterings that put i and j together, and degrees are sums of entries.
func TestAgreement(t *testing.T) {
	const n, k = 30, 4
	rnd := rand.New(rand.NewPCG(1, 1))
	a := agreement{rows: n, k: k}
	for range 5 {
		labels := make([]int, n)
		for i := range labels {
			labels[i] = rnd.IntN(k)
		}
		a.labels = append(a.labels, labels)
	}
	got := whole(t, a)
	degrees := testutil.Value(a.Degrees(t.Context())).OrFatal(t)
	for i := range n {
		var degree float64
		for j := range n {
			var want float64
			for _, labels := range a.labels {
				if i != j && labels[i] == labels[j] {
					want++
				}
			}
			degree += want
			if got.Row(i)[j] != want {
				t.Errorf("entry (%d, %d) is %v, want %v", i, j, got.Row(i)[j], want)
			}
		}
		if degrees[i] != degree {
			t.Errorf("degree %d is %v, want %v", i, degrees[i], degree)
		}
	}
}

// TestSetLengths checks the lengths of the columns for three eigenvalues λ: λ^¼, by hand, and 0 for a
// negative λ.
func TestSetLengths(t *testing.T) {
	m := randomMatrix[float64](rand.New(rand.NewPCG(1, 1)), 50, 3, 3)
	setLengths(m, []float64{1, 0.0625, -0.5})
	for j, want := range []float64{1, 0.5, 0} {
		var squared float64
		for i := range m.Rows {
			squared += m.Row(i)[j] * m.Row(i)[j]
		}
		if math.Abs(math.Sqrt(squared)-want) > 1e-12 {
			t.Errorf("column %d has length %v, want %v", j, math.Sqrt(squared), want)
		}
	}
}

// TestSpectralConsensusOnAnyCores checks that one core and five give identical labels and the same gap.
func TestSpectralConsensusOnAnyCores(t *testing.T) {
	z := blobs(300, 30, 4, 1.5, 5)
	run := func(cores int) ConsensusResult {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		return testutil.Value(SpectralConsensus(t.Context(), z, 4, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	}
	single, many := run(1), run(5)
	if single.Clusterings != allClusterings { // a precondition: the rows are well separated
		t.Errorf("%d clusterings, want %d", single.Clusterings, allClusterings)
	}
	if !slices.Equal(single.Labels, many.Labels) {
		t.Error("five cores give other labels than one")
	}
	if single.Gap != many.Gap {
		t.Errorf("gap %v on five cores, %v on one", many.Gap, single.Gap)
	}
}

// TestSpectralConsensusInterrupt checks that the consensus stops when its context is done, and that it asks
// the context in each of its products, which are more than 40 ([testutil.Interrupt]).
func TestSpectralConsensusInterrupt(t *testing.T) {
	const leastProducts = 40
	z := blobs(20*powerRows, 20, 3, 1, 7)
	testutil.Interrupt(t, "consensus", leastProducts, func(ctx context.Context) error {
		_, err := SpectralConsensus(ctx, z, 3, KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
}
