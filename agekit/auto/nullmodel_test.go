package auto

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// column returns column j of x.
func column(x blas32.General, j int) []float64 {
	values := make([]float64, x.Rows)
	for i := range values {
		values[i] = float64(x.Data[i*x.Stride+j])
	}
	return values
}

// TestNullModel: of three numbers in two clusters and a category that follows them, the means,
// covariances and counts remain, and the clusters do not.
func TestNullModel(t *testing.T) {
	const n, numbers, f = 4000, 3, 6
	rnd := rand.New(rand.NewPCG(8, 0))
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for i := range n {
		side := float64(2*(i%2) - 1)
		common := rnd.NormFloat64()
		for j := range numbers {
			x.Data[i*f+j] = float32(5 + float64(j) + 3*side + common + rnd.NormFloat64()/2)
		}
		x.Data[i*f+numbers+i%2+i%4/3] = 1
	}
	group := []int{0, 1, 2, 3, 3, 3}
	for name, features := range map[string]graph.Features{"dense": {Dense: &x}, "sparse": {Sparse: graph.FromDense(x)}} {
		c := newColumnStats(features)
		c.isWord[3] = true // half of the nodes have it
		made, err := nullModel(t.Context(), features, c, group, rand.New(rand.NewPCG(1, 0)))
		if err != nil || !hasNullModel(features, c) {
			t.Fatalf("%s: no null model: %v", name, err)
		}
		y := *made.Dense
		for j := range numbers {
			a, b := column(x, j), column(y, j)
			if d := stat.Mean(a, nil) - stat.Mean(b, nil); math.Abs(d) > 0.2 {
				t.Errorf("%s: the mean of column %d is off by %v", name, j, d)
			}
			for l := range numbers {
				if want, got := stat.Covariance(a, column(x, l), nil), stat.Covariance(b, column(y, l), nil); math.Abs(got/want-1) > 0.1 {
					t.Errorf("%s: the covariance of %d and %d is %v, want %v", name, j, l, got, want)
				}
			}
			// The mean distance from the mean, in deviations: √(2/π) of a normal column, and
			// nearly 1 of two clusters.
			mean, deviation := stat.MeanStdDev(b, nil)
			distance := 0.
			for _, v := range b {
				distance += math.Abs(v-mean) / deviation / n
			}
			if math.Abs(distance-math.Sqrt(2/math.Pi)) > 0.02 {
				t.Errorf("%s: column %d is not normal: %v", name, j, distance)
			}
		}
		follows := 0.
		for i := range n {
			row := y.Data[i*f : (i+1)*f]
			if row[3]+row[4]+row[5] != 1 {
				t.Fatalf("%s: row %d has categories %v", name, i, row[3:])
			}
			if (row[0] > 5) == (row[3] == 0) {
				follows += 1. / n
			}
		}
		for j := numbers; j < f; j++ {
			if stat.Mean(column(x, j), nil) != stat.Mean(column(y, j), nil) {
				t.Errorf("%s: category %d has another count", name, j)
			}
		}
		if math.Abs(follows-0.5) > 0.05 {
			t.Errorf("%s: %v of the categories follow the numbers, want half", name, follows)
		}
	}
	words := graph.Features{Sparse: graph.FromDense(blas32.General{Rows: 3, Cols: 2, Stride: 2, Data: []float32{1, 0, 0, 1, 0, 0}})}
	if hasNullModel(words, newColumnStats(words)) {
		t.Error("a null model of words")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := nullModel(stopped, graph.Features{Dense: &x}, newColumnStats(graph.Features{Dense: &x}), group, rnd); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestFactors: numbers that vary along factors, which the classes do not follow, tell
// clusters much about other numbers, and no more than the null model does; the edges decide.
func TestFactors(t *testing.T) {
	g, err := generateFamily(familyConfig{
		Nodes: 200, Classes: 3, Imbalance: 8, Degree: 12, Mixing: alike, Signal: 0.6, Kind: factorKind, Features: 20, Separation: 0.5, Seed: 4026,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &search{g: inUnits(g), k: g.Classes, r: &Result{}, o: Options{Encoder: encoder.Options{}.WithDefaults()}}
	if err := s.tryUntrained(t.Context()); err != nil {
		t.Fatal(err)
	}
	alone := s.findTrial(Candidate{Data: smoothedFeatures, Clustering: kMeans})
	if alone.measure(alone.Folds); alone.Features > 0.2*(alone.Features+alone.nullFeatures) {
		t.Errorf("k-means of the features tells %v, and under the null model %v", alone.Features+alone.nullFeatures, alone.nullFeatures)
	}
	all, _, _ := s.plan().folds()
	best := highestScore(s.trials, all)
	found, err := s.clusterGraph(t.Context(), []Candidate{best.Candidate})
	if err != nil {
		t.Fatal(err)
	}
	if acc := metric.Accuracy(g.Labels, found); acc < 0.9 {
		t.Errorf("%s: ACC %.3f, want .9", best.Name(), acc)
	}
}
