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
	"pgregory.net/rapid"
)

// points draws 1 to 40 rows of 1 to 5 small integers. Some rows can be equal.
func points(t *rapid.T) blas32.General {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	d := rapid.IntRange(1, 5).Draw(t, "d")
	values := rapid.SliceOfN(rapid.Int8Range(-9, 9), n*d, n*d).Draw(t, "x")
	x := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
	for i, v := range values {
		x.Data[i] = float32(v)
	}
	return x
}

// mustKMeans returns the result of KMeans with a seed; an error ends the test.
func mustKMeans(t rapid.TB, x blas32.General, k int, opts KMeansOptions, seed uint64) KMeansResult {
	result, err := KMeans(context.Background(), x, k, opts, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// squaredDistance returns |a − b|².
func squaredDistance(a []float32, b []float32) float64 {
	s := 0.0
	for j, v := range a {
		s += math.Pow(float64(v)-float64(b[j]), 2)
	}
	return s
}

// TestKMeansProperties checks properties of k-means on random rows: each row has the label of its nearest
// center, the inertia is the sum of the squared distances to these centers, and no iteration of a run
// raises the inertia.
func TestKMeansProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := points(t)
		k := rapid.IntRange(1, x.Rows).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		result := mustKMeans(t, x, k, KMeansOptions{Restarts: 2}, seed)
		inertia := 0.0
		for i, label := range result.Labels {
			if label < 0 || label >= k {
				t.Fatalf("label %d of row %d: want 0 to %d", label, i, k-1)
			}
			row := linalg.From32(x).Row(i)
			squared := squaredDistance(row, linalg.From32(result.Centers).Row(label))
			inertia += squared
			for c := range k {
				if d := squaredDistance(row, linalg.From32(result.Centers).Row(c)); d < squared-1e-4 {
					t.Fatalf("row %d is %v from its center and %v from center %d", i, squared, d, c)
				}
			}
		}
		if math.Abs(inertia-result.Inertia) > 1e-4*(1+inertia) {
			t.Fatalf("inertia %v, the labels and centers give %v", result.Inertia, inertia)
		}
		before := math.Inf(1)
		for iterations := 1; iterations < 6; iterations++ {
			run := newLloyd(linalg.From32(x), squaredLengths(linalg.From32(x)), k)
			testutil.NoError(t, run.start(t.Context(), drawStart(x.Rows, k, rand.New(rand.NewPCG(seed, 0)))))
			testutil.NoError(t, run.iterate(t.Context(), iterations, 0))
			if run.inertia > before*(1+1e-12)+1e-12 {
				t.Fatalf("inertia increases from %v to %v in iteration %d", before, run.inertia, iterations)
			}
			before = run.inertia
		}
	})
}

// TestKMeansOfFewPoints checks a property on random rows: with at least as many clusters as distinct rows, the
// inertia is 0.
func TestKMeansOfFewPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := points(t)
		distinct := make(map[[5]float32]bool)
		for i := range x.Rows {
			var key [5]float32
			copy(key[:], linalg.From32(x).Row(i))
			distinct[key] = true
		}
		k := rapid.IntRange(len(distinct), x.Rows).Draw(t, "k")
		result := mustKMeans(t, x, k, KMeansOptions{}, 1)
		if result.Inertia > 1e-12 {
			t.Fatalf("inertia %v with %d clusters of %d distinct rows, want 0", result.Inertia, k, len(distinct))
		}
	})
}

// TestKMeansAgainstAllPartitions compares the best of 100 runs on 8 random rows with the lowest inertia of all
// partitions into 3 clusters, found by trying every one: both are equal, to 1e-9.
func TestKMeansAgainstAllPartitions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		const n, k = 8, 3
		x := blas32.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float32, 2*n)}
		for i := range x.Data {
			x.Data[i] = float32(rnd.NormFloat64())
		}
		best := math.Inf(1)
		labels := make([]int, n)
		const partitions = 6561 // kⁿ = 3⁸ labelings, each the digits of a number to base k
		for code := range partitions {
			for i := range labels {
				labels[i] = code % k
				code /= k
			}
			best = min(best, withinSum(linalg.From32(x), labels, k))
		}
		got := mustKMeans(t, x, k, KMeansOptions{Restarts: 100}, 1).Inertia
		if math.Abs(got-best) > 1e-9 {
			t.Errorf("inertia %v, the best partition has %v", got, best)
		}
	}
}

