package lab

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestSignals compares the signals that notebooks draw on a corner of Cora with Cora's features
// and classes: no other feature is in a number of nodes closer to half. A graph without
// labels has no class signal, and [ClassSignal] panics for it.
func TestSignals(t *testing.T) {
	g, nodes := Corner(cora(), 60)
	x := cora().Features.ToDense()
	column := func(j int) []float64 {
		values := make([]float64, len(nodes))
		for i, v := range nodes {
			values[i] = float64(x.Data[v*x.Stride+j])
		}
		return values
	}
	signals := Signals(g)
	if len(signals) != 3 {
		t.Fatalf("%d signals", len(signals))
	}
	var names []string
	for _, s := range signals {
		names = append(names, s.Name)
	}
	if want := []string{"feature 774", "class Neural Networks", "noise"}; !slices.Equal(names, want) {
		t.Errorf("signals %q, want %q", names, want)
	}
	if !slices.Equal(signals[0].X, column(774)) {
		t.Errorf("feature 774 is %v, want %v", signals[0].X, column(774))
	}
	// No other feature is in a number of nodes that is closer to 30.
	nodesWith := floats.Sum(signals[0].X)
	for j := range x.Cols {
		if away := math.Abs(floats.Sum(column(j)) - 30); away < math.Abs(nodesWith-30) {
			t.Errorf("feature %d is %v nodes away from half of them, feature 774 %v", j, away, nodesWith-30)
		}
	}
	if !slices.Equal(signals[1].X, class(g, 3)) || LargestClass(cora()) != 3 {
		t.Error("the largest class, here and on Cora, is not Neural Networks")
	}

	named := &graph.Graph{Adjacency: g.Adjacency, Features: g.Features, FeatureNames: slices.Repeat([]string{"word"}, x.Cols)}
	if s := Signals(named); len(s) != 2 || s[0].Name != "feature word" {
		t.Errorf("without labels: %d signals, the first is %q", len(s), s[0].Name)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for the class of a graph without labels")
		}
	}()
	ClassSignal(named, 0)
}

// TestSmoothSignal compares smoothed noise with powers of the dense matrix I − kL, to 1e-12,
// also for k = 1/λmax by the dense eigenvalues. The roughest signal is the dense eigenvector
// for λmax, up to its sign.
func TestSmoothSignal(t *testing.T) {
	g, _ := Corner(cora(), 60)
	var values mat.EigenSym
	if !values.Factorize(LaplacianMatrix(g), true) {
		t.Fatal("no eigenvalues")
	}
	lambda := values.Values(nil)[59]
	noise := NoiseSignal(g, 3).X
	given := slices.Clone(noise)
	for k, value := range map[float64]float64{2.0 / 3: 2.0 / 3, agekit.InverseLambdaMax: 1 / lambda} {
		h, power, want := new(mat.Dense), new(mat.Dense), new(mat.VecDense)
		h.Apply(func(i, j int, v float64) float64 {
			if i == j {
				return 1 - value*v
			}
			return -value * v
		}, LaplacianMatrix(g))
		power.Pow(h, 5)
		want.MulVec(power, mat.NewVecDense(60, noise))
		if got := must(SmoothSignal(g, noise, k, 5)); !floats.EqualApprox(got, want.RawVector().Data, 1e-12) {
			t.Errorf("k = %v: %v, want %v", k, got, want.RawVector().Data)
		}
	}
	if !slices.Equal(noise, given) {
		t.Error("the given signal has changed")
	}
	if _, err := SmoothSignal(g, noise, 0, 1); err == nil {
		t.Error("no error for k = 0")
	}

	var vectors mat.Dense
	values.VectorsTo(&vectors)
	if along := mat.Dot(vectors.ColView(59), mat.NewVecDense(60, RoughestSignal(g))); math.Abs(math.Abs(along)-1) > 1e-9 {
		t.Errorf("the roughest signal has the product %v with the last eigenvector: want 1 or −1", along)
	}
}

// TestSampleFeatures: two sampled features are columns 0 and 716 of all, for sparse and for
// dense features, with their names. A sample of more features than there are is the graph.
func TestSampleFeatures(t *testing.T) {
	g := cora()
	x := g.Features.ToDense()
	dense := *g
	dense.Features = graph.Features{Dense: &x}
	dense.FeatureNames = make([]string, x.Cols)
	dense.FeatureNames[716] = "middle" // 1·1433/2
	for _, from := range []*graph.Graph{g, &dense} {
		s := SampleFeatures(from, 2)
		y := s.Features.ToDense()
		if y.Rows != x.Rows || y.Cols != 2 {
			t.Fatalf("%d×%d features", y.Rows, y.Cols)
		}
		for i := range x.Rows {
			if y.Data[i*y.Stride] != x.Data[i*x.Stride] || y.Data[i*y.Stride+1] != x.Data[i*x.Stride+716] {
				t.Fatalf("node %d has features that are not 0 and 716", i)
			}
		}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
	}
	if s := SampleFeatures(&dense, 2); s.FeatureNames[1] != "middle" {
		t.Errorf("feature names %q", s.FeatureNames)
	}
	if SampleFeatures(g, 5000) != g {
		t.Error("a sample of more features than there are is not the graph itself")
	}
}

// TestDrawManyClasses: a drawing of a part of a graph with nine classes, more than there are
// colors, has only the classes of its nodes, with the right names.
func TestDrawManyClasses(t *testing.T) {
	g, _ := Corner(must(agekit.Load("gostd")), 60)
	d := Draw(g)
	if g.Classes != 9 || len(d.ClassNames) > 7 {
		t.Fatalf("%d classes, %d of them drawn", g.Classes, len(d.ClassNames))
	}
	for i, c := range g.Labels {
		if d.ClassNames[d.Classes[i]] != g.ClassNames[c] {
			t.Errorf("node %d is drawn as %q, want %q", i, d.ClassNames[d.Classes[i]], g.ClassNames[c])
		}
	}
	unnamed := *g
	unnamed.ClassNames, unnamed.Classes = nil, 9
	if d := Draw(&unnamed); d.ClassNames[0] != "class 0" {
		t.Errorf("classes without names are %q", d.ClassNames)
	}
}

// class returns the signal that is 1 at the nodes of a class and 0 elsewhere.
func class(g *graph.Graph, which int) []float64 {
	signal := make([]float64, g.N())
	for i, label := range g.Labels {
		if label == which {
			signal[i] = 1
		}
	}
	return signal
}
