package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// directions returns one row of the plane for each of the given angles in degrees. The rows have different
// lengths, which must make no difference.
func directions(degrees ...float64) blas32.General {
	x := blas32.General{Rows: len(degrees), Cols: 2, Stride: 2}
	for i, d := range degrees {
		sin, cos := math.Sincos(d * math.Pi / 180)
		x.Data = append(x.Data, float32(float64(i+1)*cos), float32(float64(i+1)*sin))
	}
	return x
}

// TestSilhouettes compares the silhouettes of a few rows in the plane with values worked out by hand from the
// angles between the rows.
func TestSilhouettes(t *testing.T) {
	for _, c := range []struct {
		name   string
		x      blas32.General
		labels []int
		want   []float64
	}{
		// 1 − cos 60° = ½ to the other row of the cluster, 1 to the other cluster.
		// In the second row, b = 1 − cos 150° = 1 + √3/2.
		{"between", directions(0, 60, -90, -90), []int{7, 7, 3, 3}, []float64{0.5, (1 + math.Sqrt(3)/2 - 0.5) / (1 + math.Sqrt(3)/2), 1, 1}},
		// The first row is at 90° to the rows of its cluster, and equal to the others.
		{"wrong", directions(0, 90, 90, 0, 0), []int{0, 0, 0, 1, 1}, []float64{-1, 0.5, 0.5, 1, 1}},
		{"alone", directions(0, 90, 90), []int{0, 1, 1}, []float64{0, 1, 1}},
		{"one cluster", directions(0, 45, 90), []int{5, 5, 5}, []float64{0, 0, 0}},
		{"same direction", directions(30, 30, 30, 30), []int{0, 0, 1, 1}, []float64{0, 0, 0, 0}},
	} {
		got, err := Silhouettes(t.Context(), c.x, c.labels)
		if err != nil || !floats.EqualApprox(got, c.want, 1e-6) {
			t.Errorf("%s: %v, error %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestSilhouettesDefinition compares the silhouettes of random rows with their definition, from the distance of
// each pair, to 1e-12. One row is zero, and one cluster has a single row. NaN in a row is an error.
func TestSilhouettesDefinition(t *testing.T) {
	const n, d = 60, 7
	rnd := rand.New(rand.NewPCG(3, 1))
	x, labels := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}, make([]int, n)
	for i := range x.Data {
		x.Data[i] = float32(rnd.NormFloat64())
	}
	clear(x.Data[5*d : 6*d]) // a zero row
	for i := range labels {
		labels[i] = 10 * rnd.IntN(4)
	}
	labels[9] = -1 // alone in its cluster
	cosine := func(i, j int) float64 {
		var dot, ii, jj float64
		for k := range d {
			a, b := float64(x.Data[i*d+k]), float64(x.Data[j*d+k])
			dot, ii, jj = dot+a*b, ii+a*a, jj+b*b
		}
		if dot == 0 {
			return 0
		}
		return dot / math.Sqrt(ii*jj)
	}
	want := make([]float64, n)
	for i := range want {
		sums, counts := map[int]float64{}, map[int]float64{}
		for j := range n {
			if i != j {
				sums[labels[j]] += 1 - cosine(i, j)
				counts[labels[j]]++
			}
		}
		if counts[labels[i]] == 0 {
			continue
		}
		a := sums[labels[i]] / counts[labels[i]]
		b := math.Inf(1)
		for c := range sums {
			if c != labels[i] {
				b = min(b, sums[c]/counts[c])
			}
		}
		want[i] = (b - a) / max(a, b)
	}
	got := testutil.Value(Silhouettes(t.Context(), x, labels)).OrFatal(t)
	if !floats.EqualApprox(got, want, 1e-12) {
		t.Errorf("silhouettes %v, want %v", got, want)
	}
	x.Data[3] = float32(math.NaN())
	if _, err := Silhouettes(t.Context(), x, labels); err == nil {
		t.Error("no error for NaN")
	}
}

// TestSilhouettesAgainstScikitLearn compares the silhouettes of six rows in three clusters with those of
// silhouette_samples(x, labels, metric="cosine") of scikit-learn 1.9.1, to 1e-9.
func TestSilhouettesAgainstScikitLearn(t *testing.T) {
	x := blas32.General{Rows: 6, Cols: 3, Stride: 3, Data: []float32{
		1, 2, 0,
		2, 3, 1,
		0, 1, 5,
		1, 0, 4,
		3, -1, 0,
		2, 1, 2,
	}}
	want := []float64{0.93057541627, 0.907232975256, 0.927476193622, 0.898701783284, 0.410661450912, -0.500526798122}
	got := testutil.Value(Silhouettes(t.Context(), x, []int{0, 0, 1, 1, 2, 2})).OrFatal(t)
	if !floats.EqualApprox(got, want, 1e-9) {
		t.Errorf("silhouettes %v, want %v", got, want)
	}
}
