package method

import (
	"cmp"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// plantedSplit returns a split of a graph so small that a training takes a moment, and options for the
// training, which saves its embedding in the epochs 5, 10, 15, 20 and 22.
func plantedSplit(t *testing.T) (*graph.Split, encoder.Options) {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Features: 120, Words: 12, Topic: 0.4, Seed: 1})).OrFatal(t)
	s := testutil.Value(graph.NewSplit(g, rand.New(rand.NewPCG(3, 0)))).OrFatal(t)
	return s, encoder.Options{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 2}, Config: encoder.Config{Dims: 70, Epochs: 22, UpdateEvery: 5, BatchSize: 300, Seed: 5}}
}

// TestLinksUsesTrainingEdgesAlone: with the edges and the other pairs of the test exchanged, the chosen
// epoch and its embedding stay the same. With those of the validation exchanged, the losses stay the
// same, but another epoch is chosen: the one with the best validation score.
func TestLinksUsesTrainingEdgesAlone(t *testing.T) {
	s, o := plantedSplit(t)
	want := testutil.Value(fitLinks(t.Context(), s, o, []laplacian.Filter{o.Filter})).OrFatal(t)
	saved := want.Members[0].Saved
	// A score is the mean of AUC and AP, negated: the least is the best. Of equals, the last epoch is.
	best := slices.MinFunc(saved, func(a, b encoder.Saved) int { return cmp.Or(cmp.Compare(a.Score, b.Score), b.Epoch-a.Epoch) })
	if want.Members[0].Epoch != best.Epoch {
		t.Errorf("epoch %d, want that of %+v", want.Members[0].Epoch, best)
	}
	if math.Abs(want.mean+best.Score) > 1e-12 {
		t.Errorf("validation score %v, want that of %+v", want.mean, best)
	}
	if epochs := []int{5, 10, 15, 20, 22}; len(saved) != len(epochs) || saved[4].Epoch != 22 {
		t.Errorf("saved %v, want epochs %v", saved, epochs)
	}

	otherTest := *s
	otherTest.Test = graph.Pairs{Edges: s.Test.NonEdges, NonEdges: s.Test.Edges}
	got := testutil.Value(fitLinks(t.Context(), &otherTest, o, []laplacian.Filter{o.Filter})).OrFatal(t)
	if got.Members[0].Epoch != want.Members[0].Epoch {
		t.Error("the chosen epoch depends on the test pairs")
	}
	if !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
		t.Error("the embedding depends on the test pairs")
	}
	otherValidation := *s
	otherValidation.Validation = graph.Pairs{Edges: s.Validation.NonEdges, NonEdges: s.Validation.Edges}
	got = testutil.Value(fitLinks(t.Context(), &otherValidation, o, []laplacian.Filter{o.Filter})).OrFatal(t)
	if !slices.Equal(got.Members[0].Loss, want.Members[0].Loss) {
		t.Error("the training depends on the validation pairs")
	}
	if got.Members[0].Epoch == want.Members[0].Epoch {
		t.Error("the validation pairs do not choose the epoch")
	}
}

// TestLinksFilters: of three filters, the one is chosen whose training alone has the highest validation
// score, and its embedding is that of the training alone. This holds with the edges and the other pairs
// of the test exchanged. Discard removes the checkpoints of all filters. An error names the filter.
func TestLinksFilters(t *testing.T) {
	s, o := plantedSplit(t)
	o.Epochs, o.UpdateEvery = 30, 3
	filters := []laplacian.Filter{{K: 2.0 / 3, Layers: 1}, {K: 2.0 / 3, Layers: 2}, {K: 2.0 / 3, Layers: 8}}
	var alone []*linksFit
	best := 0
	for k, f := range filters {
		options := o
		options.Filter = f
		r := testutil.Value(fitLinks(t.Context(), s, options, []laplacian.Filter{options.Filter})).OrFatal(t)
		if alone = append(alone, r); r.mean > alone[best].mean {
			best = k
		}
	}
	if best == 0 || best == len(alone)-1 { // a precondition
		t.Fatalf("filter %d is best: want neither the first nor the last, so that there is a real choice", best)
	}
	s.Test = graph.Pairs{Edges: s.Test.NonEdges, NonEdges: s.Test.Edges}
	dir := t.TempDir()
	checkpoints := testutil.Value(store.Open(dir)).OrFatal(t)
	o.Checkpoints = checkpoints
	got := testutil.Value(fitLinks(t.Context(), s, o, filters)).OrFatal(t)
	if index := slices.Index(filters, got.Encoder.Filter); index != best {
		t.Errorf("filter %d, want %d", index, best)
	}
	if !slices.Equal(got.Embedding.Data, alone[best].Embedding.Data) {
		t.Error("another embedding than with the filter alone")
	}
	testutil.NoError(t, got.Discard())
	if remaining, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(remaining) != 0 {
		t.Errorf("checkpoints left: %q (error %v)", remaining, err)
	}
	filters[2].K = -3 // not valid
	testutil.Value(fitLinks(t.Context(), s, o, filters)).Fails(t, "filter 3 of 3: k is -3")
}

// TestLinksCora: on Cora, after ten epochs with the paper's settings, the embedding predicts the test
// edges with AUC and AP of .93 or more. That is clearly better than the smoothed features do, from
// which it is computed: by .04 and .02 or more. (A full run of an independent implementation, on its
// own split, has AUC .947 and AP .949; its smoothed features have .889 and .917.)
func TestLinksCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	s := testutil.Value(graph.NewSplit(g, rand.New(rand.NewPCG(1, 0)))).OrFatal(t)
	o := encoder.Options{Config: encoder.Config{Epochs: 10, Seed: 1}}.WithDefaults()
	r := testutil.Value(fitLinks(t.Context(), s, o, []laplacian.Filter{o.Filter})).OrFatal(t)
	scores := testutil.Value(metric.Links(r.Embedding, s.Test)).OrFatal(t)
	t.Logf("AUC %.4f, AP %.4f at epoch %d", scores.AUC, scores.AP, r.Members[0].Epoch)
	op := laplacian.New(s.Train.Adjacency)
	x := testutil.Value(r.Encoder.Filter.Smooth(t.Context(), op, s.Train.Features)).OrFatal(t)
	smoothed := testutil.Value(metric.Links(linalg.Normalize(x), s.Test)).OrFatal(t)
	if scores.AUC < smoothed.AUC+0.04 || scores.AP < smoothed.AP+0.02 {
		t.Errorf("AUC %v, AP %v; smoothed features have %+v", scores.AUC, scores.AP, smoothed)
	}
	if scores.AUC < 0.93 || scores.AP < 0.93 {
		t.Errorf("AUC %v, AP %v: want .93", scores.AUC, scores.AP)
	}
}

// TestLinksFeatureScale: features times a power of two give the same embedding, bit for bit.
func TestLinksFeatureScale(t *testing.T) {
	s, o := plantedSplit(t)
	o.Epochs = 6
	want := testutil.Value(fitLinks(t.Context(), s, o, []laplacian.Filter{o.Filter})).OrFatal(t)
	for _, factor := range testutil.Scales {
		scaled := *s
		scaled.Train = testutil.ScaledGraph(s.Train, factor)
		got := testutil.Value(fitLinks(t.Context(), &scaled, o, []laplacian.Filter{o.Filter})).OrFatal(t)
		if !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
			t.Errorf("features times %g: another embedding", factor)
		}
	}
}
