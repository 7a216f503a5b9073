package encoder_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestInitial: before its first epoch, each member of a training has the embedding that
// [Encoder.Embed] gives for the encoder that the training is given, on the graph of that encoder
// and if the features are eight times as large.
func TestInitial(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members = 2
	old := MustTrain(t, g, c, Options{}).Encoder
	c.Epochs = 1
	for name, g := range map[string]*graph.Graph{"the same graph": g, "other units": testutil.ScaledGraph(g, 8)} {
		both := testutil.Value(old.Embed(t.Context(), g)).OrFatal(t) // the members' side by side, divided by √2
		member := 0                                                  // that Watch is called for next
		MustTrain(t, g, c, Options{Initial: old, Running: Running{Watch: func(epoch int, z blas32.General) {
			if epoch > 0 {
				return
			}
			for i := range z.Rows {
				for j, got := range z.Data[i*z.Stride:][:z.Cols] {
					want := both.Data[i*both.Stride+member*z.Cols+j] * math.Sqrt2
					if math.Abs(float64(got-want)) > 1e-5 {
						t.Fatalf("%s: member %d, node %d, column %d: %v, want %v", name, member, i, j, got, want)
					}
				}
			}
			member++
		}}})
		if member != 2 {
			t.Errorf("%s: %d members", name, member)
		}
	}
}

// TestInitialResumes: a training that begins with an encoder ends with other bytes than the one
// that gave the encoder. Stopped twice, in each member, it resumes to the bytes of an
// uninterrupted one, and does not take up the checkpoint of a training without the encoder.
func TestInitialResumes(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members = 2
	old := MustTrain(t, g, c, Options{})
	want := MustTrain(t, g, c, Options{Initial: old.Encoder})
	if slices.Equal(want.Embedding.Data, old.Embedding.Data) {
		t.Error("the training changes nothing")
	}
	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	stopAt := func(epoch int, initial *Encoder) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := Options{Initial: initial, Running: Running{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
			if int(e.Done) == epoch && e.Line == "" {
				cancel()
			}
		}}}
		if _, err := Train(ctx, g, c, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	stopAt(3, nil) // leaves the checkpoint of a training without the encoder
	stopAt(2, old.Encoder)
	stopAt(c.Epochs+7, old.Encoder) // in the second member
	SameResult(t, "resumed", MustTrain(t, g, c, Options{Initial: old.Encoder, Running: Running{Checkpoints: checkpoints}}), want)
}

// TestInitialErrors: an encoder to begin with is an error that says why if its members, dims,
// number of features or their names are not those of the training.
func TestInitialErrors(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs = 1
	e := MustTrain(t, g, c, Options{}).Encoder
	named, narrow := *g, *g
	named.FeatureNames = slices.Repeat([]string{"a"}, e.Features)
	narrow.Features = graph.Features{Sparse: &graph.CSR{Rows: g.N(), Cols: 1, Indptr: make([]int, g.N()+1)}}
	other := *e
	other.FeatureNames = slices.Repeat([]string{"b"}, e.Features)
	members, dims := c, c
	members.Members, dims.Dims = 3, 5
	for want, test := range map[string]struct {
		g *graph.Graph
		c Options
		e *Encoder
	}{
		"members is 3: want 1, as many as the encoder to begin with has": {g, members, e},
		"members is 1: want 0":                                         {g, c, &Encoder{Features: e.Features}},
		"dims is 5: want 70, as the encoder to begin with has":         {g, dims, e},
		"the graph has 1 features, but the encoder was trained on 120": {&narrow, c, e},
		`feature 0 is "a": want "b", as in training`:                   {&named, c, &other},
	} {
		testutil.Value(Train(t.Context(), test.g, test.c, Options{Initial: test.e})).Fails(t, want)
	}
}