// withinSum returns the sum of squared distances of rows to their cluster means, Σx² − (Σx)²/n for each
// cluster and column.
func withinSum(x linalg.Matrix[float32], labels []int, k int) float64 {
	sum := 0.0
	for c := range k {
		for j := range x.Cols {
			n, s, squares := 0.0, 0.0, 0.0
			for i, label := range labels {
				if v := float64(x.Row(i)[j]); label == c {
					n, s, squares = n+1, s+v, squares+v*v
				}
			}
			if n > 0 {
				sum += squares - s*s/n
			}
		}
	}
	return sum
}

// TestEmptyClusterMoves sets a center so that no row is nearest to it, and checks the result of Lloyd's
// algorithm by hand: the center moves to the row that is farthest from its own center, 50.
func TestEmptyClusterMoves(t *testing.T) {
	x := linalg.Matrix[float64]{Rows: 5, Cols: 1, Data: []float64{0, 1, 2, 3, 50}, Stride: 1}
	l := newLloyd(x, squaredLengths(x), 2)
	l.setCenter(0, []float64{1})
	l.setCenter(1, []float64{1000})
	testutil.NoError(t, l.iterate(t.Context(), 300, 0))
	// The mean of the other rows is 1.5, and their squared distances are 2.25, 0.25, 0.25 and 2.25.
	if want := []int{0, 0, 0, 0, 1}; !slices.Equal(l.labels, want) || l.inertia != 5 {
		t.Errorf("labels %v, inertia %v, want %v, 5", l.labels, l.inertia, want)
	}
}

// TestSameBytesOnAnyCores checks that k-means, the spectral embedding and the Davies–Bouldin index give
// identical numbers on one, two and three cores. There are enough rows for several ranges, which cores
// can share.
func TestSameBytesOnAnyCores(t *testing.T) {
	z := positiveFeatures(rand.New(rand.NewPCG(7, 8)), 1500, 20)
	x := blas32.General{Rows: z.Rows, Cols: z.Cols, Stride: z.Stride, Data: z.Data}
	var first KMeansResult
	var embedded linalg.Matrix[float64]
	var dbi float64
	for _, cores := range []int{1, 2, 3} {
		before := runtime.GOMAXPROCS(cores)
		result := mustKMeans(t, x, 6, KMeansOptions{Restarts: 2}, 9)
		points, _, err := spectralEmbedding(t.Context(), Gram(x), 6, 0, RandomWalk, rand.New(rand.NewPCG(1, 1)))
		testutil.NoError(t, err)
		index := testutil.Value(DaviesBouldinGram(t.Context(), x, result.Labels)).OrFatal(t)
		runtime.GOMAXPROCS(before)
		if cores == 1 {
			first, embedded, dbi = result, points, index
			continue
		}
		if !slices.Equal(result.Labels, first.Labels) || result.Inertia != first.Inertia ||
			!slices.Equal(result.Centers.Data, first.Centers.Data) {
			t.Errorf("k-means on %d cores differs from that on 1", cores)
		}
		if !slices.Equal(points.Data, embedded.Data) {
			t.Errorf("eigenvectors on %d cores differ from those on 1", cores)
		}
		if index != dbi {
			t.Errorf("Davies–Bouldin index on %d cores is %v, on 1 it is %v", cores, index, dbi)
		}
	}
}

