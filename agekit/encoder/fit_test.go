package encoder

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/testgraph"
)

// smallGraph is a planted graph on which a run takes a moment.
func smallGraph(t testing.TB) *graph.Graph {
	t.Helper()
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Features: 120, Words: 12, Topic: 0.4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func smallConfig() Config {
	return Config{K: 2.0 / 3, Layers: 4, Dims: 70, Epochs: 22, UpdateEvery: 5, BatchSize: 300, Clusters: 4, Seed: 5}
}

func fit(t testing.TB, g *graph.Graph, c Config, o Options) *Result {
	t.Helper()
	r, err := Fit(t.Context(), g, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameResult fails unless two runs ended with the same bytes.
func sameResult(t *testing.T, what string, got, want *Result) {
	t.Helper()
	switch {
	case !slices.Equal(got.Embedding.Data, want.Embedding.Data):
		t.Errorf("%s: another embedding", what)
	case !slices.Equal(got.Labels, want.Labels):
		t.Errorf("%s: other clusters", what)
	case got.Epoch != want.Epoch || got.DaviesBouldin != want.DaviesBouldin:
		t.Errorf("%s: epoch %d with index %v, want %d with %v", what, got.Epoch, got.DaviesBouldin, want.Epoch, want.DaviesBouldin)
	case !slices.Equal(got.Weights.W.Data, want.Weights.W.Data):
		t.Errorf("%s: other weights", what)
	case !slices.Equal(got.Loss, want.Loss):
		t.Errorf("%s: other losses", what)
	case !slices.Equal(got.Saved, want.Saved):
		t.Errorf("%s: other saved epochs", what)
	}
}

// TestFitIsDeterministic: same settings, same bytes, also on one core; another
// seed, another embedding.
func TestFitIsDeterministic(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	want := fit(t, g, c, Options{})
	sameResult(t, "again", fit(t, g, c, Options{}), want)
	cores := runtime.GOMAXPROCS(1)
	sameResult(t, "on one core", fit(t, g, c, Options{}), want)
	runtime.GOMAXPROCS(cores)
	c.Seed++
	if other := fit(t, g, c, Options{}); slices.Equal(other.Embedding.Data, want.Embedding.Data) {
		t.Error("another seed gives the same embedding")
	}
}

// TestAllPairs: AllPairs is a batch that no epoch's pairs exceed, in both
// modes, and an epoch is one step of Adam.
func TestAllPairs(t *testing.T) {
	g := smallGraph(t)
	for _, mode := range []Mode{Exact, Sampled} {
		c := smallConfig()
		c.Mode, c.Anchors, c.EpochPairs = mode, g.N()/2, 900
		c.BatchSize = g.N() * g.N()
		want := fit(t, g, c, Options{})
		checkpoints, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c.BatchSize = AllPairs
		sameResult(t, mode.String(), fit(t, g, c, Options{Checkpoints: checkpoints}), want)
		last, ok := store.Get[checkpoint](checkpoints, checkpointKey(g, c, backend.Native))
		if !ok || last.State.Steps != c.Epochs {
			t.Errorf("%v: %d steps in %d epochs, want one each", mode, last.State.Steps, c.Epochs)
		}
	}
}

// TestLabelsAreNotUsed: without labels, and with labels in another order, the
// embedding, the clusters and the chosen epoch are the same.
func TestLabelsAreNotUsed(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	want := fit(t, g, c, Options{})
	permuted, none := *g, *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Reverse(permuted.Labels)
	none.Labels = nil
	sameResult(t, "permuted labels", fit(t, &permuted, c, Options{}), want)
	sameResult(t, "no labels", fit(t, &none, c, Options{}), want)
}

// stopAfter interrupts a training after an epoch and returns its checkpoints.
func stopAfter(t *testing.T, g *graph.Graph, c Config, choice backend.Choice, epoch int) *store.Store {
	t.Helper()
	checkpoints, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Backend: choice, Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if e.Epoch == epoch && e.Message == "" {
			cancel()
		}
	}}
	if _, err := Fit(ctx, g, c, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped after epoch %d: error %v, want context.Canceled", epoch, err)
	}
	return checkpoints
}

// TestResume stops a run after each of some epochs, on each backend, and
// starts it again: it goes on from its checkpoint and ends with the bytes of
// an undisturbed run.
func TestResume(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	for _, choice := range backends(t) {
		t.Run(choice.Name, func(t *testing.T) {
			want := fit(t, g, c, Options{Backend: choice})
			for _, stop := range []int{1, 5, 7, 20, 21} {
				checkpoints := stopAfter(t, g, c, choice, stop)
				began := -1
				second := Options{Backend: choice, Checkpoints: checkpoints, Progress: func(e Event) {
					if began < 0 {
						began = e.Epoch
					}
				}}
				sameResult(t, "resumed", fit(t, g, c, second), want)
				if began != stop {
					t.Errorf("stopped after epoch %d, went on after epoch %d", stop, began)
				}
				// The result is there once more until it is discarded.
				sameResult(t, "finished", fit(t, g, c, Options{Backend: choice, Checkpoints: checkpoints}), want)
				if err := Discard(checkpoints, g, c, choice.Name); err != nil {
					t.Fatal(err)
				}
				if size, err := checkpoints.Size(); err != nil || size != 0 {
					t.Errorf("%d bytes of checkpoints left at the end (error %v)", size, err)
				}
			}
		})
	}
}

// TestCheckpointOfAnotherRun: other settings do not go on from it.
func TestCheckpointOfAnotherRun(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	checkpoints, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Fit(ctx, g, c, Options{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if e.Epoch == 6 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.Seed++
	sameResult(t, "other seed", fit(t, g, c, Options{Checkpoints: checkpoints}), fit(t, g, c, Options{}))
}

// TestFitCora trains for a tenth of the paper's epochs, with the paper's
// settings and k = 1/λmax: the accuracy must be above that of the smoothed
// features alone (.638) by more than clustering varies, and the loss well
// below the start's. (Whole runs have .73; their figures are in the README.)
func TestFitCora(t *testing.T) {
	g := testgraph.Load(t, "cora")
	c := PaperConfig("cora")
	c.K, c.Epochs, c.Clusters, c.Seed = 0, 40, g.Classes, 1
	r := fit(t, g, c, Options{})
	if d := math.Abs(r.K*1.48263057244 - 1); d > 1e-9 {
		t.Errorf("k is %v, want 1/λmax", r.K)
	}
	if last := r.Loss[len(r.Loss)-1]; last > r.Loss[0]/4 {
		t.Errorf("loss falls from %v to %v only", r.Loss[0], last)
	}
	acc := metric.Accuracy(g.Labels, r.Labels)
	t.Logf("accuracy %.4f after %d epochs", acc, r.Epoch)
	if acc < 0.65 {
		t.Errorf("accuracy %v, want 0.65 at least", acc)
	}
	lowest := slices.MinFunc(r.Saved, func(a, b Saved) int {
		switch {
		case a.DaviesBouldin < b.DaviesBouldin:
			return -1
		case a.DaviesBouldin > b.DaviesBouldin:
			return 1
		}
		return b.Epoch - a.Epoch
	})
	if r.Epoch != lowest.Epoch || r.DaviesBouldin != lowest.DaviesBouldin {
		t.Errorf("epoch %d chosen, the lowest index is that of epoch %d", r.Epoch, lowest.Epoch)
	}
}

// TestGraphWithoutEdges: 1/λmax does not exist, and the error says so; with a
// k of its own the run works.
func TestGraphWithoutEdges(t *testing.T) {
	g, c := *smallGraph(t), smallConfig()
	a, err := graph.Adjacency(g.N(), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.Adjacency = a
	c.K = 0
	if _, err := Fit(t.Context(), &g, c, Options{}); err == nil || !strings.Contains(err.Error(), "no edges") {
		t.Errorf("error %v, want one that says that there are no edges", err)
	}
	c.K = 0.5
	fit(t, &g, c, Options{})
}

func TestUnknownBackendIsAnError(t *testing.T) {
	c := backend.Choice{Name: "xla:cpu", Config: "xla:/no/such/plugin.so", Plugin: "/no/such/plugin.so"}
	if _, err := Fit(t.Context(), smallGraph(t), smallConfig(), Options{Backend: c}); err == nil {
		t.Error("no error for a plugin that is not there")
	}
}

// TestFixedPairs: to train on the first selection to the end is to train
// without a later selection; and it resumes, also where the negatives drawn with
// the selection have come to an end.
func TestFixedPairs(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	c.FixedPairs = true
	once, other := c, c
	once.UpdateEvery, other.UpdateEvery, other.FixedPairs = c.Epochs, c.Epochs, false
	if got, want := fit(t, g, once, Options{}), fit(t, g, other, Options{}); !slices.Equal(got.Loss, want.Loss) {
		t.Errorf("losses %v, want those of a run that selects once, %v", got.Loss, want.Loss)
	}
	fixed := fit(t, g, c, Options{})
	if len(fixed.Saved) != 5 || fixed.Saved[2].Epoch != 15 {
		t.Errorf("saved %+v, want every 5 epochs and the last", fixed.Saved)
	}
	for _, s := range fixed.Saved {
		if s.Positives != 0 {
			t.Errorf("epoch %d selected %d positive pairs anew", s.Epoch, s.Positives)
		}
	}
	again := c
	again.FixedPairs = false
	if other := fit(t, g, again, Options{}); slices.Equal(other.Loss, fixed.Loss) {
		t.Error("selecting again changes no loss")
	}
	checkpoints := stopAfter(t, g, c, backend.Choice{}, 12)
	sameResult(t, "resumed", fit(t, g, c, Options{Checkpoints: checkpoints}), fixed)
}

// TestSmoothedFeaturesAreDropped: a model that filters within its step has no
// use for X̃ after the first selection, so what a run holds is less than that.
func TestSmoothedFeaturesAreDropped(t *testing.T) {
	const n, f = 1000, 4096
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: n, Classes: 4, MeanDegree: 4, Features: f, Words: 5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := smallConfig()
	c.Dims, c.Epochs, c.UpdateEvery, c.Layers = 8, 2, 1, 1
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	r := fit(t, g, c, Options{Progress: func(e Event) {
		if more := int(held()) - int(before); e.Saved != nil && more > 4*n*f {
			t.Errorf("epoch %d: the run holds %d bytes, X̃ alone has %d", e.Epoch, more, 4*n*f)
		}
	}})
	if !strings.HasPrefix(r.Product, "filtered within") {
		t.Fatalf("features %s: this test wants them filtered within the step", r.Product)
	}
}

// TestScratch: with X̃ in a scratch file a run of each kind gives the same
// bytes, says so, and leaves no file.
func TestScratch(t *testing.T) {
	g := smallGraph(t)
	dense := *g
	x := g.Features.ToDense()
	dense.Features = graph.Features{Dense: &x}
	within := smallConfig()
	within.Layers = 1
	for _, run := range []struct {
		g       *graph.Graph
		c       Config
		product string
	}{{g, within, "filtered within"}, {&dense, smallConfig(), "smoothed beforehand ("}, {g, sampledConfig(), "smoothed beforehand, gathered"}} {
		run.c.Epochs = 6
		want := fit(t, run.g, run.c, Options{})
		if !strings.HasPrefix(want.Product, run.product) {
			t.Fatalf("features %s, want %s", want.Product, run.product)
		}
		checkpoints, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		got := fit(t, run.g, run.c, Options{Checkpoints: checkpoints, ScratchAbove: 1, Progress: func(e Event) {
			if strings.Contains(e.Message, "in a scratch file in "+checkpoints.Dir()) {
				said++
			}
		}})
		sameResult(t, run.product, got, want)
		if said == 0 {
			t.Errorf("%s: no word of a scratch file", run.product)
		}
		files, err := os.ReadDir(checkpoints.Dir())
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d files (%v), want the checkpoint alone", run.product, len(files), err)
		}
	}
}

// TestDrawsAreBounded: a selection for very many epochs lists no more negatives
// than it may, and the training goes on with others.
func TestDrawsAreBounded(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	c.UpdateEvery, c.Epochs = 1<<20, 1<<20
	run := &training{ctx: t.Context(), g: g, c: c.forGraph(g), similar: hostGram}
	if err := run.choosePairs(Normalize(randomRows(g.N(), 20, 1)), 0); err != nil {
		t.Fatal(err)
	}
	if count := len(run.selection.drawn); count < mostDraws/2 || float64(count) > 1.01*surely(mostDraws) {
		t.Errorf("%d negatives drawn, want about %d", count, mostDraws)
	}
}
