package method

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// trained has a short run of every method that trains.
var trained = []Method{
	asMethod(deepWalk{Walks: 40, Length: 10, Dims: 8, Window: 3}),
	asMethod(tadw{Iterations: 40}),
	asMethod(gae{Epochs: 40}),
	asMethod(gae{Epochs: 40, Layers: 3, Sample: 150}),
	asMethod(vgae{Epochs: 40}),
	asMethod(daegc{Epochs: 40, Pretraining: 40, Hidden: 32}),
	asMethod(gala{Epochs: 40, Hidden: 40, Dims: 20}),
	asMethod(arga{Epochs: 40}),
	asMethod(arga{Epochs: 40, Published: true}),
	asMethod(arga{Epochs: 40, variational: true}),
	asMethod(gae{Epochs: 40, Layers: 3, disentangled: true}),
	asMethod(lsra{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 40, Dims: 70, LearningRate: 0.01}),
	asMethod(lsrx{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 40, Dims: 70, LearningRate: 0.01}),
	asMethod(dgi{Epochs: 40, Dims: 20, LearningRate: 0.01}),
	asMethod(ns4gc{Epochs: 40, Widths: []int{20, 10}}),
}

func embed(t testing.TB, m Method, g *graph.Graph, seed uint64) (z blas32.General, loss []float64) {
	t.Helper()
	out := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 4, Seed: seed, Running: encoder.Running{Progress: func(e encoder.Event) { loss = append(loss, e.Loss) }}})).OrFatal(t)
	return out.Embedding, loss
}

// TestMethods: the loss falls. The same seed gives the same bytes, also on one
// core and without labels; another seed gives different ones.
func TestMethods(t *testing.T) {
	g := planted(t, 90)
	unlabeled := *g
	unlabeled.Labels = nil
	for _, m := range trained {
		z, loss := embed(t, m, g, 1)
		if len(loss) != 40 || loss[39] > 0.97*loss[0] {
			t.Errorf("%s %+v: loss %v does not fall", m.Name(), m, loss)
		}
		cores := runtime.GOMAXPROCS(1)
		again, _ := embed(t, m, &unlabeled, 1)
		runtime.GOMAXPROCS(cores)
		if !slices.Equal(again.Data, z.Data) {
			t.Errorf("%s %+v: bytes differ on one core or without labels", m.Name(), m)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, _ = m.Fit(ctx, g, Options{Clusters: 4, Seed: 2, Running: encoder.Running{Progress: func(e encoder.Event) {
			if e.Loss == loss[0] {
				t.Errorf("%s %+v: another seed has the same first loss", m.Name(), m)
			}
			cancel()
		}}})
	}
}

// TestGAEOnCora trains for a fifth of the epochs. The loss and the clusters
// must be on the way to what full runs reach (loss .42 to .43, NMI .46 to .47
// by k-means; the paper prints NMI .482).
func TestGAEOnCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	z, loss := embed(t, asMethod(gae{Epochs: 40}), g, 1)
	found := testutil.Value(cluster.KMeans(t.Context(), z, g.Classes, cluster.KMeansOptions{}, rand.New(rand.NewPCG(0, 0)))).OrFatal(t)
	nmi := metric.NMI(g.Labels, found.Labels)
	t.Logf("loss %.4f to %.4f, NMI %.3f", loss[0], loss[39], nmi)
	if loss[39] > 0.6 || nmi < 0.3 {
		t.Errorf("loss %v, NMI %v", loss[39], nmi)
	}
}