// TestErrors checks that k-means, spectral clustering and the Davies–Bouldin index return errors that say what
// is wrong: for numbers of clusters and options out of range, rows with numbers that are not finite, and
// negative sums of affinities.
func TestErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	rowsOfTwo := func(values ...float32) blas32.General {
		return blas32.General{Rows: len(values) / 2, Cols: 2, Stride: 2, Data: values}
	}
	good := rowsOfTwo(1, 2, 3, 4, 5, 6)
	kmeans := func(x blas32.General, k int, o KMeansOptions) error {
		_, err := KMeans(t.Context(), x, k, o, rand.New(rand.NewPCG(1, 1)))
		return err
	}
	spectral := func(x blas32.General, k int, o SpectralOptions) error {
		_, err := Spectral(t.Context(), Gram(x), k, o, rand.New(rand.NewPCG(1, 1)))
		return err
	}
	index := func(x blas32.General, labels ...int) error {
		_, err := DaviesBouldinGram(t.Context(), x, labels)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{kmeans(good, 0, KMeansOptions{}), "0 clusters of 3 rows: want 1 to 3"},
		{kmeans(good, 4, KMeansOptions{}), "4 clusters of 3 rows: want 1 to 3"},
		{kmeans(rowsOfTwo(1, 2, 3, nan), 1, KMeansOptions{}), "row 1, column 1: value NaN"},
		{kmeans(good, 1, KMeansOptions{Restarts: -1}), "restarts is -1"},
		{spectral(good, 0, SpectralOptions{}), "0 clusters of 3 rows: want 1 to 3"},
		{spectral(good, 4, SpectralOptions{}), "4 clusters of 3 rows: want 1 to 3"},
		{spectral(rowsOfTwo(1, 2, inf, 3), 1, SpectralOptions{}), "row 1, column 0: value +Inf"},
		{spectral(rowsOfTwo(1, 2, -3, 4, -5, -6), 1, SpectralOptions{}), "row 0: its affinities add up to -12, but spectral clustering needs sums that are not negative: use rows without"},
		{spectral(good, 1, SpectralOptions{Scaling: "symmetric"}), `unknown scaling "symmetric"`},
		{index(good, 1, 1, 1), "1 clusters of 3 rows, want 2 to 2"},
		{index(good, 0, 1, 2), "3 clusters of 3 rows, want 2 to 2"},
		{index(rowsOfTwo(1, 2, nan, 4, 5, 6), 0, 1, 1), "row 1, column 0: value NaN"},
	} {
		testutil.Fails(t, c.err, c.want)
	}
}

// TestKMeansFromSample checks k-means of more rows than [SampledRows], on points around five planted centers.
// The result is about a fixed point of Lloyd's algorithm on all rows: each row has its nearest center,
// and each center is the mean of its rows, to 1e-2. The inertia is at most that of the planted centers.
func TestKMeansFromSample(t *testing.T) {
	const n, d, k = SampledRows + 20000, 2, 5
	rnd := rand.New(rand.NewPCG(7, 8))
	x := linalg.New(n, d)
	planted := 0. // inertia of the planted centers
	for i := range n {
		angle := 2 * math.Pi * float64(i%k) / k
		for j, center := range [d]float64{math.Cos(angle), math.Sin(angle)} {
			noise := 0.2 * rnd.NormFloat64()
			x.Data[i*x.Stride+j] = float32(center + noise)
			planted += noise * noise
		}
	}
	found := testutil.Value(KMeans(t.Context(), x, k, KMeansOptions{}, rnd)).OrFatal(t)
	if len(found.Labels) != n || found.Inertia > planted {
		t.Errorf("%d labels, inertia %v, want at most the planted %v", len(found.Labels), found.Inertia, planted)
	}
	var sums [k][d]float64
	var counts [k]float64
	for i, c := range found.Labels {
		row, least := x.Data[i*x.Stride:][:d], math.Inf(1)
		var distances [k]float64
		for o := range k {
			for j, v := range row {
				diff := float64(v) - float64(found.Centers.Data[o*found.Centers.Stride+j])
				distances[o] += diff * diff
			}
			least = min(least, distances[o])
		}
		if distances[c] > least+1e-6 {
			t.Fatalf("row %d is in cluster %d at %v, and another is at %v", i, c, distances[c], least)
		}
		for j, v := range row {
			sums[c][j] += float64(v)
		}
		counts[c]++
	}
	for c := range k {
		for j := range d {
			// k-means stops when the squared moves are below 1e-4 of the variance.
			if center := float64(found.Centers.Data[c*found.Centers.Stride+j]); math.Abs(center-sums[c][j]/counts[c]) > 1e-2 {
				t.Errorf("center %d is at %v, want the mean %v", c, center, sums[c][j]/counts[c])
			}
		}
	}
}
