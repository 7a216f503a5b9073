package encoder_test

import (
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// TestFitIsDeterministic: the same settings give the same bytes, also on one
// core; another seed gives another embedding.
func TestFitIsDeterministic(t *testing.T) {
	g, c := SmallGraph(t), Small()
	want := MustTrain(t, g, c, Options{})
	SameResult(t, "again", MustTrain(t, g, c, Options{}), want)
	cores := runtime.GOMAXPROCS(1)
	SameResult(t, "on one core", MustTrain(t, g, c, Options{}), want)
	runtime.GOMAXPROCS(cores)
	c.Seed++
	if other := MustTrain(t, g, c, Options{}); slices.Equal(other.Embedding.Data, want.Embedding.Data) {
		t.Error("another seed gives the same embedding")
	}
}

// TestAllPairs: with either ranking, a training with AllPairs gives the bytes of one whose batch
// size is the number of all pairs of nodes, which no epoch exceeds. Its last checkpoint must
// count one step of Adam per epoch.
func TestAllPairs(t *testing.T) {
	g := SmallGraph(t)
	for _, ranking := range []pairs.Ranking{pairs.Exact, pairs.Sampled} {
		c := Small()
		c.Ranking = ranking
		c.Anchors, c.EpochPairs = g.N()/2, 3*c.BatchSize // for the sampled ranking
		c.BatchSize = g.N() * g.N()
		want := MustTrain(t, g, c, Options{})

		c.BatchSize = AllPairs
		checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
		got := MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}})
		SameResult(t, string(ranking), got, want)
		if steps := StepsKept(checkpoints, g, Options{Filter: c.Filter, Config: c.Config}); steps != c.Epochs {
			t.Errorf("%v: %d steps in %d epochs, want one each", ranking, steps, c.Epochs)
		}
	}
}

// TestLabelsAreNotUsed: a training gives the same bytes (embedding, clusters, chosen epoch)
// without labels and with labels of other nodes.
func TestLabelsAreNotUsed(t *testing.T) {
	g, c := SmallGraph(t), Small()
	want := MustTrain(t, g, c, Options{})
	permuted, none := *g, *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Reverse(permuted.Labels)
	none.Labels = nil
	SameResult(t, "permuted labels", MustTrain(t, &permuted, c, Options{}), want)
	SameResult(t, "no labels", MustTrain(t, &none, c, Options{}), want)
}

// TestResume stops trainings on the native backend after some epochs ([Resume]): before the first
// update, at an update (5 and 20), and between updates.
func TestResume(t *testing.T) { Resume(t, step.Native, 1, 5, 7, 20, 21) }

// TestCheckpointOfAnotherRun: a run with another seed gives the same bytes with and without the
// checkpoint of a run that was stopped, so it does not resume from that.
func TestCheckpointOfAnotherRun(t *testing.T) {
	g, c := SmallGraph(t), Small()
	const stop = 6 // epochs
	checkpoints := StopAfter(t, g, c, Options{}, stop)
	c.Seed++
	got := MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}})
	SameResult(t, "other seed", got, MustTrain(t, g, c, Options{}))
}

// coraSettings are the paper's for a tenth of its epochs, with k = 1/λmax.
func coraSettings() Options {
	c := Options{Filter: Options{}.WithDefaults().Filter}
	c.K, c.Epochs, c.Clusters, c.Seed, c.Ranking = laplacian.InverseLambdaMax, 40, 7, 1, pairs.Exact
	return c
}

var fittedCora *Result

// fitCora trains with coraSettings, once for all tests.
func fitCora(t *testing.T) *Result {
	t.Helper()
	if fittedCora == nil {
		fittedCora = MustTrain(t, testutil.LoadGraph(t, "cora"), coraSettings(), Options{})
	}
	return fittedCora
}

// TestFitCora trains with coraSettings. It requires k = 1/λmax, a final loss of at most a quarter
// of the first, an accuracy of .65 or more, which exceeds that of the smoothed features alone
// (.638) by more than clustering varies, and the saved epoch with the lowest Davies–Bouldin
// index, the latest of equals. (Full runs reach .73; the README lists their scores.)
func TestFitCora(t *testing.T) {
	g, r := testutil.LoadGraph(t, "cora"), fitCora(t)
	const lambdaMax = 1.48263057244 // Cora's, as docs/reproduction has it
	if d := math.Abs(r.Encoder.Filter.K*lambdaMax - 1); d > 1e-9 {
		t.Errorf("k is %v, want 1/λmax", r.Encoder.Filter.K)
	}
	if last := r.Members[0].Loss[len(r.Members[0].Loss)-1]; last > r.Members[0].Loss[0]/4 {
		t.Errorf("loss decreases only from %v to %v", r.Members[0].Loss[0], last)
	}
	acc := metric.Accuracy(g.Labels, r.Labels)
	t.Logf("accuracy %.4f after %d epochs", acc, r.Members[0].Epoch)
	if acc < 0.65 {
		t.Errorf("accuracy %v, want at least 0.65", acc)
	}
	lowest := slices.MinFunc(r.Members[0].Saved, func(a, b Saved) int {
		switch {
		case a.DaviesBouldin < b.DaviesBouldin:
			return -1
		case a.DaviesBouldin > b.DaviesBouldin:
			return 1
		}
		return b.Epoch - a.Epoch
	})
	if r.Members[0].Epoch != lowest.Epoch || r.DaviesBouldin != lowest.DaviesBouldin {
		t.Errorf("epoch %d was chosen, but epoch %d has the lowest index", r.Members[0].Epoch, lowest.Epoch)
	}
}

