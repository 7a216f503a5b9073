package method

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// twelve is a graph of twelve nodes: two hexagons with a chord each, joined by
// two edges, with six features of both signs.
func twelve(t testing.TB) *graph.Graph {
	t.Helper()
	var u, v []int32
	for i := range int32(6) {
		u, v = append(u, i, i+6), append(v, (i+1)%6, (i+1)%6+6)
	}
	a := testutil.Value(graph.Adjacency(12, append(u, 0, 7, 2, 5), append(v, 3, 10, 8, 11), nil)).OrFatal(t)
	x := randomMatrix(12, 6, 1, rand.New(rand.NewPCG(12, 0)))
	return &graph.Graph{Name: "twelve", Adjacency: a, Features: graph.Features{Dense: &x}}
}

// trainerFor returns a trainer with its weights on the host, on GoMLX's Go backend, for the method's
// model on a graph, with seed 5.
func trainerFor(t testing.TB, m Method, g *graph.Graph) *trainer {
	t.Helper()
	tr := testutil.Value(newTrainer(g, Options{Seed: 5, method: m}, 0)).OrFatal(t)
	t.Cleanup(tr.close)
	return tr
}

// wantGradients fails the test unless the gradients of all weights of a step, with the step's inputs,
// are the central differences of its loss, to 1 % of the largest entry of each (the loss is computed
// in float32).
func wantGradients(t *testing.T, s *adamStep, inputs ...any) {
	t.Helper()
	// value returns the loss with the present weights, and sets their gradients.
	value := func() float64 {
		return testutil.Value(s.differentiate(t.Context(), inputs...)).OrFatal(t)
	}
	value()
	var gradients []blas32.General
	for _, p := range s.parameters {
		c := p.gradient
		c.Data = slices.Clone(c.Data)
		gradients = append(gradients, c)
	}
	const h = 1.0 / 1024 // small: a ReLU between the two points spoils a difference
	for k, p := range s.parameters {
		largest, worst := 0.0, 0.0
		for i := range p.value.Rows {
			for j := range p.value.Cols {
				entry := &p.value.Data[i*p.value.Stride+j]
				kept := *entry
				*entry = kept + h
				up := value()
				*entry = kept - h
				down := value()
				*entry = kept
				got := float64(gradients[k].Data[i*gradients[k].Stride+j])
				largest = max(largest, math.Abs(got))
				worst = max(worst, math.Abs(got-(up-down)/(2*h)))
			}
		}
		if !(worst <= 0.01*largest) {
			t.Errorf("weight %d (%d×%d): gradient off by %.3g of %.3g", k, p.value.Rows, p.value.Cols, worst, largest)
		}
	}
}

// resumable are trainings of 40 epochs that take checkpoints, for TestStopAndResume.
var resumable = []Method{
	asMethod(gae{Epochs: 40, Sample: 150}),
	asMethod(lsrx{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 40, Dims: 70}),
	asMethod(lsra{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 40, Dims: 70, LearningRate: 0.01}),
	asMethod(deepWalk{Walks: 40, Length: 10, Dims: 8, Window: 3}),
	asMethod(vgae{Epochs: 40}),
	asMethod(dgi{Epochs: 40, Dims: 20, LearningRate: 0.01}),
	asMethod(ns4gc{Epochs: 40, Widths: []int{20, 10}}),
	asMethod(daegc{Epochs: 40, Pretraining: 30, Hidden: 32}), // both stops are before the centers are set
	asMethod(daegc{Epochs: 40, Pretraining: 15, Hidden: 32}), // the second stop is after that
	asMethod(gala{Epochs: 40, Hidden: 40, Dims: 20}),
	asMethod(arga{Epochs: 40}),
	asMethod(arga{Epochs: 40, Published: true, variational: true}),
}

// TestCheckpointsFail: a training whose checkpoints cannot be written, because the store's folder is a
// file, says so once, goes on, and gives the same embedding as without checkpoints.
func TestCheckpointsFail(t *testing.T) {
	g := planted(t, 120)
	folder := t.TempDir()
	kept := testutil.Value(store.Open(folder)).OrFatal(t)
	testutil.NoError(t, os.RemoveAll(folder))
	if err := os.WriteFile(folder, nil, 0o666); err != nil { // where a folder should be
		t.Fatal(err)
	}
	before := checkpointEvery
	checkpointEvery = 0 // after each epoch
	defer func() { checkpointEvery = before }()
	for _, m := range []Method{asMethod(vgae{Epochs: 4}), asMethod(lsra{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 4, Dims: 70})} {
		want, _ := embed(t, m, g, 1)
		var messages []string
		out := testutil.Value(m.Fit(t.Context(), g, Options{Seed: 1, Running: encoder.Running{Checkpoints: kept, Progress: func(e encoder.Event) {
			if e.Line != "" {
				messages = append(messages, e.Line)
			}
		}}})).OrFatal(t)
		if len(messages) != 1 || !strings.HasPrefix(messages[0], "no checkpoint after epoch 1: ") {
			t.Errorf("%s: messages %q, want one", m.Name(), messages)
		}
		if !slices.Equal(out.Embedding.Data, want.Data) {
			t.Errorf("%s: another embedding", m.Name())
		}
	}
}