// TestEdgeBatch: the positive pairs are the entries of A + I, each once. The
// negative pairs are not among them and differ each time.
func TestEdgeBatch(t *testing.T) {
	g := planted(t, 120)
	b := testutil.Value(newEdgeBatch(g.Adjacency)).OrFatal(t)
	isTarget := func(k int) bool { return b.I[k] == b.J[k] || g.Adjacency.At(int(b.I[k]), int(b.J[k])) != 0 }
	half := len(b.I) / 2
	if want := g.Adjacency.NNZ() + g.N(); half != want || len(b.Labels) != 2*want {
		t.Fatalf("%d positive pairs of %d, want %d", half, len(b.Labels), want)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	drawNonEdges(b, g.Adjacency, rnd)
	first := slices.Clone(b.I[half:])
	drawNonEdges(b, g.Adjacency, rnd)
	if slices.Equal(first, b.I[half:]) {
		t.Error("the same negative pairs twice")
	}
	seen := map[[2]int32]bool{}
	for k := range half {
		seen[[2]int32{b.I[k], b.J[k]}] = true
		if !isTarget(k) || b.Labels[k] != 1 {
			t.Fatalf("positive pair (%d, %d) with label %v", b.I[k], b.J[k], b.Labels[k])
		}
		if isTarget(half+k) || b.Labels[half+k] != 0 {
			t.Fatalf("negative pair (%d, %d) with label %v", b.I[half+k], b.J[half+k], b.Labels[half+k])
		}
	}
	if len(seen) != half {
		t.Errorf("%d distinct positive pairs, want %d", len(seen), half)
	}
}

// TestEmbedErrors: what is wrong with settings or a graph is an error that names the method and the
// setting, for every method that trains or reads edges.
func TestEmbedErrors(t *testing.T) {
	g := planted(t, 100)
	alone := *g
	var err error
	if alone.Adjacency, err = graph.Adjacency(g.N(), nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	bare := *g
	bare.Features = graph.Features{}
	for _, c := range []struct {
		m    Method
		g    *graph.Graph
		want string
	}{
		{asMethod(gae{Layers: -1}), g, "layers is -1"},
		{asMethod(gae{Hidden: -1}), g, "hidden is -1"},
		{asMethod(gae{Dims: -1}), g, "dims is -1"},
		{asMethod(gae{Sample: -1}), g, "sample is -1"},
		{asMethod(gae{Epochs: -1}), g, "epochs is -1"},
		{asMethod(gae{LearningRate: math.NaN()}), g, "learning_rate is NaN"},
		{asMethod(gae{LearningRate: 1e30}), g, "lower learning_rate"},
		{asMethod(gae{}), &alone, "no edges"},
		{asMethod(louvain{}), &alone, "no edges"},
		{asMethod(leiden{}), &alone, "no edges"},
		{asMethod(leiden{community.LeidenOptions{Iterations: -1}}), g, "iterations is -1"},
		{asMethod(spectralG{}), &alone, "no edges"},
		{asMethod(spectralG{Components: "some"}), g, `components is "some"`},
		{asMethod(daegc{Hidden: -1}), g, "hidden is -1"},
		{asMethod(daegc{Dims: -1}), g, "dims is -1"},
		{asMethod(daegc{Pretraining: -1}), g, "pretraining is -1"},
		{asMethod(daegc{PretrainingRate: -1}), g, "pretraining_rate is -1"},
		{asMethod(daegc{}), &alone, "no edges"},
		{asMethod(gala{Hidden: -1}), g, "hidden is -1"},
		{asMethod(gala{LearningRate: -1}), g, "learning_rate is -1"},
		{asMethod(gala{}), &alone, "no edges"},
		{asMethod(deepWalk{Walks: -1}), g, "walks is -1"},
		{asMethod(deepWalk{Length: 1}), g, "length is 1: want 2"},
		{asMethod(deepWalk{Dims: -1}), g, "dims is -1"},
		{asMethod(deepWalk{Window: -1}), g, "window is -1"},
		{asMethod(deepWalk{LearningRate: -1}), g, "learning_rate is -1"},
		{asMethod(deepWalk{}), &alone, "no edges"},
		{asMethod(tadw{Dims: -1}), g, "dims is -1"},
		{asMethod(tadw{Text: -1}), g, "text is -1"},
		{asMethod(tadw{Iterations: -1}), g, "iterations is -1"},
		{asMethod(tadw{Lambda: math.Inf(1)}), g, "lambda is +Inf"},
		{asMethod(tadw{Dims: 120, Lambda: 1e-300}), g, "want a larger one"},
		{asMethod(tadw{}), &alone, "no edges"},
		{asMethod(tadw{}), &graph.Graph{Adjacency: g.Adjacency}, "no features"},
		{asMethod(tadw{}), &graph.Graph{Adjacency: g.Adjacency, Features: graph.Features{Sparse: graph.FromEntries(g.N(), 3, nil)}}, "no features"},
		{asMethod(lsra{Filter: laplacian.Filter{K: 1, Layers: -2}}), g, "layers is -2"},
		{asMethod(gae{Hidden: -1, disentangled: true}), g, "hidden is -1"},
		{asMethod(lsra{Filter: laplacian.Filter{K: 1}}), &alone, "no edges"},
		{asMethod(lsrx{}), g, "k is 0"},
		{asMethod(lsrx{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax}}), &alone, "no edges"},
		{asMethod(lsrx{Filter: laplacian.Filter{K: -2}}), g, "k is -2"},
		{asMethod(lsrx{Filter: laplacian.Filter{K: 1}, Dims: -1}), g, "dims is -1"},
		{asMethod(dgi{Patience: -1}), g, "patience is -1"},
		{asMethod(dgi{}), &alone, "no edges"},
		{asMethod(dgi{}), &bare, "no features"},
		{asMethod(ns4gc{Widths: []int{}}), g, "widths is empty"},
		{asMethod(ns4gc{Widths: []int{3, 0}}), g, "widths is 0"},
		{asMethod(ns4gc{DropEdges: [2]float64{0.5, 1}}), g, "drop_edges is 1"},
		{asMethod(ns4gc{DropFeatures: [2]float64{-0.5, 0.5}}), g, "drop_features is -0.5"},
		{asMethod(ns4gc{Temperature: math.NaN()}), g, "temperature is NaN"},
		{asMethod(ns4gc{}), &alone, "no edges"},
		{asMethod(ns4gc{}), &bare, "no features"},
	} {
		if _, err := c.m.Fit(t.Context(), c.g, Options{Seed: 1}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.m.Name()+": ") {
			t.Errorf("%s %+v: error %v, want one with the method's name and %q", c.m.Name(), c.m, err, c.want)
		}
	}
}

// TestEmbedStops: a training that is canceled in its third epoch returns the context's error and
// takes no other epoch, for every trained method.
func TestEmbedStops(t *testing.T) {
	g := planted(t, 100)
	for _, m := range trained {
		ctx, cancel := context.WithCancel(t.Context())
		epochs := 0
		_, err := m.Fit(ctx, g, Options{Seed: 1, Running: encoder.Running{Progress: func(e encoder.Event) {
			if epochs = int(e.Done); epochs == 3 {
				cancel()
			}
		}}})
		if !errors.Is(err, context.Canceled) || epochs != 3 {
			t.Errorf("%s: error %v after %d epochs, want context.Canceled after 3", m.Name(), err, epochs)
		}
	}
}

// TestRegistry: every method is found by its name, case-insensitive, and uses
// the given settings. On a graph that has only what the method sees, it
// produces what Info says.
func TestRegistry(t *testing.T) {
	g := planted(t, 120)
	s := Settings{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: 2}, MostEpochs: 3}
	for _, info := range methods {
		name := info.Name
		m := testutil.Value(New(strings.ToLower(name), s)).OrFatal(t)
		seen := *g
		seen.Labels = nil
		if !m.Info().Features {
			seen.Features = graph.Features{}
		}
		if !m.Info().Edges {
			seen.Adjacency = testutil.Value(graph.Adjacency(g.N(), nil, nil, nil)).OrFatal(t)
		}
		epochs := 0
		out, err := m.Fit(t.Context(), &seen, Options{Clusters: 3, Seed: 1, Running: encoder.Running{Progress: func(e encoder.Event) { epochs = int(e.Done) }}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if info := m.Info(); (out.Embedding.Rows == g.N()) != info.Embedding || (len(out.Clusters) == g.N()) != info.Clusters {
			t.Errorf("%s: %d rows of embedding and %d clusters", name, out.Embedding.Rows, len(out.Clusters))
		}
		if epochs != 0 && epochs != 3 {
			t.Errorf("%s: %d epochs, want at most 3", name, epochs)
		}
	}
	testutil.Value(New("GA", s)).Fails(t, "GAE-64")
}

// TestWithoutFeatures: every method either needs no features or says that it does.
func TestWithoutFeatures(t *testing.T) {
	g := *planted(t, 100)
	g.Features = graph.Features{}
	for _, info := range methods {
		name := info.Name
		for _, published := range []bool{false, true} {
			m, err := New(name, Settings{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 2}, Config: encoder.Config{Epochs: 2}, Published: published})
			if err != nil {
				t.Fatal(err)
			}
			_, err = Cluster(t.Context(), m, &g, Options{Clusters: 3, Seed: 1})
			if needs := m.Info().Features; needs != errors.Is(err, errNoFeatures) || needs && m.Name() != AGE && !strings.Contains(err.Error(), m.Name()) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// TestFields: settings by the names of results replace a method's defaults. Unknown
// names are errors.
func TestFields(t *testing.T) {
	m := testutil.Value(New("GAE-64", Settings{Fields: map[string]any{"sample": 150}})).OrFatal(t)
	if got, want := m.(method).settings, (gae{Layers: 1, Hidden: 64, Dims: 16, Epochs: 200, LearningRate: 0.01, Sample: 150}); got != want || m.Name() != "GAE-64" {
		t.Errorf("%s has %+v, want %+v", m.Name(), got, want)
	}
	if _, err := New("GAE", Settings{Fields: map[string]any{"smaple": 1}}); err == nil || !strings.Contains(err.Error(), "GAE") || !strings.Contains(err.Error(), "smaple") {
		t.Errorf("error %v, want one with the method and the name", err)
	}
}
