package method

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// fixed is an [Options].Random whose sources all have the same seed.
type fixed struct{ seed uint64 }

func (f fixed) Source(string) *rand.Rand { return source(f.seed) }

// TestCheckpointKey: the key of a training's checkpoints changes with each field of the options that
// counts ([testutil.CheckFields] changes them one by one) and with the backend.
func TestCheckpointKey(t *testing.T) {
	g := testutil.NinetyGraph(t)
	o := Options{Seed: 1, method: asMethod(gae{Epochs: 4})}
	key := func(o Options) store.Key { return newHostTrainer(g, o, "native").key }
	testutil.CheckFields(t, o, key, nil, fixed{3}, asMethod(gae{Epochs: 4, disentangled: true}))
	if key(o) == newHostTrainer(g, o, "go").key {
		t.Error("two backends have the same key")
	}
}

// TestOtherClusters: a training of DAEGC that was stopped in epoch 8 with three clusters, and is started
// again with six, begins with epoch 1 and gives the embedding of one without checkpoints.
func TestOtherClusters(t *testing.T) {
	g := planted(t, 120)
	checkpoints, err := store.Open(t.TempDir())
	testutil.NoError(t, err)
	m := asMethod(daegc{Epochs: 20, Pretraining: 10, Hidden: 16, Dims: 8, PretrainingRate: 0.005, LearningRate: 0.001})
	ctx, stop := context.WithCancel(t.Context())
	_, err = m.Fit(ctx, g, Options{Clusters: 3, Seed: 2, Running: encoder.Running{Checkpoints: checkpoints, Progress: func(e encoder.Event) {
		if int(e.Done) == 8 {
			stop()
		}
	}}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	want := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 6, Seed: 2})).OrFatal(t)
	first := 0 // epoch of the new training
	got := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 6, Seed: 2, Running: encoder.Running{Checkpoints: checkpoints, Progress: func(e encoder.Event) {
		first = cmp.Or(first, int(e.Done))
	}}})).OrFatal(t)
	if first != 1 {
		t.Errorf("it goes on with epoch %d, want 1", first)
	}
	if !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
		t.Error("another embedding than without checkpoints")
	}
}

// TestVersion: short trainings of the methods with checkpoints give the results whose checksums are
// stored for Version ([testutil.CheckVersion]): who changes the results has to raise it.
func TestVersion(t *testing.T) {
	level := simd.Levels()[0] // which GoMLX uses in any case
	if !strings.Contains(runtime.Version(), "X:simd") {
		t.Skip("the checksums are of programs built with GOEXPERIMENT=simd, as make does: GoMLX sums in another order")
	}
	g := testutil.NinetyGraph(t)
	choice := testutil.Value(backend.Resolve(backend.Go)).OrFatal(t)
	testutil.CheckVersion(t, Version, func() (all []any) {
		run := func(m Method, c backend.Choice) {
			out := testutil.Value(Cluster(t.Context(), m, g, Options{Clusters: 3, Seed: 4, Backend: c})).OrFatal(t)
			all = append(all, m.Name(), out.Embedding, out.Clusters)
		}
		onBoth := []Method{asMethod(gae{Epochs: 3, Sample: 50}), asMethod(lsra{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Epochs: 3, Dims: 8, LearningRate: 0.01})}
		for _, m := range onBoth {
			run(m, backend.Choice{})
			run(m, choice)
		}
		for _, m := range []Method{
			asMethod(vgae{Epochs: 3}), asMethod(arga{Epochs: 3, Published: true}), asMethod(dgi{Epochs: 3, Dims: 8, LearningRate: 0.01}),
			asMethod(ns4gc{Epochs: 3, Widths: []int{8, 6}}), asMethod(daegc{Epochs: 4, Pretraining: 2, Hidden: 8}), asMethod(gala{Epochs: 3, Hidden: 10, Dims: 6}),
			asMethod(lsrx{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Epochs: 3, Dims: 8}), asMethod(deepWalk{Walks: 2, Length: 8, Dims: 6, Window: 3}),
		} {
			run(m, backend.Choice{})
		}
		return all
	}, level)
}
