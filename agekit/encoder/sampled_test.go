package encoder_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
)

// sampled returns settings for [SmallGraph] with a sampled ranking. No epoch has all
// positives, and batches are small enough to be gathered. (With fewer positives than
// nodes, only pairs (i, i) would be left, which are the same for every anchor.)
func sampled() Options {
	c := Small()
	c.Thresholds = pairs.Thresholds{PosStart: 0.02, PosEnd: 0.01, NegStart: 0.1, NegEnd: 0.5}
	c.Ranking, c.Anchors, c.EpochPairs, c.BatchSize = pairs.Sampled, 100, 700, 40
	return c
}

// TestSampledFit: a run with a sampled ranking reports that ranking and the standard errors of its
// thresholds. Its embedding is that of its weights by the definition in float64 ([EmbedRow]). It
// gives the same bytes on one core, after an interruption, and from the last checkpoint. With an
// automatic ranking, this small graph is ranked exactly.
func TestSampledFit(t *testing.T) {
	g, c := SmallGraph(t), sampled()
	want := MustTrain(t, g, c, Options{})
	if want.Ranking != pairs.Sampled {
		t.Errorf("mode %v, want sampled", want.Ranking)
	}
	if !strings.Contains(want.Product, "gathered") {
		t.Errorf("batches of %d pairs in %d nodes: features %s, want them gathered", c.BatchSize, g.N(), want.Product)
	}
	saved := want.Members[0].Saved
	for _, s := range saved[:len(saved)-1] { // the last one selects no pairs
		if !(s.PosThresholdError > 0 && s.NegThresholdError > 0) {
			t.Errorf("epoch %d: threshold errors %v and %v, want both above 0", s.Epoch, s.PosThresholdError, s.NegThresholdError)
		}
	}
	x := testutil.Value(want.Encoder.Filter.Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)).OrFatal(t)
	for i := range g.N() {
		for k, w := range EmbedRow(x.Data[i*x.Stride:][:x.Cols], want.Encoder.Weights[0]) {
			if v := float64(want.Embedding.Data[i*want.Embedding.Stride+k]); math.Abs(v-w) > 1e-5 {
				t.Fatalf("ẑ[%d,%d] is %v, want %v", i, k, v, w)
			}
		}
	}
	cores := runtime.GOMAXPROCS(1)
	SameResult(t, "on one core", MustTrain(t, g, c, Options{}), want)
	runtime.GOMAXPROCS(cores)
	for _, stop := range []int{3, 5, 12} {
		checkpoints := StopAfter(t, g, c, Options{}, stop)
		SameResult(t, "resumed", MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}}), want)
		// The last checkpoint is kept, so that a lost result can be recovered.
		SameResult(t, "from the end", MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}}), want)
	}
	c.Ranking, c.EpochPairs = pairs.Auto, 0
	if r := MustTrain(t, g, c, Options{}); r.Ranking != pairs.Exact {
		t.Errorf("mode %v for %d nodes, want exact", r.Ranking, g.N())
	}
}

// TestSampledAgreesOnCora trains on Cora with coraSettings and a sampled ranking. Accuracy, NMI and
// ARI of its clusters must differ from those of the exact ranking (fitCora) by .03 at most: three
// times the spread over seeds that the docs list, about .01.
func TestSampledAgreesOnCora(t *testing.T) {
	g, c := testutil.LoadGraph(t, "cora"), coraSettings()
	c.Ranking = pairs.Sampled
	score := func(r *Result) [3]float64 {
		return [3]float64{metric.Accuracy(g.Labels, r.Labels), metric.NMI(g.Labels, r.Labels), metric.ARI(g.Labels, r.Labels)}
	}
	exact, sampled := score(fitCora(t)), score(MustTrain(t, g, c, Options{}))
	t.Logf("ACC, NMI, ARI: exact %.3f, sampled %.3f", exact, sampled)
	for k, name := range []string{"ACC", "NMI", "ARI"} {
		if d := math.Abs(exact[k] - sampled[k]); d > 0.03 {
			t.Errorf("%s: exact %.3f, sampled %.3f", name, exact[k], sampled[k])
		}
	}
}
