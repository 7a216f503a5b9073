package linkpred

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestScore holds a small ranking, worked out by hand: similarities 3, 1 of
// edges and 2, 0 of non-edges have AUC 3/4 and AP (1 + 2/3)/2.
func TestScore(t *testing.T) {
	z := blas32.General{Rows: 5, Cols: 2, Stride: 3, Data: []float32{
		1, 0, 9,
		3, 1, 9,
		1, 7, 9,
		2, 5, 9,
		0, 2, 9,
	}}
	pairs := Pairs{Edges: []Pair{{0, 1}, {0, 2}}, NonEdges: []Pair{{0, 3}, {0, 4}}}
	s, err := Score(z, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.AUC-0.75) > 1e-12 || math.Abs(s.AP-5.0/6) > 1e-12 || math.Abs(s.Mean()-(0.75+5.0/6)/2) > 1e-12 {
		t.Errorf("scores %+v", s)
	}
	if p := Decode(z, Pair{0, 1}); math.Abs(p-1/(1+math.Exp(-3))) > 1e-12 {
		t.Errorf("probability of an edge %v, want σ(3)", p)
	}
	z.Data[0] = float32(math.NaN())
	if _, err := Score(z, pairs); err == nil || !strings.Contains(err.Error(), "nodes 0 and 1") {
		t.Errorf("error %v, want one that names the nodes", err)
	}
}

// plantedSplit is a split of a graph on which a run takes a moment, and
// settings for it.
func plantedSplit(t *testing.T) (*Split, encoder.Config) {
	t.Helper()
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Features: 120, Words: 12, Topic: 0.4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSplit(g, SplitOptions{}, random(3))
	if err != nil {
		t.Fatal(err)
	}
	return s, encoder.Config{K: 2.0 / 3, Layers: 2, Dims: 70, Epochs: 22, UpdateEvery: 5, BatchSize: 300, Seed: 5}
}

// TestFitUsesTrainingEdgesAlone: a split whose validation and test pairs are
// exchanged for others trains in the same way; the chosen epoch is the one
// with the best validation score, whatever the test pairs are.
func TestFitUsesTrainingEdgesAlone(t *testing.T) {
	s, c := plantedSplit(t)
	want, err := Fit(t.Context(), s, c, encoder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	best := slices.MaxFunc(want.Curve, func(a, b Point) int {
		if a.Score < b.Score || a.Score == b.Score && a.Epoch < b.Epoch {
			return -1
		}
		return 1
	})
	if want.Encoder.Epoch != best.Epoch || math.Abs(want.Validation.Mean()-best.Score) > 1e-12 {
		t.Errorf("epoch %d with validation score %v, want %+v", want.Encoder.Epoch, want.Validation.Mean(), best)
	}
	if epochs := []int{5, 10, 15, 20, 22}; len(want.Curve) != len(epochs) || want.Curve[4].Epoch != 22 {
		t.Errorf("curve %v, want epochs %v", want.Curve, epochs)
	}
	test, err := Score(want.Encoder.Embedding, s.Test)
	if err != nil || test != want.Test {
		t.Errorf("test scores %+v, of the embedding %+v (error %v)", want.Test, test, err)
	}

	otherTest := *s
	otherTest.Test = Pairs{s.Test.NonEdges, s.Test.Edges}
	got, err := Fit(t.Context(), &otherTest, c, encoder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Encoder.Epoch != want.Encoder.Epoch || !slices.Equal(got.Encoder.Embedding.Data, want.Encoder.Embedding.Data) {
		t.Error("other test pairs give another embedding")
	}
	if math.Abs(got.Test.AUC+want.Test.AUC-1) > 1e-9 {
		t.Errorf("AUC %v with edges and non-edges exchanged, %v without: want the sum 1", got.Test.AUC, want.Test.AUC)
	}
	otherValidation := *s
	otherValidation.Validation = Pairs{s.Validation.NonEdges, s.Validation.Edges}
	got, err = Fit(t.Context(), &otherValidation, c, encoder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Encoder.Loss, want.Encoder.Loss) {
		t.Error("other validation pairs give another training")
	}
	if got.Encoder.Epoch == want.Encoder.Epoch {
		t.Error("the validation pairs do not choose the epoch")
	}
}

// TestFitBest: of three settings the one with the highest validation score is
// taken, with the result that it has alone; the test pairs have no say.
func TestFitBest(t *testing.T) {
	s, c := plantedSplit(t)
	settings := Candidates(c)
	settings[2].Layers = 8
	var alone []*Result
	best := 0
	for k, c := range settings {
		if c.Epochs != 30 || c.UpdateEvery != 3 || c.Dims != 70 || k < 2 && c.Layers != k+1 {
			t.Errorf("settings %d: %+v", k, c)
		}
		r, err := Fit(t.Context(), s, c, encoder.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if alone = append(alone, r); r.Validation.Mean() > alone[best].Validation.Mean() {
			best = k
		}
	}
	if best == 0 || best == len(alone)-1 {
		t.Fatalf("settings %d are best: want neither the first nor the last, to see a choice", best)
	}
	s.Test = Pairs{s.Test.NonEdges, s.Test.Edges}
	got, index, err := FitBest(t.Context(), s, settings, encoder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if index != best || !slices.Equal(got.Encoder.Embedding.Data, alone[best].Encoder.Embedding.Data) {
		t.Errorf("settings %d, want %d with its own embedding", index, best)
	}
	if _, _, err := FitBest(t.Context(), s, nil, encoder.Options{}); err == nil {
		t.Error("no error without settings")
	}
	settings[2].Dims = -1
	if _, _, err := FitBest(t.Context(), s, settings, encoder.Options{}); err == nil || !strings.Contains(err.Error(), "settings 3 of 3: dims is -1") {
		t.Errorf("error %v, want one that says which settings are wrong", err)
	}
}

// TestFitCora trains for a few epochs in the paper's settings: the embedding
// must predict edges clearly better than the smoothed features that it is made
// of. (An independent implementation's whole run, on a split of its own, has
// AUC .947 and AP .949, and .889 and .917 for the smoothed features.)
func TestFitCora(t *testing.T) {
	g := testgraph.Load(t, "cora")
	s, err := NewSplit(g, SplitOptions{}, random(1))
	if err != nil {
		t.Fatal(err)
	}
	c := encoder.PaperConfig("cora")
	c.Epochs, c.Seed = 10, 1
	r, err := Fit(t.Context(), s, c, encoder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("AUC %.4f, AP %.4f at epoch %d", r.Test.AUC, r.Test.AP, r.Encoder.Epoch)
	op := laplacian.New(s.Train.Adjacency)
	x, err := laplacian.Filter{K: c.K, Layers: c.Layers}.Smooth(t.Context(), op, s.Train.Features)
	if err != nil {
		t.Fatal(err)
	}
	smoothed, err := Score(encoder.Normalize(x), s.Test)
	if err != nil {
		t.Fatal(err)
	}
	if r.Test.AUC < smoothed.AUC+0.04 || r.Test.AP < smoothed.AP+0.02 {
		t.Errorf("AUC %v, AP %v; smoothed features have %+v", r.Test.AUC, r.Test.AP, smoothed)
	}
	if r.Test.AUC < 0.93 || r.Test.AP < 0.93 {
		t.Errorf("AUC %v, AP %v: want .93", r.Test.AUC, r.Test.AP)
	}
}

func TestFitRefusesAnotherChooser(t *testing.T) {
	if _, err := Fit(t.Context(), &Split{}, encoder.Config{Choose: &encoder.Chooser{Name: "mine"}}, encoder.Options{}); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("error %v, want one that names the chooser", err)
	}
}
