package tsne

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestAffinitiesAgainstScikitLearn compares the first rows of P with scikit-learn's ([golden]), to a relative
// 1e-4: scikit-learn's perplexities are accurate to 1e-5.
func TestAffinitiesAgainstScikitLearn(t *testing.T) {
	g, x := loadGolden(t)
	p := testutil.Value(affinities(t.Context(), x, g.Perplexity)).OrFatal(t)
	for i, want := range g.PFirstRows {
		got := make([]float64, x.Rows)
		for k := p.indptr[i]; k < p.indptr[i+1]; k++ {
			got[p.indices[k]] = p.values[k]
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-4*want[j]+1e-12 {
				t.Errorf("p[%d][%d] = %v, want %v", i, j, got[j], want[j])
			}
		}
	}
}

// TestAffinitiesAreSymmetricAndSumToOne checks properties of P for planted clusters: it is symmetric,
// sums to 1, and has each row's columns in increasing order.
func TestAffinitiesAreSymmetricAndSumToOne(t *testing.T) {
	const n, perplexity = 200, 12
	x, _ := clusters(n, 20, 3, 1, seeded())
	p := testutil.Value(affinities(t.Context(), x, perplexity)).OrFatal(t)
	full := mat.NewDense(n, n, nil)
	var sum float64
	for i := range n {
		for k := p.indptr[i]; k < p.indptr[i+1]; k++ {
			if k > p.indptr[i] && p.indices[k] <= p.indices[k-1] {
				t.Fatalf("row %d: columns do not increase", i)
			}
			full.Set(i, int(p.indices[k]), p.values[k])
			sum += p.values[k]
		}
	}
	if !mat.Equal(full, full.T()) {
		t.Error("P is not symmetric")
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("P sums to %v, want 1", sum)
	}
}

// TestCalibrateReachesPerplexity checks properties of calibrate for random distances of any scale: the
// probabilities sum to 1, do not rise with the distance, and have the entropy log(perplexity), to 1e-5.
func TestCalibrateReachesPerplexity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(3, 120).Draw(t, "k")
		perplexity := rapid.Float64Range(1.05, 0.95*float64(k)).Draw(t, "perplexity")
		scale := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "log10 scale"))
		gaps := rapid.SliceOfN(rapid.Float64Range(0.01, 1), k, k).Draw(t, "gaps")
		row := make([]neighbor, k)
		d := rapid.Float64Range(0, 10).Draw(t, "first") // squared distance, in units of the scale
		for i := range row {
			row[i] = neighbor{Index: int32(i), Value: d * scale}
			d += gaps[i]
		}
		calibrate(row, perplexity)
		var sum, entropy float64
		for i, v := range row {
			if i > 0 && v.Value > row[i-1].Value {
				t.Fatalf("probability rises with distance at %d", i)
			}
			sum += v.Value
			if v.Value > 0 {
				entropy -= v.Value * math.Log(v.Value)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("probabilities sum to %v", sum)
		}
		if math.Abs(entropy-math.Log(perplexity)) > 1e-5 {
			t.Errorf("entropy %v, want log %v = %v", entropy, perplexity, math.Log(perplexity))
		}
	})
}

// TestCalibrateTies checks calibrate where more neighbors than the perplexity are tied for nearest, so
// that no β reaches the perplexity: these share the probability equally, by hand.
func TestCalibrateTies(t *testing.T) {
	for name, c := range map[string]struct {
		distances []float64 // squared, of four neighbors
		want      []float64 // probabilities
	}{
		"all equal":                       {[]float64{3, 3, 3, 3}, []float64{.25, .25, .25, .25}},
		"more equal ones than perplexity": {[]float64{0, 0, 0, 5}, []float64{1. / 3, 1. / 3, 1. / 3, 0}},
		"far outlier":                     {[]float64{0, 0, 0, 1e300}, []float64{1. / 3, 1. / 3, 1. / 3, 0}},
	} {
		row := make([]neighbor, len(c.distances))
		for i, d := range c.distances {
			row[i].Value = d
		}
		const perplexity = 2
		calibrate(row, perplexity)
		for i, v := range row {
			if math.Abs(v.Value-c.want[i]) > 1e-9 {
				t.Errorf("%s: probability %d is %v, want %v", name, i, v.Value, c.want[i])
			}
		}
	}
}

// TestNearestAgainstBruteForce compares the neighbors that t-SNE gets ([linalg.NearestRows]) with the sorted
// distances to all rows ([ranked]). The rows are not contiguous, and two of them are equal.
func TestNearestAgainstBruteForce(t *testing.T) {
	const n, d, k = 350, 30, 25 // rows for more than one block of the Gram matrix
	x, _ := clusters(2*n, d, 4, 1, seeded())
	x.Rows, x.Stride = n, 2*d  // every second row
	copy(row(x, 0), row(x, 1)) // two equal rows
	near := testutil.Value(linalg.NearestRows(t.Context(), x, k)).OrFatal(t)
	for i, order := range ranked(x) {
		var got []int
		for _, v := range near[i*k : (i+1)*k] {
			got = append(got, int(v.Index))
			if d := linalg.SquaredDistance(x, i, x, int(v.Index)); v.Value != d {
				t.Errorf("distance of %d and %d is %v, want %v", i, v.Index, v.Value, d)
			}
		}
		if !slices.Equal(got, order[:k]) {
			t.Errorf("neighbors of %d are %v, want %v", i, got, order[:k])
		}
	}
	if near[0].Index != 1 || near[0].Value != 0 {
		t.Errorf("nearest to row 0 is %v, want the equal row 1 at distance 0", near[0])
	}
}

// TestPrincipalComponents compares the scores with those of gonum's full singular value decomposition,
// to 1e-4 of the largest singular value. The matrix is made to have distinct singular values, so that
// the components are unique up to their signs.
func TestPrincipalComponents(t *testing.T) {
	const n, f, k = 90, 70, 6
	rnd := seeded()
	x := newGeneral(n, f)
	// x = U·diag(100·0.7ᶜ)·Vᵀ with random orthonormal columns.
	leftVectors, rightVectors := newGeneral(n, f), newGeneral(f, f)
	for _, a := range []blas32.General{leftVectors, rightVectors} {
		for i := range a.Data {
			a.Data[i] = float32(rnd.NormFloat64())
		}
		orthonormalize(a)
	}
	for i := range n {
		for j := range f {
			for c := range f {
				x.Data[i*f+j] += leftVectors.Data[i*f+c] * float32(100*math.Pow(0.7, float64(c))) * rightVectors.Data[j*f+c]
			}
			x.Data[i*f+j] += float32(j) // a mean, which must not matter
		}
	}
	x = testutil.Value(centered(x)).OrFatal(t)
	got := testutil.Value(principalComponents(t.Context(), x, k, rnd)).OrFatal(t)
	var svd mat.SVD
	svd.Factorize(linalg.Float64(x), mat.SVDThin)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for j := range k {
		largestLoading := 0.0
		for i := range f {
			if math.Abs(v.At(i, j)) > math.Abs(largestLoading) {
				largestLoading = v.At(i, j)
			}
		}
		s := svd.Values(nil)[j] * math.Copysign(1, largestLoading)
		for i := range n {
			if g, want := float64(got.Data[i*k+j]), s*u.At(i, j); math.Abs(g-want) > 1e-4*svd.Values(nil)[0] {
				t.Fatalf("score %d of row %d is %v, want %v", j, i, g, want)
			}
		}
	}
}
