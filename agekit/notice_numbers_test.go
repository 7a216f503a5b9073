package agekit

import (
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/stat"
)

// markdown returns the text of the notebooks with notices by their numbers.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, number := range []string{"00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10"} {
		texts[number] = strings.Join(testutil.NotebookCells(t, "../notebooks/"+number+"_*.ipynb", "markdown"), "\n\n")
	}
	return texts
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var cora = sync.OnceValue(func() *graph.Graph { return must(Load("cora")) })

func eigenvalues(t *testing.T) []float64 {
	t.Helper()
	if testing.Short() {
		t.Skip("all eigenvalues take seconds")
	}
	return must(Eigenvalues(cora()))
}

// class returns the signal that is 1 in a class and 0 elsewhere.
func class(g *graph.Graph, which int) []float64 {
	signal := make([]float64, g.N())
	for i, label := range g.Labels {
		if label == which {
			signal[i] = 1
		}
	}
	return signal
}

var stored = sync.OnceValue(func() *experiment.Results { return must(experiment.Open(filepath.FromSlash(resultsFile), false)) })

func record(t *testing.T, r experiment.Run) experiment.Record {
	t.Helper()
	found, ok := stored().Get(r)
	if !ok {
		t.Fatalf("no stored result of %v", r)
	}
	return found
}

// scores returns a score of a clustering for each seed that has a result.
func scores(t *testing.T, score string, r experiment.Run) []float64 {
	t.Helper()
	r.Task = experiment.Clustering
	var values []float64
	for r.Seed = 1; r.Seed <= 10; r.Seed++ {
		if found, ok := stored().Get(r); ok {
			values = append(values, found.Scores[score])
		}
	}
	if len(values) == 0 {
		t.Fatalf("no stored results of %v", r)
	}
	return values
}

func mean(t *testing.T, score, dataset, method string, mode experiment.Mode) float64 {
	t.Helper()
	return stat.Mean(scores(t, score, experiment.Run{Dataset: dataset, Method: method, Mode: mode}), nil)
}

// overK returns the means and deviations of a score of AGE for each k in a
// range.
func overK(t *testing.T, score, dataset string, from, to float64) (means, deviations []float64) {
	t.Helper()
	for _, k := range ks {
		value := k
		switch k {
		case 0:
			value = 2. / 3
		case InverseLambdaMax:
			value = 1 / record(t, experiment.Run{Task: experiment.Spectrum, Dataset: dataset}).Scores["lambda_max"]
		}
		if value < from || value > to {
			continue
		}
		mean, deviation := stat.MeanStdDev(scores(t, score, experiment.Run{Dataset: dataset, Method: "AGE", Mode: experiment.Paper, K: k}), nil)
		means, deviations = append(means, mean), append(deviations, deviation)
	}
	return means, deviations
}

// smoothedNMI returns, for each number of layers, the NMI of g's classes and the clusters of
// the smoothed features, as notebook 06 computes it.
func smoothedNMI(g *graph.Graph, k float64, layers []int) (values []float64) {
	for _, t := range layers {
		clusters := must(Cluster(must(Smooth(g, k, t)), g.Classes))
		values = append(values, metric.NMI(metric.Known(g.Labels, clusters)))
	}
	return values
}

// near reports a value that is not within the tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.5g, want %v ± %v", what, got, want, tolerance)
	}
}

// rounds reports a value that a text does not round correctly.
func rounds(t *testing.T, what string, got, want float64, digits int) {
	t.Helper()
	near(t, what, got, want, 0.5*math.Pow10(-digits))
}

// below reports a value that is not below another.
func below(t *testing.T, what string, got, limit float64) {
	t.Helper()
	if !(got < limit) {
		t.Errorf("%s is %.5g, want less than %.5g", what, got, limit)
	}
}
