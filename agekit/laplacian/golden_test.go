package laplacian_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// reference holds numpy's figures for the eigenvalues of a data set's L̃sym, computed from the dense matrix.
type reference struct {
	Nodes     int
	LambdaMax float64            `json:"lambda_max"`
	Quantiles map[string]float64 `json:"eigenvalue_quantiles"`
	Sum       float64            `json:"eigenvalue_sum"`
	Zeros     int                `json:"multiplicity_of_zero"`
	Histogram []int              `json:"eigenvalue_histogram"` // 40 bins on [0, 2]
}

// load returns the operator of a data set and its reference figures.
func load(t testing.TB, name string) (*laplacian.Operator, reference) {
	t.Helper()
	g := testutil.LoadGraph(t, name)
	text := testutil.Value(os.ReadFile("testdata/spectrum.json")).OrFatal(t)
	var all map[string]reference
	testutil.NoError(t, json.Unmarshal(text, &all))
	ref := all[name]
	if ref.Nodes != g.N() || len(ref.Histogram) != 40 || len(ref.Quantiles) != 9 {
		t.Fatalf("%s has %d nodes; reference figures %+v", name, g.N(), ref)
	}
	return laplacian.New(g.Adjacency), ref
}

// skipShort skips a test in short mode.
func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, minutes with the race detector")
	}
}

// spectra has the results of [spectrumOf] by data set.
var spectra = map[string][]float64{}

// spectrumOf returns all eigenvalues of a data set, which tests share, because they take
// seconds to compute. Those of Citeseer, the largest, are for long tests.
func spectrumOf(t *testing.T, name string) []float64 {
	t.Helper()
	skipShort(t)
	if name == "citeseer" {
		testutil.Long(t)
	}
	if spectra[name] == nil {
		op, _ := load(t, name)
		spectra[name] = eigenvalues(t, op)
	}
	return spectra[name]
}

// TestLambdaMaxAgainstNumpy compares λmax, computed from three random starts, with that of numpy's
// dense solution, to 1e-10. The residual is as small.
func TestLambdaMaxAgainstNumpy(t *testing.T) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		t.Run(name, func(t *testing.T) {
			op, ref := load(t, name)
			for seed := range uint64(3) {
				got := testutil.Value(linalg.LargestEigenvalue(context.Background(), op, rand.New(rand.NewPCG(seed, 0)))).OrFatal(t)
				t.Logf("%.12f, residual %.2g, %d steps", got.Value, got.Residual, got.Steps)
				wantNear(t, "λmax", got.Value, ref.LambdaMax, 1e-10)
				if !(got.Residual <= 1e-10*got.Value) {
					t.Errorf("residual %g, want 1e-10 relative", got.Residual)
				}
			}
		})
	}
}

// TestLarge checks λmax and the estimated density on Pubmed's graph, which is too large for all
// eigenvalues: λmax is the 1.6537 known to four digits, the largest node of the density is λmax, and
// the estimated sum of the eigenvalues is the trace, to 0.5 %.
func TestLarge(t *testing.T) {
	g := testutil.LoadGraph(t, "pubmed")
	op, rnd := laplacian.New(g.Adjacency), rand.New(rand.NewPCG(1, 1))
	largest := testutil.Value(linalg.LargestEigenvalue(context.Background(), op, rnd)).OrFatal(t)
	t.Logf("%.12f, residual %.2g, %d steps", largest.Value, largest.Residual, largest.Steps)
	wantNear(t, "λmax", largest.Value, 1.6537, 5e-5)
	d := testutil.Value(laplacian.EstimateDensity(context.Background(), op, rnd)).OrFatal(t)
	wantNear(t, "largest node", d.Quantiles(1)[0], largest.Value, 1e-6)
	// Σ λ is n − Σ 1/(degree + 1), the trace.
	trace, estimate := 0.0, 0.0
	for i := range g.N() {
		trace += 1 - 1/float64(g.Degree(i)+1)
	}
	for _, r := range d.Rules {
		for j, x := range r.Nodes {
			estimate += float64(g.N()) * r.Weights[j] * x / float64(len(d.Rules))
		}
	}
	wantNear(t, "sum of eigenvalues", estimate, trace, 0.005*trace)
}

