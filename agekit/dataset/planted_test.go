package dataset

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/system"
)

// contrast returns the mean cosine similarity of the features of two different nodes of the same
// class, divided by that of two nodes of different classes. The sum of the cosines over all pairs
// of a set is the squared length of the sum of its features, scaled to length 1.
func contrast(g *graph.Graph) float64 {
	sums := make([][]float64, g.Classes+1) // of the scaled features, by class; the last of all nodes
	for c := range sums {
		_, f := g.Features.Dims()
		sums[c] = make([]float64, f)
	}
	size := make([]float64, g.Classes)
	var self float64 // the sum of the cosines of each node with itself
	for i, c := range g.Labels {
		columns, _ := g.Features.Sparse.Row(i)
		size[c]++
		if len(columns) > 0 {
			self++
		}
		for _, j := range columns {
			sums[c][j] += 1 / math.Sqrt(float64(len(columns)))
			sums[g.Classes][j] += 1 / math.Sqrt(float64(len(columns)))
		}
	}
	square := func(x []float64) (s float64) {
		for _, v := range x {
			s += v * v
		}
		return s
	}
	var within, pairs float64 // the sum of the cosines within classes, and the number of pairs there
	for c := range g.Classes {
		within += square(sums[c])
		pairs += size[c] * (size[c] - 1)
	}
	between := square(sums[g.Classes]) - within
	n := float64(g.N())
	return (within - self) / pairs / (between / (n*(n-1) - pairs))
}

// homophily returns the fraction of edges that join nodes of the same class.
func homophily(g *graph.Graph) float64 {
	same := 0
	for i := range g.N() {
		columns, _ := g.Adjacency.Row(i)
		for _, j := range columns {
			if g.Labels[i] == g.Labels[j] {
				same++
			}
		}
	}
	return float64(same) / float64(g.Adjacency.NNZ())
}

// near fails the test unless got is within a relative tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s is %.4g, want %.4g ± %g %%", what, got, want, 100*tolerance)
	}
}

