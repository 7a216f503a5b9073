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

// trained has a training of 40 epochs of every method that reports a loss, in each of its forms.
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

// embed returns the method's embedding of a graph, for four clusters and a seed, and the loss of each
// epoch.
func embed(t testing.TB, m Method, g *graph.Graph, seed uint64) (z blas32.General, loss []float64) {
	t.Helper()
	out := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 4, Seed: seed, Running: encoder.Running{Progress: func(e encoder.Event) { loss = append(loss, e.Loss) }}})).OrFatal(t)
	return out.Embedding, loss
}

// TestMethods, for each of trained: the loss falls by 3 % or more in 40 epochs. The same seed gives the
// same bytes on one core and without labels as on all cores with labels. Another seed gives another
// first loss.
func TestMethods(t *testing.T) {
	g := planted(t, 90)
	unlabeled := *g
	unlabeled.Labels = nil
	for _, m := range trained {
		z, loss := embed(t, m, g, 1)
		if len(loss) != 40 {
			t.Fatalf("%s %+v: %d epochs, want 40", m.Name(), m, len(loss))
		}
		if loss[39] > 0.97*loss[0] {
			t.Errorf("%s %+v: loss %v does not fall", m.Name(), m, loss)
		}
		cores := runtime.GOMAXPROCS(1)
		again, _ := embed(t, m, &unlabeled, 1)
		runtime.GOMAXPROCS(cores)
		if !slices.Equal(again.Data, z.Data) {
			t.Errorf("%s %+v: bytes differ on one core or without labels", m.Name(), m)
		}
		ctx, cancel := context.WithCancel(t.Context()) // after the first epoch: Fit then fails
		_, _ = m.Fit(ctx, g, Options{Clusters: 4, Seed: 2, Running: encoder.Running{Progress: func(e encoder.Event) {
			if e.Loss == loss[0] {
				t.Errorf("%s %+v: another seed has the same first loss", m.Name(), m)
			}
			cancel()
		}}})
	}
}

// TestGAEOnCora: on Cora, after 40 of 200 epochs, the loss of GAE is at most .6, and the clusters of
// k-means have an NMI of .3 or more. Full runs reach a loss of .42 to .43 and an NMI of .46 to .47; the
// paper prints .482.
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

// TestEdgeBatch: the first half of a batch has the entries of A + I, each once, with the label 1. The
// second half has as many other pairs, with the label 0, and differs each time it is drawn.
func TestEdgeBatch(t *testing.T) {
	g := planted(t, 120)
	b := testutil.Value(newEdgeBatch(g.Adjacency)).OrFatal(t)
	// isTarget reports whether pair k is an entry of A + I.
	isTarget := func(k int) bool { return b.I[k] == b.J[k] || g.Adjacency.At(int(b.I[k]), int(b.J[k])) != 0 }
	half := len(b.I) / 2
	if want := g.Adjacency.NNZ() + g.N(); half != want {
		t.Fatalf("%d positive pairs, want %d", half, want)
	}
	if len(b.Labels) != 2*half {
		t.Fatalf("%d labels of %d pairs", len(b.Labels), 2*half)
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

// TestEmbedErrors: a setting that is not valid, and a graph that lacks what a method needs, is an error
// that begins with the method's name and has the text want: for methods that train or read edges.
func TestEmbedErrors(t *testing.T) {
	g := planted(t, 100)
	alone := *g // without edges
	var err error
	if alone.Adjacency, err = graph.Adjacency(g.N(), nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	bare := *g // without features
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
		{asMethod(sagsc{Layers: -1}), g, "layers is -1"},
		{asMethod(sagsc{Bias: math.NaN()}), g, "bias is NaN"},
		{asMethod(sagsc{}), &bare, "no features"},
		{asMethod(coco{Teleport: 1}), g, "teleport is 1: want more than 0 and less than 1"},
		{asMethod(coco{Sample: -1}), g, "sample is -1"},
		{asMethod(coco{Temperature: math.Inf(1)}), g, "temperature is +Inf"},
		{asMethod(coco{}), &alone, "no edges"},
		{asMethod(coco{}), &bare, "no features"},
	} {
		_, err := c.m.Fit(t.Context(), c.g, Options{Seed: 1})
		wantNamedError(t, c.m, err, c.want)
	}
}

// wantNamedError fails the test unless err begins with the method's name and has the text want.
func wantNamedError(t *testing.T, m Method, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), m.Name()+": ") || !strings.Contains(err.Error(), want) {
		t.Errorf("%s %+v: error %v, want one with the method's name and %q", m.Name(), m, err, want)
	}
}

// TestEmbedStops, for each of trained: a training that is canceled after its third epoch returns the
// context's error and reports no other epoch.
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

// TestRegistry: New finds every method by its name in lower case, with the settings it is given: three
// epochs. On a graph that has only what Info says that the method sees, Fit returns an embedding
// and clusters exactly if Info says so. The error for an unknown name lists the known ones.
func TestRegistry(t *testing.T) {
	g := planted(t, 120)
	s := Settings{Filter: laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: 2}, MostEpochs: 3}
	for _, info := range methods {
		name := info.Name
		m := testutil.Value(New(strings.ToLower(name), s)).OrFatal(t)
		seen := *g // what the method sees
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
		if hasEmbedding := out.Embedding.Rows == g.N(); hasEmbedding != m.Info().Embedding {
			t.Errorf("%s: %d rows of embedding", name, out.Embedding.Rows)
		}
		if hasClusters := len(out.Clusters) == g.N(); hasClusters != m.Info().Clusters {
			t.Errorf("%s: clusters of %d nodes", name, len(out.Clusters))
		}
		if epochs != 0 && epochs != 3 { // a method without epochs reports none
			t.Errorf("%s: %d epochs, want 3", name, epochs)
		}
	}
	testutil.Value(New("GA", s)).Fails(t, "GAE-64")
}

// TestWithoutFeatures: on a graph without features, Cluster returns errNoFeatures exactly for the methods
// that need some, by Info. The error has the method's name, but for AGE's.
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
			needs := m.Info().Features
			if errors.Is(err, errNoFeatures) != needs {
				t.Errorf("%s: error %v, needs features: %v", name, err, needs)
			} else if needs && name != AGE && !strings.Contains(err.Error(), name) {
				t.Errorf("%s: error %v, want the method's name", name, err)
			}
		}
	}
}

// TestFields: Settings.Fields replace a method's defaults by their names in JSON, and the other defaults
// stay. A name that the method does not have, here a misspelled one, is an error with the method and
// the name.
func TestFields(t *testing.T) {
	m := testutil.Value(New("GAE-64", Settings{Fields: map[string]any{"sample": 150}})).OrFatal(t)
	if m.Name() != "GAE-64" {
		t.Errorf("name %s, want GAE-64", m.Name())
	}
	want := gae{Layers: 1, Hidden: 64, Dims: 16, Epochs: 200, LearningRate: 0.01, Sample: 150}
	if got := m.(method).settings; got != want {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	_, err := New("GAE", Settings{Fields: map[string]any{"smaple": 1}})
	testutil.Fails(t, err, "GAE")
	testutil.Fails(t, err, "smaple")
}
