package linkpred

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestScore checks a small ranking worked out by hand: edges with similarities
// 3 and 1 and non-edges with 2 and 0 have AUC 3/4 and AP (1 + 2/3)/2.
func TestScore(t *testing.T) {
	z := blas32.General{Rows: 5, Cols: 2, Stride: 3, Data: []float32{
		1, 0, 9,
		3, 1, 9,
		1, 7, 9,
		2, 5, 9,
		0, 2, 9,
	}}
	ranked := Pairs{Edges: []Pair{{0, 1}, {0, 2}}, NonEdges: []Pair{{0, 3}, {0, 4}}}
	s := testutil.Value(Score(InnerProduct(z), ranked)).OrFatal(t)
	if math.Abs(s.AUC-0.75) > 1e-12 || math.Abs(s.AP-5.0/6) > 1e-12 || math.Abs(s.mean()-(0.75+5.0/6)/2) > 1e-12 {
		t.Errorf("scores %+v", s)
	}
	z.Data[0] = float32(math.NaN())
	testutil.Value(Score(InnerProduct(z), ranked)).Fails(t, "nodes 0 and 1")
}

// plantedSplit returns a split of a graph on which a run takes a moment, and
// settings for it.
func plantedSplit(t *testing.T) (*Split, encoder.Options) {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Features: 120, Words: 12, Topic: 0.4, Seed: 1})).OrFatal(t)
	s := testutil.Value(NewSplit(g, random(3))).OrFatal(t)
	return s, encoder.Options{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 2}, Config: encoder.Config{Dims: 70, Epochs: 22, UpdateEvery: 5, BatchSize: 300, Seed: 5}}
}

// TestFitUsesTrainingEdgesAlone: replacing the validation and test pairs of a
// split does not change the training. The chosen epoch is the one with the
// best validation score, whatever the test pairs are.
func TestFitUsesTrainingEdgesAlone(t *testing.T) {
	s, o := plantedSplit(t)
	want := testutil.Value(Fit(t.Context(), s, o)).OrFatal(t)
	saved := want.Training.Members[0].Saved
	best := slices.MinFunc(saved, func(a, b encoder.Saved) int { return cmp.Or(cmp.Compare(a.Score, b.Score), b.Epoch-a.Epoch) })
	if want.Training.Members[0].Epoch != best.Epoch || math.Abs(want.Validation.mean()+best.Score) > 1e-12 {
		t.Errorf("epoch %d with validation score %v, want %+v", want.Training.Members[0].Epoch, want.Validation.mean(), best)
	}
	if epochs := []int{5, 10, 15, 20, 22}; len(saved) != len(epochs) || saved[4].Epoch != 22 {
		t.Errorf("saved %v, want epochs %v", saved, epochs)
	}
	test, err := Score(InnerProduct(want.Training.Embedding), s.Test)
	if err != nil || test != want.Test {
		t.Errorf("test scores %+v, of the embedding %+v (error %v)", want.Test, test, err)
	}

	otherTest := *s
	otherTest.Test = Pairs{s.Test.NonEdges, s.Test.Edges}
	got := testutil.Value(Fit(t.Context(), &otherTest, o)).OrFatal(t)
	if got.Training.Members[0].Epoch != want.Training.Members[0].Epoch || !slices.Equal(got.Training.Embedding.Data, want.Training.Embedding.Data) {
		t.Error("the embedding depends on the test pairs")
	}
	if math.Abs(got.Test.AUC+want.Test.AUC-1) > 1e-9 {
		t.Errorf("AUC %v with edges and non-edges swapped, %v without: want them to sum to 1", got.Test.AUC, want.Test.AUC)
	}
	otherValidation := *s
	otherValidation.Validation = Pairs{s.Validation.NonEdges, s.Validation.Edges}
	got = testutil.Value(Fit(t.Context(), &otherValidation, o)).OrFatal(t)
	if !slices.Equal(got.Training.Members[0].Loss, want.Training.Members[0].Loss) {
		t.Error("the training depends on the validation pairs")
	}
	if got.Training.Members[0].Epoch == want.Training.Members[0].Epoch {
		t.Error("the validation pairs do not choose the epoch")
	}
}

// TestFitFilters: of three filters, the one with the highest validation score is
// chosen, and its result is the same as when it is trained alone. The test
// pairs play no part.
func TestFitFilters(t *testing.T) {
	s, o := plantedSplit(t)
	o.Epochs, o.UpdateEvery = 30, 3
	filters := []laplacian.Filter{{K: 2.0 / 3, Layers: 1}, {K: 2.0 / 3, Layers: 2}, {K: 2.0 / 3, Layers: 8}}
	var alone []*Result
	best := 0
	for k, f := range filters {
		one := o
		one.Filter = f
		r := testutil.Value(Fit(t.Context(), s, one)).OrFatal(t)
		if alone = append(alone, r); r.Validation.mean() > alone[best].Validation.mean() {
			best = k
		}
	}
	if best == 0 || best == len(alone)-1 {
		t.Fatalf("filter %d is best: want neither the first nor the last, so that there is a real choice", best)
	}
	s.Test = Pairs{s.Test.NonEdges, s.Test.Edges}
	dir := t.TempDir()
	checkpoints := testutil.Value(files.OpenStore(dir)).OrFatal(t)
	o.Checkpoints = checkpoints
	got := testutil.Value(Fit(t.Context(), s, o, filters...)).OrFatal(t)
	if index := slices.Index(filters, got.Training.Encoder.Filter); index != best || !slices.Equal(got.Training.Embedding.Data, alone[best].Training.Embedding.Data) {
		t.Errorf("filter %d, want %d with its own embedding", index, best)
	}
	testutil.NoError(t, got.Discard())
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 0 {
		t.Errorf("checkpoints left: %q (error %v)", left, err)
	}
	filters[2].K = -3
	testutil.Value(Fit(t.Context(), s, o, filters...)).Fails(t, "filter 3 of 3: k is -3")
}

// TestFitCora trains for a few epochs with the paper's settings. The embedding
// must predict edges clearly better than the smoothed features it is computed
// from. (A full run of an independent implementation, on its own split, has
// AUC .947 and AP .949; its smoothed features have .889 and .917.)
func TestFitCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	s := testutil.Value(NewSplit(g, random(1))).OrFatal(t)
	o := encoder.Options{Config: encoder.Config{Epochs: 10, Seed: 1}}
	r := testutil.Value(Fit(t.Context(), s, o)).OrFatal(t)
	t.Logf("AUC %.4f, AP %.4f at epoch %d", r.Test.AUC, r.Test.AP, r.Training.Members[0].Epoch)
	op := laplacian.New(s.Train.Adjacency)
	x := testutil.Value(r.Training.Encoder.Filter.Smooth(t.Context(), op, s.Train.Features)).OrFatal(t)
	smoothed := testutil.Value(Score(InnerProduct(linalg.Normalize(x)), s.Test)).OrFatal(t)
	if r.Test.AUC < smoothed.AUC+0.04 || r.Test.AP < smoothed.AP+0.02 {
		t.Errorf("AUC %v, AP %v; smoothed features have %+v", r.Test.AUC, r.Test.AP, smoothed)
	}
	if r.Test.AUC < 0.93 || r.Test.AP < 0.93 {
		t.Errorf("AUC %v, AP %v: want .93", r.Test.AUC, r.Test.AP)
	}
}

func TestFitRefusesAnotherJudge(t *testing.T) {
	o := encoder.Options{Judge: &encoder.Judge{Name: "mine"}}
	testutil.Value(Fit(t.Context(), &Split{}, o)).Fails(t, "mine")
}
