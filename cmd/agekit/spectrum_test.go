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

// spectrumOf runs `agekit spectrum --json`.
func spectrumOf(t *testing.T, args ...string) spectrumReport {
	t.Helper()
	return asJSON[spectrumReport](t, append([]string{"spectrum"}, args...)...)
}

// TestSpectrumCora compares the report with numpy's results. Cora has the eigenvalues 1/2, 3/4, 4/5 and
// 1 several times. All are on edges of the 40 bins, where rounding puts some on either side in numpy's
// histogram, while ours counts them above the edge. So the numbers of eigenvalues below the other
// edges are compared, and below these ours has at most as many.
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
	if h.Bins != 40 || h.Lo != 0 || h.Hi != 2 || len(h.Counts) != 40 || h.StandardErrors != nil {
		t.Fatalf("histogram %+v", h)
	}
	if !near(r.LambdaMax, want.LambdaMax, 1e-9) {
		t.Errorf("lambda_max %v, want %v", r.LambdaMax, want.LambdaMax)
	}
	below, wantBelow := 0.0, 0.0
	for i := range h.Counts {
		below += h.Counts[i]
		wantBelow += want.Histogram[i]
		edge := float64(i+1) / 20
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

// TestSpectrumOwnGraph compares histogram, λmax and quantiles with the eigenvalues of the dense matrix
// that gonum computes, for a graph in files.
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
	counts := make([]float64, 40)
	values := eigen.Values(nil)
	for _, v := range values {
		counts[int(math.Floor(v*20+1e-6))]++
	}
	if !slices.Equal(r.Histogram.Counts, counts) {
		t.Errorf("histogram %v, want %v", r.Histogram.Counts, counts)
	}
	largest, median := values[299], (values[149]+values[150])/2
	if !near(r.LambdaMax, largest, 1e-9) || !near(r.Quantiles["1.00"], largest, 1e-9) || !near(r.Quantiles["0.50"], median, 1e-9) {
		t.Errorf("lambda_max %v, quantiles %v; want λmax %v, median %v", r.LambdaMax, r.Quantiles, largest, median)
	}
	code, text, _ := age(t, append([]string{"spectrum"}, args...)...)
	if code != 0 || !strings.Contains(text, fmt.Sprintf("edges: 300 nodes, λmax %.8f", r.LambdaMax)) || strings.Count(text, "\n") != 42 {
		t.Errorf("exit %d, %s", code, text)
	}
}

// TestSpectrumLarge estimates the eigenvalues of a graph of more than 5,000
// nodes. Two values are known exactly: the number of eigenvalues, n, and their
// sum, the trace Σ 1 − 1/(degree + 1). The bin centers give the sum to within
// half a bin.
func TestSpectrumLarge(t *testing.T) {
	isolate(t)
	const name = "planted:n=6000,f=40,words=5"
	g := testutil.Value(dataset.Load(t.Context(), name, dataset.Options{})).OrFatal(t)
	trace := 0.0
	for i := range g.N() {
		trace += 1 - 1/float64(g.Degree(i)+1)
	}
	r := spectrumOf(t, "--dataset", name)
	if r.N != 6000 || !strings.HasPrefix(r.Method, "density of states") || len(r.Histogram.StandardErrors) != 40 {
		t.Fatalf("report %+v", r)
	}
	total, sum := 0.0, 0.0
	for i, count := range r.Histogram.Counts {
		total += count
		sum += count * (float64(i) + 0.5) / 20
	}
	if !near(total, 6000, 1e-6*6000) {
		t.Errorf("%v eigenvalues in all", total)
	}
	if !near(sum/6000, trace/6000, 0.025) {
		t.Errorf("mean eigenvalue about %v, want %v", sum/6000, trace/6000)
	}
	if !near(r.Quantiles["1.00"], r.LambdaMax, 1e-3) {
		t.Errorf("largest %v, lambda_max %v", r.Quantiles["1.00"], r.LambdaMax)
	}
}
