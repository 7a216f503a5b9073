package encoder

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas32"
)

func randomRows(n, d int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := newEmbedding(n, d)
	for i := range n {
		for c := range d {
			z.Data[i*z.Stride+c] = rnd.Float32()
		}
	}
	return Normalize(z)
}

// TestSampledThresholds draws 60 samples of Cora's smoothed features and
// compares their thresholds with the exact ones in units of the standard
// errors that they state. Were these right and normal, the root of the mean
// square would be 1 ± 0.09 and none of the 120 beyond 4; the bounds leave
// room for the skewed distribution of an extreme quantile.
func TestSampledThresholds(t *testing.T) {
	g := testgraph.Load(t, "cora")
	c := PaperConfig("cora")
	x, err := c.filter(c.K).Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)
	if err != nil {
		t.Fatal(err)
	}
	z := Normalize(x)
	exact, err := Select(t.Context(), z, 0.011, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	const samples = 60
	var squares, largest [2]float64
	for seed := range samples {
		s, err := SelectSampled(t.Context(), z, 0.011, 0.1, 200, 1000, rand.New(rand.NewPCG(uint64(seed), 1)))
		if err != nil {
			t.Fatal(err)
		}
		for k, d := range []float64{
			float64(s.PosThreshold-exact.PosThreshold) / float64(s.PosThresholdError),
			float64(s.NegThreshold-exact.NegThreshold) / float64(s.NegThresholdError),
		} {
			squares[k] += d * d / samples
			largest[k] = max(largest[k], math.Abs(d))
		}
		if s.Positives != len(exact.I) || s.Negatives != exact.Negatives {
			t.Fatalf("%d positives and %d negatives, want %d and %d", s.Positives, s.Negatives, len(exact.I), exact.Negatives)
		}
	}
	for k, name := range []string{"positive", "negative"} {
		rms := math.Sqrt(squares[k])
		t.Logf("%s threshold: root mean square of errors %.2f, largest %.2f standard errors", name, rms, largest[k])
		if rms < 0.75 || rms > 1.35 || largest[k] > 4.5 {
			t.Errorf("%s threshold: root mean square of errors %.2f, largest %.2f standard errors: want 0.75 to 1.35 and at most 4.5", name, rms, largest[k])
		}
	}
}