// TestStopAndResume: a training that is stopped twice and started again gives the bytes of one that was
// not (see [resume]). All do so with their weights on the host, LS+RA, whose weights are in the
// encoder's own model, on GoMLX's backend, too. With their weights on the device, some do so on the
// Go backend, and if the test is long, all but DeepWalk, which has no graph code, on each backend.
func TestStopAndResume(t *testing.T) {
	g := planted(t, 90)
	for _, m := range resumable {
		resume(t, m, g, backend.Native)
		if m.Name() == "LS+RA" {
			resume(t, m, g, backend.Go)
		}
	}
	setResident(t, true)
	for _, c := range choices(t) {
		for _, m := range resumable {
			isAlways := c.Name == backend.Go && slices.Contains([]string{"GAE", "DGI", "DAEGC", "ARGA"}, m.Name())
			isIfLong := testutil.IsLong() && m.Name() != "DeepWalk"
			if isAlways || isIfLong {
				resume(t, m, g, c.Name)
			}
		}
	}
}

// resume runs a training of 40 epochs on the backend of that name three times: it stops the first in
// epoch 10 and the second in epoch 25. Each has to begin where the one before stopped, and the third
// has to end with the bytes of a training without stops and checkpoints. Its Release has to remove
// all checkpoints.
func resume(t *testing.T, m Method, g *graph.Graph, on string) {
	t.Helper()
	choice := testutil.Value(backend.Resolve(on)).OrFatal(t)
	kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := Options{Clusters: 4, Seed: 3, Backend: choice}
	want := testutil.Value(m.Fit(t.Context(), g, o)).OrFatal(t)
	o.Checkpoints = kept
	done := 0
	for _, stop := range []int{10, 25} {
		ctx, cancel := context.WithCancel(t.Context())
		first := 0 // epoch of this training
		o.Progress = func(e encoder.Event) {
			first = cmp.Or(first, int(e.Done))
			if int(e.Done) == stop {
				cancel()
			}
		}
		if _, err := m.Fit(ctx, g, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error %v, want that it was stopped", m.Name(), err)
		}
		if first != done+1 {
			t.Errorf("%s: begins with epoch %d, want %d", m.Name(), first, done+1)
		}
		done = stop
	}
	first := 0
	o.Progress = func(e encoder.Event) {
		first = cmp.Or(first, int(e.Done))
	}
	out := testutil.Value(m.Fit(t.Context(), g, o)).OrFatal(t)
	if first != done+1 {
		t.Errorf("%s on %s: goes on with epoch %d, want %d", m.Name(), on, first, done+1)
	}
	if !slices.Equal(out.Embedding.Data, want.Embedding.Data) {
		t.Errorf("%s on %s: other bytes than without stops", m.Name(), on)
	}
	if err := out.Release(); err != nil {
		t.Error(err)
	}
	if remaining, err := os.ReadDir(kept.Dir); err != nil || len(remaining) != 0 {
		t.Errorf("%s: %d checkpoints remain, error %v", m.Name(), len(remaining), err)
	}
}

// TestGAEBackends compares GAE and its disentangled form, with three filters each, as graph code on
// GoMLX's Go backend with the native code: the losses to 1e-4, and the embedding to 1 % of its largest
// entry. The output has to name the backend.
func TestGAEBackends(t *testing.T) {
	g := planted(t, 300)
	choice := testutil.Value(backend.Resolve(backend.Go)).OrFatal(t)
	for _, m := range []Method{asMethod(gae{Epochs: 10, Layers: 3}), asMethod(gae{Epochs: 10, Layers: 3, disentangled: true})} {
		run := func(c backend.Choice) (z blas32.General, losses []float64) {
			out := testutil.Value(m.Fit(t.Context(), g, Options{Seed: 1, Backend: c, Running: encoder.Running{Progress: func(e encoder.Event) { losses = append(losses, e.Loss) }}})).OrFatal(t)
			if want := cmp.Or(c.Name, backend.Native); out.Backend != want {
				t.Errorf("%s: backend %s, want %s", m.Name(), out.Backend, want)
			}
			return out.Embedding, losses
		}
		want, native := run(backend.Choice{})
		got, losses := run(choice)
		if !floats.EqualApprox(losses, native, 1e-4) {
			t.Errorf("%s: losses %v, natively %v", m.Name(), losses, native)
		}
		wantMatrix(t, m.Name(), got, linalg.Float64(want), 0.01)
	}
}
