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

// TestInitial: a training begins with the embedding of the encoder that it is given, also
// if the features are in another unit now, and resumes from its own checkpoint.
func TestInitial(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members = 2
	old := MustTrain(t, g, c, Options{})
	larger := *g
	x := *g.Features.Sparse
	x.Values = slices.Clone(x.Values)
	if x.Values == nil {
		x.Values = slices.Repeat([]float32{1}, x.NNZ())
	}
	for i := range x.Values {
		x.Values[i] *= 8
	}
	larger.Features = graph.Features{Sparse: &x}
	for name, test := range map[string]struct {
		g    *graph.Graph
		want *Encoder
	}{"the same graph": {g, old.Encoder}, "other units": {&larger, old.Encoder}} {
		want := testutil.Value(test.want.Embed(t.Context(), test.g)).OrFatal(t)
		member := 0
		c := c
		c.Epochs = 1
		MustTrain(t, test.g, c, Options{Initial: old.Encoder, Running: Running{Watch: func(epoch int, z blas32.General) {
			if epoch > 0 {
				return
			}
			for i := range z.Rows {
				for j, v := range z.Data[i*z.Stride:][:z.Cols] {
					w := want.Data[i*want.Stride+member*z.Cols+j] * math.Sqrt2 // two members
					if d := float64(v - w); math.Abs(d) > 1e-5 {
						t.Fatalf("%s: member %d, node %d, column %d: %v, want %v", name, member, i, j, v, w)
					}
				}
			}
			member++
		}}})
		if member != 2 {
			t.Errorf("%s: %d members", name, member)
		}
	}

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
	stopAt(3, nil) // the checkpoint of another training
	stopAt(2, old.Encoder)
	stopAt(c.Epochs+7, old.Encoder)
	SameResult(t, "resumed", MustTrain(t, g, c, Options{Initial: old.Encoder, Running: Running{Checkpoints: checkpoints}}), want)
}

// TestInitialErrors: an encoder that does not fit the training.
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