// TestPlantedIsLikeCora: a graph of the default configuration has Cora's sizes, and its statistics
// are near those of Cora itself. The degrees are random, and their maximum varies most, so the
// tolerance of these is larger.
func TestPlantedIsLikeCora(t *testing.T) {
	cora, err := Load(t.Context(), "cora", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := cora.Stats()
	for seed := range uint64(3) {
		g, err := Planted(t.Context(), PlantedConfig{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		got := g.Stats()
		if got.Nodes != want.Nodes || got.Classes != want.Classes || got.Features != want.Features || got.Isolated != 0 || got.ZeroRows != 0 {
			t.Errorf("seed %d: got %+v, want the sizes of %+v", seed, got, want)
		}
		near(t, "number of edges", float64(got.Edges), float64(want.Edges), 0.01)
		near(t, "number of words", float64(got.NonZeros), float64(want.NonZeros), 0.03)
		near(t, "homophily", homophily(g), homophily(cora), 0.01)
		near(t, "contrast of the classes' features", contrast(g), contrast(cora), 0.1)
		near(t, "largest degree", float64(got.MaxDegree), float64(want.MaxDegree), 0.5)
		near(t, "nodes of degree 1 or 2", lowDegrees(g), lowDegrees(cora), 0.25)
	}
}

// lowDegrees returns the number of nodes of degree 2 or less.
func lowDegrees(g *graph.Graph) (count float64) {
	for i := range g.N() {
		if g.Degree(i) <= 2 {
			count++
		}
	}
	return count
}

// TestPlantedKeepsItsConfig: graphs of random configurations have the mean degree, words per node,
// homophily and equal classes that the configuration asks for, within the tolerance that random
// draws need, and no isolated node where the mean degree is 2 or more.
func TestPlantedKeepsItsConfig(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		cfg := PlantedConfig{
			Nodes:      rapid.IntRange(4000, 6000).Draw(r, "nodes"),
			Classes:    rapid.IntRange(1, 12).Draw(r, "classes"),
			MeanDegree: rapid.Float64Range(0.5, 10).Draw(r, "degree"),
			Homophily:  rapid.Float64Range(0.05, 1).Draw(r, "homophily"),
			Exponent:   rapid.Float64Range(2.5, 6).Draw(r, "exponent"),
			Features:   rapid.IntRange(80, 3000).Draw(r, "features"),
			Words:      rapid.Float64Range(8, 20).Draw(r, "words"),
			Topic:      rapid.Float64Range(0.01, 1).Draw(r, "topic"),
			Seed:       rapid.Uint64().Draw(r, "seed"),
		}
		g, err := Planted(context.Background(), cfg)
		if err != nil {
			r.Fatal(err)
		}
		if err := g.Validate(); err != nil {
			r.Fatal(err)
		}
		s := g.Stats()
		if mean := 2 * float64(s.Edges) / float64(s.Nodes); math.Abs(mean-cfg.MeanDegree) > 0.03*cfg.MeanDegree {
			r.Errorf("mean degree %.4f, want %.4f", mean, cfg.MeanDegree)
		}
		if words := float64(s.NonZeros) / float64(s.Nodes); math.Abs(words-cfg.Words) > 0.03*cfg.Words {
			r.Errorf("%.4f words per node, want %.4f", words, cfg.Words)
		}
		if h := homophily(g); cfg.Classes > 1 && math.Abs(h-cfg.Homophily) > 0.02 {
			r.Errorf("homophily %.4f, want %.4f", h, cfg.Homophily)
		}
		if cfg.MeanDegree >= 2 && s.Isolated > 0 {
			r.Errorf("%d isolated nodes", s.Isolated)
		}
		sizes := make([]int, cfg.Classes)
		for _, c := range g.Labels {
			sizes[c]++
		}
		if slices.Max(sizes)-slices.Min(sizes) > 1 {
			r.Errorf("class sizes %v, want equal ones", sizes)
		}
	})
}

// TestPlantedExponent: Hill's estimator over the largest degrees finds the exponent of their power
// law, within 15 %: the degrees scatter around their expectations, and duplicate edges between the
// nodes of large degree are drawn again.
func TestPlantedExponent(t *testing.T) {
	for _, want := range []float64{2.5, 3, 4} {
		g, err := Planted(t.Context(), PlantedConfig{Nodes: 30_000, MeanDegree: 10, Exponent: want, Features: 20, Words: 4})
		if err != nil {
			t.Fatal(err)
		}
		var degrees []float64
		for i := range g.N() {
			degrees = append(degrees, float64(g.Degree(i)))
		}
		slices.Sort(degrees)
		const count = 200 // of the largest degrees
		top := degrees[len(degrees)-count:]
		threshold := degrees[len(degrees)-count-1] // the next smaller degree
		var sum float64
		for _, d := range top {
			sum += math.Log(d / threshold)
		}
		near(t, "exponent", 1+count/sum, want, 0.15)
	}
}

// TestPlantedIsReproducible: the same parameters and seed give the same graph, whether Load parses
// them from a name or Planted has them in its configuration, and another seed gives another graph.
func TestPlantedIsReproducible(t *testing.T) {
	a, err := Load(t.Context(), "planted:n=500,seed=3", Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Planted(t.Context(), PlantedConfig{Nodes: 500, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Planted(t.Context(), PlantedConfig{Nodes: 500, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	if a.Fingerprint() != b.Fingerprint() {
		t.Error("the same seed gave two graphs")
	}
	if a.Fingerprint() == c.Fingerprint() {
		t.Error("two seeds gave the same graph")
	}
}

// TestPlantedRefuses: a parameter that is out of range, given twice, unknown or no number, and a
// graph that needs more memory than the 100 MB that are free here, are short errors that name the
// parameter or the size. Planted stops with the error of a canceled context.
func TestPlantedRefuses(t *testing.T) {
	t.Setenv(system.MemoryVariable, "100MB")
	for params, want := range map[string]string{
		"n=1":                             "nodes is 1",
		"n=-5":                            "nodes is -5",
		"n=x":                             "\"n=x\"",
		"size=3":                          "\"size=3\"",
		"n=10,classes=9":                  "classes is 9",
		"n=100,degree=50":                 "mean degree is 50",
		"homophily=1.5":                   "homophily is 1.5",
		"homophily=NaN":                   "homophily is NaN",
		"exponent=2":                      "exponent is 2",
		"exponent=2.000000001":            "exponent is 2.000000001, want 2.01 or more", // drew for hours
		"n=20000,degree=60,exponent=2.01": "mean degree 60 is too high",                 // sorted all edges 200 times
		"n=0":                             `parameter "n=0": want more than 0`,
		"classes=0":                       `parameter "classes=0": want more than 0`,
		"degree=0":                        `parameter "degree=0": want more than 0`,
		"homophily=-0.0":                  `parameter "homophily=-0.0": want more than 0`,
		"exponent=0":                      `parameter "exponent=0": want more than 0`,
		"f=00":                            `parameter "f=00": want more than 0`,
		"words=0e5":                       `parameter "words=0e5": want more than 0`,
		"topic=0":                         `parameter "topic=0": want more than 0`,
		"":                                "no parameters after the colon",
		"n=5,n=50":                        `parameter "n=50": n is given twice`,
		"seed=0,seed=0":                   `parameter "seed=0": seed is given twice`,
		"words=":                          `parameter "words=": want a number`,
		"words":                           `parameter "words": want a number`,
		"n=1e5":                           `parameter "n=1e5": want a number written in digits only`,
		"degree=0x1p3":                    `parameter "degree=0x1p3": want a number`,
		"words=1e999":                     `parameter "words=1e999": want a number`,
		"degree=+Inf":                     "mean degree is +Inf",
		"exponent=NaN":                    "exponent is NaN",
		"n=2000000000":                    "planted graph of 2000000000 nodes: 310 GB of memory, want at most the 100 MB that are free",
		"f=16777216,words=4194304":        "planted graph of 2708 nodes: 46 GB of memory",
		"n=1000000,degree=249000":         "planted graph of 1000000 nodes: 3.0 TB of memory",
		"n=99999999999":                   "nodes is 99999999999",
		strings.Repeat("x", 1e6):          `parameter "` + strings.Repeat("x", 60) + `"… (1000000 bytes), want one of n,`,
		"f=3":                             "features is 3",
		"words=1000":                      "words is 1000",
		"topic=-1":                        "topic is -1",
		"topic=NaN":                       "topic is NaN",
		"f=-1":                            "features is -1",
		"f=16777217":                      "features is 16777217",
		"degree=NaN":                      "mean degree is NaN",
		"degree=-2":                       "mean degree is -2",
		"exponent=Inf":                    "exponent is +Inf",
		"words=0":                         `parameter "words=0": want more than 0`,
		"n=40,degree=9,exponent=2.01":     "mean degree 9 is too high",
		"seed=-1":                         "\"seed=-1\"",
		"n=100,,":                         "\"\"",
	} {
		if _, err := Load(t.Context(), "planted:"+params, Options{}); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%.60s: error %v, want one with %q", params, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Planted(ctx, PlantedConfig{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: error %v, want context.Canceled", err)
	}
}