// TestGraphWithoutEdges: without edges, k = 1/λmax is an error that says why, because λmax is 0.
// With an explicit k, the same run works.
func TestGraphWithoutEdges(t *testing.T) {
	g, c := *SmallGraph(t), Small()
	a := testutil.Value(graph.Adjacency(g.N(), nil, nil, nil)).OrFatal(t)
	g.Adjacency = a
	c.K = laplacian.InverseLambdaMax
	testutil.Value(Train(t.Context(), &g, c, Options{})).Fails(t, "no edges")
	c.K = 0.5
	MustTrain(t, &g, c, Options{})
}

// TestFixedPairs: a training with fixed pairs has the losses of one that selects only once, because
// its first update comes at the end. It still saves embeddings every five epochs, but selects
// none again: a training that does has other losses. Stopped after epoch 12, when the negatives
// drawn with the selection are used up, it resumes to the same bytes.
func TestFixedPairs(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.FixedPairs = true
	once, other := c, c
	once.UpdateEvery, other.UpdateEvery, other.FixedPairs = c.Epochs, c.Epochs, false
	if got, want := MustTrain(t, g, once, Options{}), MustTrain(t, g, other, Options{}); !slices.Equal(got.Members[0].Loss, want.Members[0].Loss) {
		t.Errorf("losses %v, want those of a run that selects once, %v", got.Members[0].Loss, want.Members[0].Loss)
	}
	fixed := MustTrain(t, g, c, Options{})
	if saved := fixed.Members[0].Saved; len(saved) != 5 || saved[2].Epoch != 15 { // 5, 10, 15, 20, 22
		t.Errorf("saved %+v, want every 5 epochs and the last", saved)
	}
	for _, s := range fixed.Members[0].Saved {
		if s.Positives != 0 {
			t.Errorf("epoch %d selected %d positive pairs again", s.Epoch, s.Positives)
		}
	}
	again := c
	again.FixedPairs = false
	if other := MustTrain(t, g, again, Options{}); slices.Equal(other.Members[0].Loss, fixed.Members[0].Loss) {
		t.Error("selecting again changes no loss")
	}
	checkpoints := StopAfter(t, g, c, Options{}, 12)
	SameResult(t, "resumed", MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}}), fixed)
}

// TestScratch: with X̃ in a scratch file, a run of each way to compute X̃W gives the same bytes as
// with X̃ in memory. Its log names the file's folder, where only the checkpoint remains.
func TestScratch(t *testing.T) {
	g := SmallGraph(t)
	dense := *g
	x := g.Features.ToDense()
	dense.Features = graph.Features{Dense: &x}
	within := Small()
	within.Layers = 1
	for _, run := range []struct {
		g       *graph.Graph
		c       Options
		product string // with which the result's begins: a precondition
	}{
		{g, within, "filtered within"},
		{&dense, Small(), "smoothed beforehand ("},
		{g, sampled(), "smoothed beforehand, gathered"},
	} {
		run.c.Epochs = 6
		want := MustTrain(t, run.g, run.c, Options{})
		if !strings.HasPrefix(want.Product, run.product) {
			t.Fatalf("features %s, want %s", want.Product, run.product)
		}
		checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
		said := false
		report := func(e Event) { said = said || strings.Contains(e.Line, "in a scratch file in "+checkpoints.Dir) }
		const oneByte = 1
		got := MustTrain(t, run.g, run.c, Options{Running: Running{Checkpoints: checkpoints, ScratchAbove: oneByte, Progress: report}})
		SameResult(t, run.product, got, want)
		if !said {
			t.Errorf("%s: no log line mentions a scratch file", run.product)
		}
		files, err := os.ReadDir(checkpoints.Dir)
		if err != nil || len(files) != 1 {
			t.Errorf("%s: %d files (%v), want only the checkpoint", run.product, len(files), err)
		}
	}
}

// TestDrawsAreBounded: a selection for a million epochs, which would need far more negatives than
// MostDraws, draws about as many as that limit: from half of it to 1 % more.
func TestDrawsAreBounded(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.UpdateEvery, c.Epochs = 1<<20, 1<<20
	const dims, seed = 20, 1
	count, err := DrawnFor(t.Context(), RandomRows(g.N(), dims, seed), c.Config)
	testutil.NoError(t, err)
	if count < MostDraws/2 || float64(count) > 1.01*MostDraws {
		t.Errorf("%d negatives drawn, want about %d", count, MostDraws)
	}
}
