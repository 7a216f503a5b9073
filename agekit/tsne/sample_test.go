package tsne

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSample checks a map with a sample of 300 of 1200 rows in four planted clouds: each row is nearer
// to the mean place of its own cloud than to that of another. Samples of fewer than four rows are
// errors, and those of four rows, of all, or of more than there are, are not.
func TestSample(t *testing.T) {
	const n, clouds, dims = 1200, 4, 8
	rnd := rand.New(rand.NewPCG(5, 0))
	x := newGeneral(n, dims)
	for i := range n {
		for j := range dims {
			x.Data[i*dims+j] = float32(rnd.NormFloat64() * 0.3)
		}
		x.Data[i*dims+i%clouds] += 5
	}
	y := testutil.Value(Map(t.Context(), x, Options{Sample: 300, Iterations: 300}, rand.New(rand.NewPCG(1, 0)))).OrFatal(t)
	var centers [clouds][2]float64 // mean place of each cloud, of n/clouds rows
	for i := range n {
		centers[i%clouds][0] += float64(y.Data[2*i]) * clouds / n
		centers[i%clouds][1] += float64(y.Data[2*i+1]) * clouds / n
	}
	for i := range n {
		var distances [clouds]float64
		for c, center := range centers {
			distances[c] = math.Hypot(float64(y.Data[2*i])-center[0], float64(y.Data[2*i+1])-center[1])
		}
		if distance := distances[i%clouds]; distance > slices.Min(distances[:]) {
			t.Fatalf("row %d of cloud %d is nearer to another: %v", i, i%clouds, distances)
		}
	}
	for sample, fits := range map[int]bool{3: false, -1: false, 4: true, n: true, 2 * n: true} {
		_, err := Map(t.Context(), x, Options{Sample: sample, Iterations: 3}, rand.New(rand.NewPCG(1, 0)))
		if (err == nil) != fits {
			t.Errorf("sample of %d: %v", sample, err)
		}
	}
}

// TestNearestAmong compares the distances of the three neighbors that [linalg.NearestAmong] finds among
// other rows with the three smallest of all distances, to 1e-9.
func TestNearestAmong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	random := func(rows int) blas32.General {
		m := newGeneral(rows, 5)
		for p := range m.Data {
			m.Data[p] = float32(rnd.NormFloat64())
		}
		return m
	}
	const k = 3
	queries, x := random(40), random(30)
	near := testutil.Value(linalg.NearestAmong(t.Context(), queries, x, k)).OrFatal(t)
	for i := range queries.Rows {
		var all []float64
		for j := range x.Rows {
			all = append(all, linalg.SquaredDistance(queries, i, x, j))
		}
		slices.Sort(all)
		for p, got := range near[k*i : k*i+k] {
			if math.Abs(got.Value-all[p]) > 1e-9 {
				t.Errorf("row %d, neighbor %d: squared distance %v, want %v", i, p, got.Value, all[p])
			}
		}
	}
}
