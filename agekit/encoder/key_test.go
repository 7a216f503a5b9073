package encoder

import (
	"testing"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// renamed is a backend with another name.
type renamed struct{ Backend }

func (renamed) Name() string { return "renamed" }

// TestCheckpointKey: the key of a training's checkpoints changes with every option that decides
// anything ([testutil.CheckFields] changes one field after the other), with the weights to begin
// with, the graph and the SIMD level.
func TestCheckpointKey(t *testing.T) {
	g := testutil.NinetyGraph(t)
	o := Options{}.ForGraph(g)
	testutil.CheckFields(t, o, func(o Options) store.Key {
		return checkpointKey(&Input{Graph: g, Filter: o.Filter}, o.Config, nil, o)
	}, testutil.DecidesNothing{"Initial": "the member's weights count"}, renamed{step.Native})
	keyFrom := func(initial *Weights) store.Key {
		return checkpointKey(&Input{Graph: g, Filter: o.Filter}, o.Config, initial, o)
	}
	testutil.CheckFields(t, nil, keyFrom, nil)
	other := *g
	other.Features.Sparse = g.Adjacency
	if keyFrom(nil) == checkpointKey(&Input{Graph: &other, Filter: o.Filter}, o.Config, nil, o) {
		t.Error("another graph has the same key")
	}
	level, plain := simd.Level(), "go" // plain is the level without SIMD, which may be this machine's
	defer simd.SetLevel(level)
	here := keyFrom(nil)
	testutil.NoError(t, simd.SetLevel(plain))
	if same := keyFrom(nil) == here; same != (level == plain) {
		t.Errorf("checkpoints of SIMD levels %s and go have the same key", level)
	}
}

// TestVersion: the results of trainings of all kinds are those recorded for Version
// ([testutil.CheckVersion]), so that a change of any result needs another version.
func TestVersion(t *testing.T) {
	g := testutil.NinetyGraph(t)
	testutil.CheckVersion(t, Version, func() []any {
		base := Options{Config: Config{Dims: 12, Epochs: 12, UpdateEvery: 3, BatchSize: 100, Seed: 5}}
		logits, sampled, batches, several := base, base, base, base.Best()
		logits.Loss, logits.Layers, logits.FixedPairs = Logits, 2, true
		sampled.Ranking, sampled.Anchors, sampled.EpochPairs, sampled.Sample = pairs.Sampled, 20, 300, 60
		batches.BatchSize = 10 // a step encodes only their nodes
		several.Members = 2
		var all []any
		for _, o := range []Options{base, logits, sampled, batches, several} {
			r := testutil.Value(Fit(t.Context(), g, o)).OrFatal(t)
			all = append(all, r.Embedding, r.Labels, r.DaviesBouldin, r.LambdaMax)
			for k, m := range r.Members {
				all = append(all, m.Epoch, m.Loss, r.Encoder.Weights[k].W, r.Encoder.Weights[k].B)
			}
		}
		return all
	})
}
