package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// The histogram of agekit spectrum: 40 bins from 0 to 2, so 20 for each unit of λ.
const (
	spectrumBins = 40
	binsPerUnit  = 20
)

// spectrumOf runs `agekit spectrum --json` with more arguments, and returns what it prints.
func spectrumOf(t *testing.T, args ...string) spectrumReport {
	t.Helper()
	return asJSON[spectrumReport](t, append([]string{"spectrum"}, args...)...)
}

// TestSpectrumCora compares λmax, histogram and quantiles of Cora with those that numpy computed. Of the
// histogram, it compares the number of eigenvalues below each edge of a bin. Cora has the eigenvalues 1/2,
// 3/4, 4/5 and 1 several times, and all four are edges: rounding has put some of them on either side in
// numpy's histogram, while ours counts them above the edge. So below these four edges, ours must have at
// most as many as numpy's; below the others, as many.
func TestSpectrumCora(t *testing.T) {
	isolate(t)
	testutil.Long(t) // the eigenvalues alone are compared in agekit/laplacian
	var numpy map[string]struct {
		LambdaMax float64            `json:"lambda_max"`
		Quantiles map[string]float64 `json:"eigenvalue_quantiles"`
		Histogram []float64          `json:"eigenvalue_histogram"`
	}
	testutil.NoError(t, json.Unmarshal(read(t, "../../agekit/laplacian/testdata/spectrum.json"), &numpy))
	want, r := numpy["cora"], spectrumOf(t, "--dataset", "cora")
	h := r.Histogram
	if r.Dataset != "cora" || r.N != 2708 || !strings.HasPrefix(r.Method, "all eigenvalues") {
		t.Fatalf("report %+v", r)
	}
	if h.Bins != spectrumBins || h.Lo != 0 || h.Hi != 2 || len(h.Counts) != spectrumBins || h.StandardErrors != nil {
		t.Fatalf("histogram %+v, want %d exact counts from 0 to 2", h, spectrumBins)
	}
	if !near(r.LambdaMax, want.LambdaMax, 1e-9) {
		t.Errorf("lambda_max %v, want %v", r.LambdaMax, want.LambdaMax)
	}
	below, wantBelow := 0.0, 0.0
	for i := range h.Counts {
		below += h.Counts[i]
		wantBelow += want.Histogram[i]
		edge := float64(i+1) / binsPerUnit
		switch isEigenvalue := slices.Contains([]float64{0.5, 0.75, 0.8, 1}, edge); {
		case isEigenvalue && below > wantBelow:
			t.Errorf("%v eigenvalues below %v, where numpy has %v with some of those on it", below, edge, wantBelow)
		case !isEigenvalue && below != wantBelow:
			t.Errorf("%v eigenvalues below %v, want %v", below, edge, wantBelow)
		}
	}
	if len(r.Quantiles) != len(want.Quantiles) || len(r.Quantiles) != 9 {
		t.Errorf("quantiles %v", r.Quantiles)
	}
	for share, value := range want.Quantiles {
		if !near(r.Quantiles[share], value, 1e-7) {
			t.Errorf("quantile %s is %v, want %v", share, r.Quantiles[share], value)
		}
	}
}

// TestSpectrumOwnGraph compares the histogram, λmax and the quantiles of a graph in files with the eigenvalues
// that gonum computes of its dense Laplacian. The text that is printed has a line for each bin.
func TestSpectrumOwnGraph(t *testing.T) {
	isolate(t)
	folder := ownFiles(t, plantedGraph(t))
	args := []string{"--edges", filepath.Join(folder, "edges.tsv"), "--features", filepath.Join(folder, "x.csv")}
	r := spectrumOf(t, args...)
	laplacian, _ := dense(plantedGraph(t))
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(300, laplacian.RawMatrix().Data), false) {
		t.Fatal("no eigenvalues")
	}
	counts := make([]float64, spectrumBins)
	values := eigen.Values(nil)
	for _, v := range values {
		counts[int(math.Floor(v*binsPerUnit+1e-6))]++ // one on an edge counts above it, in spite of rounding
	}
	if !slices.Equal(r.Histogram.Counts, counts) {
		t.Errorf("histogram %v, want %v", r.Histogram.Counts, counts)
	}
	largest, median := values[299], (values[149]+values[150])/2 // of 300, sorted
	if !near(r.LambdaMax, largest, 1e-9) {
		t.Errorf("lambda_max %v, want %v", r.LambdaMax, largest)
	}
	for share, want := range map[string]float64{"1.00": largest, "0.50": median} {
		if got := r.Quantiles[share]; !near(got, want, 1e-9) {
			t.Errorf("quantile %s is %v, want %v", share, got, want)
		}
	}
	text, _ := succeeds(t, append([]string{"spectrum"}, args...)...)
	if !strings.Contains(text, fmt.Sprintf("edges: 300 nodes, λmax %.8f", r.LambdaMax)) || strings.Count(text, "\n") != 2+spectrumBins {
		t.Errorf("want two lines, with λmax, and one for each bin:\n%s", text)
	}
}

// TestSpectrumLarge: the eigenvalues of a graph of more than 5,000 nodes are estimated. Two values are known
// exactly: the number of eigenvalues, n, which the counts must add up to, and their sum, the trace
// Σ 1 − 1/(degree + 1). The centers of the bins give the mean to within half a bin.
func TestSpectrumLarge(t *testing.T) {
	isolate(t)
	const name = "planted:n=6000,f=40,words=5"
	g := testutil.Value(dataset.Load(t.Context(), name, dataset.Options{})).OrFatal(t)
	trace := 0.0
	for i := range g.N() {
		trace += 1 - 1/float64(g.Degree(i)+1)
	}
	r := spectrumOf(t, "--dataset", name)
	if r.N != 6000 || !strings.HasPrefix(r.Method, "density of states") || len(r.Histogram.StandardErrors) != spectrumBins {
		t.Fatalf("report %+v", r)
	}
	total, sum := 0.0, 0.0
	for i, count := range r.Histogram.Counts {
		total += count
		sum += count * (float64(i) + 0.5) / binsPerUnit // the bin's center
	}
	n := float64(r.N)
	if !near(total, n, 1e-6*n) {
		t.Errorf("%v eigenvalues in all, want %v", total, n)
	}
	const halfBin = 0.5 / binsPerUnit
	if !near(sum/n, trace/n, halfBin) {
		t.Errorf("mean eigenvalue about %v, want %v", sum/n, trace/n)
	}
	if !near(r.Quantiles["1.00"], r.LambdaMax, 1e-3) {
		t.Errorf("largest %v, lambda_max %v", r.Quantiles["1.00"], r.LambdaMax)
	}
}
