// Package modeltest trains small encoders in the tests of package encoder and of the
// backends that it can train on. Only tests import it.
package modeltest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// SmallGraph returns a planted graph of 400 nodes, 4 classes and 120 binary features, on which a run
// takes only a moment. [Small] returns settings for it.
func SmallGraph(t testing.TB) *graph.Graph {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Features: 120, Words: 12, Topic: 0.4, Seed: 1})).OrFatal(t)
	return g
}

// Small returns the filter and the Config of a training on [SmallGraph]. It saves embeddings after
// epochs 5, 10, 15, 20 and 22.
func Small() Options {
	return Options{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 4}, Config: Config{Dims: 70, Epochs: 22, UpdateEvery: 5, BatchSize: 300, Clusters: 4, Seed: 5}}
}

// RandomRows returns n random rows of d elements, which are not negative, scaled to length 1.
func RandomRows(n, d int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := linalg.New(n, d)
	for i := range n {
		for c := range d {
			z.Data[i*z.Stride+c] = rnd.Float32()
		}
	}
	return linalg.Normalize(z)
}

// Train trains on the graph with the filter and the Config of s, and with all other options of o.
func Train(ctx context.Context, g *graph.Graph, s, o Options) (*Result, error) {
	o.Filter, o.Config = s.Filter, s.Config
	return Fit(ctx, g, o)
}

// MustTrain is like [Train], but fails the test on an error.
func MustTrain(t testing.TB, g *graph.Graph, s, o Options) *Result {
	t.Helper()
	r := testutil.Value(Train(t.Context(), g, s, o)).OrFatal(t)
	return r
}

// SameResult fails the test unless two runs gave the same bytes: of the embedding, the clusters and
// their index, each member's description and its weights.
func SameResult(t *testing.T, what string, got, want *Result) {
	t.Helper()
	if !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
		t.Errorf("%s: embeddings differ", what)
	}
	if !slices.Equal(got.Labels, want.Labels) {
		t.Errorf("%s: clusters differ", what)
	}
	if got.DaviesBouldin != want.DaviesBouldin {
		t.Errorf("%s: index %v, want %v", what, got.DaviesBouldin, want.DaviesBouldin)
	}
	for k, w := range want.Members {
		if m := got.Members[k]; !reflect.DeepEqual(m, w) {
			t.Errorf("%s: member %+v, want %+v", what, m, w)
		}
		if !slices.Equal(got.Encoder.Weights[k].W.Data, want.Encoder.Weights[k].W.Data) {
			t.Errorf("%s: weights differ", what)
		}
	}
}

// StopAfter trains as [Train] does, but cancels the training after the given epoch. It returns the
// store that holds the last checkpoint.
func StopAfter(t *testing.T, g *graph.Graph, s, o Options, epoch int) *store.Store {
	t.Helper()
	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Checkpoints, o.CheckpointEvery = checkpoints, 1
	o.Progress = func(e Event) {
		if int(e.Done) == epoch && e.Line == "" {
			cancel()
		}
	}
	if _, err := Train(ctx, g, s, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped after epoch %d: error %v, want context.Canceled", epoch, err)
	}
	return checkpoints
}

// Resume stops a run on a backend after one of the epochs stops and starts it again, for each of
// them. The run must resume from its checkpoint and end with the bytes of an uninterrupted run.
// Started once more, it must give the same result, and after Discard there must be no checkpoint.
func Resume(t *testing.T, b Backend, stops ...int) {
	g, s := SmallGraph(t), Small()
	want := MustTrain(t, g, s, Options{Backend: b})
	for _, stop := range stops {
		o := Options{Backend: b}
		o.Checkpoints = StopAfter(t, g, s, o, stop)
		began := -1 // epochs done at the first event
		second := o
		second.Progress = func(e Event) {
			if began < 0 {
				began = int(e.Done)
			}
		}
		SameResult(t, "resumed", MustTrain(t, g, s, second), want)
		// Only a device may have taken some steps more when it is told to stop.
		native := b.Name() == step.Native.Name()
		if began < stop || native && began > stop {
			t.Errorf("stopped after epoch %d, resumed after epoch %d", stop, began)
		}
		// The result can be read again until it is discarded.
		finished := MustTrain(t, g, s, o)
		SameResult(t, "finished", finished, want)
		testutil.NoError(t, finished.Discard())
		if files, err := os.ReadDir(o.Checkpoints.Dir); err != nil || len(files) != 0 {
			t.Errorf("%d checkpoints left at the end (error %v)", len(files), err)
		}
	}
}

// EmbedRow returns the embedding ẑ for x, a row of X̃, computed in float64 from its definition: z =
// xW + b, scaled to [0, 1] by its minimum and maximum, and then to length 1.
func EmbedRow(x []float32, w Weights) []float64 {
	z := make([]float64, w.W.Cols)
	low, high, squares := math.Inf(1), math.Inf(-1), 0.0
	for c := range z {
		z[c] = float64(w.B[c])
		for j, v := range x {
			z[c] += float64(v) * float64(w.W.Data[j*w.W.Stride+c])
		}
		low, high = min(low, z[c]), max(high, z[c])
	}
	for c := range z {
		z[c] = (z[c] - low) / (high - low)
		squares += z[c] * z[c]
	}
	for c := range z {
		z[c] /= math.Sqrt(squares)
	}
	return z
}
