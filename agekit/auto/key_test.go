package auto

import (
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
)

// renamed is a backend with another name.
type renamed struct{ encoder.Backend }

func (renamed) Name() string { return "renamed" }

// TestKeys: a choice is kept for other calls with the same options, where the search uses
// them, and the numbers of clusters for the same range.
func TestKeys(t *testing.T) {
	g := testutil.NinetyGraph(t)
	o := Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{}.WithDefaults()}
	const replaced = "the search has its own"
	testutil.CheckFields(t, o, func(o Options) files.Key { return (&search{g: g, o: o, k: 3}).choiceKey() }, testutil.DecidesNothing{
		"Clusters": "k counts", "Seed": replaced, "WarmStart": "with it, nothing is searched", "NumberChosen": "it is told the number", "Encoder.Filter": replaced, "Encoder.Judge": replaced,
		"Encoder.Config.Epochs": replaced, "Encoder.Config.UpdateEvery": replaced, "Encoder.Config.BatchSize": replaced,
		"Encoder.Config.Thresholds": replaced, "Encoder.Config.Sample": replaced, "Encoder.Config.Clusters": "k counts",
		"Encoder.Config.Members": replaced, "Encoder.Config.Seed": replaced,
	}, renamed{affine.Native})
	numbers := func(r Range) files.Key { return (&search{g: g, o: Options{Clusters: r}}).numbersKey() }
	testutil.CheckFields(t, Range{2, 20}, numbers, nil)
	other := *g
	other.Features.Sparse = g.Adjacency
	for name, keys := range map[string][2]files.Key{
		"k":             {(&search{g: g, o: o, k: 3}).choiceKey(), (&search{g: g, o: o, k: 4}).choiceKey()},
		"graph":         {(&search{g: g, o: o, k: 3}).choiceKey(), (&search{g: &other, o: o, k: 3}).choiceKey()},
		"numbers graph": {(&search{g: g, o: o}).numbersKey(), (&search{g: &other, o: o}).numbersKey()},
	} {
		if keys[0] == keys[1] {
			t.Errorf("another %s has the same key", name)
		}
	}
}

// TestVersion: other results have another version, at the fastest SIMD level or in the long
// test, which takes seconds for each, at all.
func TestVersion(t *testing.T) {
	g := testutil.NinetyGraph(t)
	levels := simd.Levels()
	if !testutil.IsLong() {
		levels = levels[:1]
	}
	testutil.CheckVersion(t, Version, func() (all []any) {
		r, err := Fit(t.Context(), g, Options{Clusters: Range{2, 4}, Seed: 1, Encoder: encoder.Options{Config: encoder.Config{Dims: 16, Epochs: 20}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Numbers {
			all = append(all, n.Clusters, n.EdgeShare)
		}
		for _, trial := range r.Trials {
			all = append(all, trial.Name(), trial.Features, trial.Edges, trial.Stability, trial.Score, trial.Folds)
		}
		return append(all, r.Labels, r.Embedding, r.Chosen, r.Trained, r.Untrained, r.FeatureShare, r.EdgeShare, r.Unrelated)
	}, levels...)
}