// TestSampledAllNodes: with every node an anchor the sample is all pairs, so
// what is drawn must be the exact selection: the pairs, and the thresholds
// up to a bin's width, without error.
func TestSampledAllNodes(t *testing.T) {
	for seed := range uint64(20) {
		z := randomRows(90, 7, seed)
		want, err := Select(t.Context(), z, 0.03, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		got, err := SelectSampled(t.Context(), z, 0.03, 0.6, 1000, 1<<20, rand.New(rand.NewPCG(seed, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if got.Anchors != 90 || got.PosThresholdError != 0 || got.NegThresholdError != 0 {
			t.Errorf("%d anchors, errors %v and %v: want 90 and none", got.Anchors, got.PosThresholdError, got.NegThresholdError)
		}
		if got.PosThreshold != want.PosThreshold {
			t.Errorf("positive threshold %v, want %v", got.PosThreshold, want.PosThreshold)
		}
		if d := math.Abs(float64(got.NegThreshold - want.NegThreshold)); d > 2.0/fineBins {
			t.Errorf("negative threshold %v, want %v", got.NegThreshold, want.NegThreshold)
		}
		if !slices.Equal(got.Histogram, want.Histogram) {
			t.Error("another histogram")
		}
		set := func(s *Selection) (pairs []int64) {
			for k := range s.I {
				pairs = append(pairs, int64(s.I[k])<<32|int64(s.J[k]))
			}
			slices.Sort(pairs)
			return pairs
		}
		if !slices.Equal(set(got), set(want)) {
			t.Errorf("seed %d: other positives than the exact selection has", seed)
		}
	}
}

// TestSampledPositivesAreUniform draws many samples and counts how often each
// of the exact positives is in one, leaving out those so near the threshold
// that a sample's error may decide. Each has the same probability, so the
// chi-squared statistic must be near its expectation: within six standard
// deviations, as pairs of one anchor are drawn together now and then. The
// mean must be what anchors and keep make it.
func TestSampledPositivesAreUniform(t *testing.T) {
	const n, anchors, keep, samples, share = 80, 40, 16, 2000, 0.1
	z := randomRows(n, 6, 3)
	sure, err := Select(t.Context(), z, share/2, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	count := map[[2]int32]int{}
	for k := range sure.I {
		count[[2]int32{sure.I[k], sure.J[k]}] = 0
	}
	for seed := range samples {
		s, err := SelectSampled(t.Context(), z, share, 0.6, anchors, keep, rand.New(rand.NewPCG(uint64(seed), 4)))
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.I {
			if p := [2]int32{s.I[k], s.J[k]}; similarity(z, int(p[0]), int(p[1])) < s.PosThreshold {
				t.Fatalf("drew a pair below the threshold")
			} else if c, ok := count[p]; ok {
				count[p] = c + 1
			}
		}
	}
	// A pair is drawn if its first node is an anchor and the hash says so.
	q := float64(anchors) / n * keep / math.RoundToEven(share*n*anchors)
	mean, chi := 0.0, 0.0
	for _, c := range count {
		d := float64(c) - samples*q
		mean += float64(c) / float64(len(count)) / samples
		chi += d * d / (samples * q * (1 - q))
	}
	freedom := float64(len(count))
	t.Logf("chi-squared %.0f for %.0f degrees of freedom, mean probability %.5f, expected %.5f", chi, freedom, mean, q)
	if math.Abs(chi-freedom) > 6*math.Sqrt(2*freedom) {
		t.Errorf("chi-squared %v for %v degrees of freedom", chi, freedom)
	}
	if math.Abs(mean/q-1) > 0.02 {
		t.Errorf("a pair is drawn with probability %v, want %v", mean, q)
	}
}

// sampledConfig samples so much on the small graph that no epoch has all
// positives, with batches that are small enough to be gathered. With fewer positives than nodes only pairs (i, i) would be left,
// which every anchor has alike.
func sampledConfig() Config {
	c := smallConfig()
	c.Thresholds = Thresholds{0.02, 0.01, 0.1, 0.5}
	c.Mode, c.Anchors, c.EpochPairs, c.BatchSize = Sampled, 100, 700, 40
	return c
}

// TestSampledFit: the same bytes on one core and after an interruption, the
// embedding is that of the weights, and the mode is told.
func TestSampledFit(t *testing.T) {
	g, c := smallGraph(t), sampledConfig()
	want := fit(t, g, c, Options{})
	if want.Mode != Sampled {
		t.Errorf("mode %v, want sampled", want.Mode)
	}
	if !strings.Contains(want.Product, "gathered") {
		t.Errorf("batches of %d pairs in %d nodes: features %s, want them gathered", c.BatchSize, g.N(), want.Product)
	}
	for _, s := range want.Saved[:len(want.Saved)-1] {
		if !(s.PosThresholdError > 0 && s.NegThresholdError > 0) {
			t.Errorf("epoch %d: threshold errors %v and %v, want both above 0", s.Epoch, s.PosThresholdError, s.NegThresholdError)
		}
	}
	x, err := c.filter(want.K).Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.N() {
		for k, w := range embedRow(x.Data[i*x.Stride:][:x.Cols], want.Weights) {
			if v := float64(want.Embedding.Data[i*want.Embedding.Stride+k]); math.Abs(v-w) > 1e-5 {
				t.Fatalf("ẑ[%d,%d] is %v, want %v", i, k, v, w)
			}
		}
	}
	cores := runtime.GOMAXPROCS(1)
	sameResult(t, "on one core", fit(t, g, c, Options{}), want)
	runtime.GOMAXPROCS(cores)
	for _, stop := range []int{3, 5, 12} {
		checkpoints, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = Fit(ctx, g, c, Options{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
			if e.Epoch == stop && e.Message == "" {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after epoch %d: error %v", stop, err)
		}
		sameResult(t, "resumed", fit(t, g, c, Options{Checkpoints: checkpoints}), want)
		// The last checkpoint is left: a result that was lost is made again.
		sameResult(t, "from the end", fit(t, g, c, Options{Checkpoints: checkpoints}), want)
	}
	c.Mode = Auto
	if r := fit(t, g, c, Options{}); r.Mode != Exact {
		t.Errorf("mode %v for %d nodes, want exact", r.Mode, g.N())
	}
	if m := Auto.For(SampledAbove + 1); m != Sampled {
		t.Errorf("mode %v above %d nodes, want sampled", m, SampledAbove)
	}
}

// TestSampledAgreesOnCora trains 40 epochs of the paper's settings in both
// modes: the scores of the chosen epochs must agree within three times the
// spread of seeds in exact mode that the docs list, about .01.
func TestSampledAgreesOnCora(t *testing.T) {
	g := testgraph.Load(t, "cora")
	score := func(m Mode) [3]float64 {
		c := PaperConfig("cora")
		c.Mode, c.Epochs, c.Clusters, c.Seed = m, 40, g.Classes, 1
		r := fit(t, g, c, Options{})
		return [3]float64{metric.Accuracy(g.Labels, r.Labels), metric.NMI(g.Labels, r.Labels), metric.ARI(g.Labels, r.Labels)}
	}
	exact, sampled := score(Exact), score(Sampled)
	t.Logf("ACC, NMI, ARI: exact %.3f, sampled %.3f", exact, sampled)
	for k, name := range []string{"ACC", "NMI", "ARI"} {
		if d := math.Abs(exact[k] - sampled[k]); d > 0.03 {
			t.Errorf("%s: exact %.3f, sampled %.3f", name, exact[k], sampled[k])
		}
	}
}