// TestEigenvaluesAgainstNumpy compares all eigenvalues of three data sets with numpy's ([reference]):
// their number, sum, zeros, λmax, quantiles and histogram.
func TestEigenvaluesAgainstNumpy(t *testing.T) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		t.Run(name, func(t *testing.T) {
			_, ref := load(t, name)
			values := spectrumOf(t, name)
			if len(values) != ref.Nodes || !slices.IsSorted(values) {
				t.Fatalf("%d eigenvalues, want %d in ascending order", len(values), ref.Nodes)
			}
			sum, zeros := 0.0, 0
			for _, v := range values {
				sum += v
				if math.Abs(v) < 1e-9 {
					zeros++
				}
			}
			if zeros != ref.Zeros {
				t.Errorf("%d zeros, want %d", zeros, ref.Zeros)
			}
			wantNear(t, "sum", sum, ref.Sum, 1e-5) // printed to 1e-6
			wantNear(t, "λmax", values[len(values)-1], ref.LambdaMax, 1e-10)
			for share, want := range ref.Quantiles {
				p := testutil.Value(strconv.ParseFloat(share, 64)).OrFatal(t)
				wantNear(t, "quantile "+share, laplacian.Quantiles(values, p)[0], want, 1e-7)
			}
			compareHistogram(t, values, ref.Histogram)
		})
	}
}

// compareHistogram compares the histogram of values with the reference's counts want, by the number of
// values below each edge of a bin. 0, ½ and 1 are both edges and eigenvalues of high multiplicity, and
// rounding put these on both sides of the edge in the reference. So values within 1e-9 of an edge may
// be on either side in want, but Histogram must count all of them above the edge. Bins without values
// at their edges must have equal counts.
func compareHistogram(t *testing.T, values []float64, want []int) {
	t.Helper()
	got := laplacian.Histogram(values, len(want), 0, 2)
	gotBelow, wantBelow, bothClear := 0, 0, 0
	lowerClear := true // no value is at the bin's lower edge
	for b := range want {
		gotBelow, wantBelow = gotBelow+got[b], wantBelow+want[b]
		edge := float64(b+1) / 20
		below, onEdge := 0, 0
		for _, v := range values {
			if v < edge-1e-9 {
				below++
			} else if v <= edge+1e-9 {
				onEdge++
			}
		}
		if gotBelow != below {
			t.Errorf("histogram has %d below %v, want %d", gotBelow, edge, below)
		}
		if wantBelow < below || wantBelow > below+onEdge {
			t.Errorf("reference has %d below %v, want %d to %d", wantBelow, edge, below, below+onEdge)
		}
		if lowerClear && onEdge == 0 {
			bothClear++
			if got[b] != want[b] {
				t.Errorf("bin %d holds %d, want %d", b, got[b], want[b])
			}
		}
		lowerClear = onEdge == 0 // the next bin's
	}
	t.Logf("%d of %d bins have no eigenvalue on an edge: %v", bothClear, len(want), got)
}

// TestDensityAgainstExact compares the estimated density with Cora's exact eigenvalues: each bin's
// count within four of its standard errors and its resolution, the quantiles to 0.02, and the sum of
// all bins. The errors and their stated bounds must also be small enough to be useful.
func TestDensityAgainstExact(t *testing.T) {
	op, _ := load(t, "cora")
	exact := spectrumOf(t, "cora")
	d := testutil.Value(laplacian.EstimateDensity(context.Background(), op, rand.New(rand.NewPCG(1, 2)))).OrFatal(t)
	n := float64(len(exact))
	const bins = 40
	total, errors, stated := 0.0, 0.0, 0.0
	for b, want := range laplacian.Histogram(exact, bins, 0, 2) {
		got := d.Histogram(bins, 0, 2)[b]
		bound := 4*got.StandardError + got.Resolution
		wantNear(t, "bin "+strconv.Itoa(b), got.Count, float64(want), bound+1e-6)
		total, errors, stated = total+got.Count, errors+math.Abs(got.Count-float64(want))/bins, stated+bound/bins
	}
	// The bound is wide only near eigenvalues of high multiplicity.
	t.Logf("mean error %.1f, mean bound %.1f, of %v", errors, stated, n)
	if stated > 0.03*n || errors > 0.005*n {
		t.Errorf("mean error %.1f of %v, mean bound %.1f: too large to be useful", errors, n, stated)
	}
	wantNear(t, "sum of all bins", total, n, 1e-6)

	shares := []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 1}
	wants := laplacian.Quantiles(exact, shares...)
	for i, got := range d.Quantiles(shares...) {
		wantNear(t, "quantile", got, wants[i], 0.02)
	}
}
