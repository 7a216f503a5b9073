package gomlx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"github.com/dustin/go-humanize"
)

// forms returns, by name, a backend for each way to add up the terms of pairs: pieces, as on a
// processor, and integers, as on a GPU. Both run on XLA, which has loops. Without an XLA plugin, the
// test is skipped.
func forms(t testing.TB) map[string]gomlxBackend {
	t.Helper()
	all := map[string]gomlxBackend{}
	for _, choice := range choices(t) {
		if choice.Plugin != "" {
			all["pieces"] = gomlxBackend{choice: choice}
			all["integers"] = gomlxBackend{choice: choice, gpu: true}
		}
	}
	if len(all) == 0 {
		t.Skip("LOOPS ARE NOT TESTED: no XLA plugin")
	}
	return all
}

// inTurn returns the batches one after the other, without errors.
func inTurn(batches []Batch) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// drop ignores losses.
func drop([]float64) error { return nil }

// TestLoopSplits: a training of eleven steps, on batches of different sizes, gives the same losses
// and weights, bit by bit, whether an execution takes one, two, five or as many steps as a stack
// has, with stacks of eleven and of four batches. A step encodes all nodes or only those of a
// batch.
func TestLoopSplits(t *testing.T) {
	const n, f, d, most = 300, 40, 70, 200 // most: pairs of a batch
	rnd := rand.New(rand.NewPCG(1, 2))
	x := modeltest.RandomRows(n, f, 1)
	start := InitialState(f, d, rnd)
	var batches []Batch
	for k := range 11 {
		batches = append(batches, randomBatch(n, most-17*k, rnd))
	}
	for name, b := range forms(t) {
		for _, gathered := range []bool{false, true} {
			nodes := x
			if gathered { // more nodes than a batch can have
				nodes = modeltest.RandomRows(3*most, f, 1)
			}
			var want *State // after the first training
			var wantLosses []float64
			for _, capacity := range []int{len(batches), 4} {
				m := testutil.Value(b.NewModel(&Input{Smoothed: nodes}, start, Steps{Loss: Probability, LearningRate: 0.001, Pairs: most, Epoch: capacity})).OrFatal(t).(*model)
				for _, atOnce := range []int{1, 2, 5, capacity} { // steps of an execution
					testutil.NoError(t, m.send(start)) // begins anew
					m.steps = 0
					var losses []float64
					testutil.NoError(t, m.Train(inTurn(batches), func(part []float64) error {
						m.atOnce = atOnce // which the model set by the time of a step
						losses = append(losses, part...)
						return nil
					}))
					got := testutil.Value(m.State()).OrFatal(t)
					if want == nil {
						want, wantLosses = got, losses
					}
					if !slices.Equal(losses, wantLosses) || got.Steps != len(batches) {
						t.Errorf("%s, %d of %d at once: losses %v of %d steps, want %v", name, atOnce, capacity, losses, got.Steps, wantLosses)
					}
					sameW := slices.Equal(got.Weights.W.Data, want.Weights.W.Data)
					sameSecond := slices.Equal(got.Second.W.Data, want.Second.W.Data)
					sameB := slices.Equal(got.Weights.B, want.Weights.B)
					if !sameW || !sameSecond || !sameB {
						t.Errorf("%s, %d of %d at once: the state differs", name, atOnce, capacity)
					}
				}
				m.Close()
			}
		}
	}
}

// TestIntegersHaveNoOrder: with sums of integers, as on a GPU, the gradients of a batch have the
// same bytes if its pairs come in another order, for both losses.
func TestIntegersHaveNoOrder(t *testing.T) {
	const n, f, d, most = 50, 30, 20, 2000 // most: pairs of a batch; each row has many
	rnd := rand.New(rand.NewPCG(1, 2))
	x, start := modeltest.RandomRows(n, f, 1), InitialState(f, d, rnd)
	b := randomBatch(n, most, rnd)
	shuffled := Batch{I: slices.Clone(b.I), J: slices.Clone(b.J), Labels: slices.Clone(b.Labels)}
	rnd.Shuffle(most, func(p, q int) {
		shuffled.I[p], shuffled.I[q] = shuffled.I[q], shuffled.I[p]
		shuffled.J[p], shuffled.J[q] = shuffled.J[q], shuffled.J[p]
		shuffled.Labels[p], shuffled.Labels[q] = shuffled.Labels[q], shuffled.Labels[p]
	})
	for _, loss := range []Loss{Probability, Logits} {
		m := testutil.Value(forms(t)["integers"].NewModel(&Input{Smoothed: x}, start, Steps{Loss: loss, LearningRate: 0.001, Pairs: most})).OrFatal(t)
		_, want, err := m.Gradients(b)
		testutil.NoError(t, err)
		_, got, err := m.Gradients(shuffled)
		testutil.NoError(t, err)
		if !slices.Equal(got.W.Data, want.W.Data) || !slices.Equal(got.B, want.B) {
			t.Errorf("%s: gradients depend on the order of pairs", loss)
		}
		m.Close()
	}
}

// TestTrainStops: an error in place of a batch, a panic in place of one, and an error of done each
// end Train with that error. The steps before it are taken: those on all batches before it, or for
// done up to a stack of three. The model then trains on all batches.
func TestTrainStops(t *testing.T) {
	const n, f, d, most = 60, 30, 20, 100 // most: pairs of a batch
	const capacity = 3                    // batches of a stack
	rnd := rand.New(rand.NewPCG(1, 2))
	x, start := modeltest.RandomRows(n, f, 1), InitialState(f, d, rnd)
	var batches []Batch
	for range 40 {
		batches = append(batches, randomBatch(n, most, rnd))
	}
	// failing returns count batches and then the error of fail.
	failing := func(count int, fail func() error) iter.Seq2[Batch, error] {
		return func(yield func(Batch, error) bool) {
			for _, b := range batches[:count] {
				if !yield(b, nil) {
					return
				}
			}
			yield(Batch{}, fail())
		}
	}
	for name, b := range forms(t) {
		m := testutil.Value(b.NewModel(&Input{Smoothed: x}, start, Steps{Loss: Logits, LearningRate: 0.001, Pairs: most, Epoch: capacity})).OrFatal(t).(*model)
		defer m.Close()
		testutil.Fails(t, m.Train(failing(4, func() error { return errTest }), drop), errTest.Error())
		testutil.Fails(t, m.Train(failing(2, func() error { panic(errTest) }), drop), errTest.Error())
		if m.steps != 4+2 {
			t.Errorf("%s: %d steps, want 6", name, m.steps)
		}
		testutil.Fails(t, m.Train(inTurn(batches), func([]float64) error { return errTest }), errTest.Error())
		if m.steps < 6+1 || m.steps > 6+capacity {
			t.Errorf("%s: %d steps, want at most a stack's more", name, m.steps)
		}
		steps := m.steps
		testutil.NoError(t, m.Train(inTurn(batches), drop))
		if m.steps != steps+len(batches) {
			t.Errorf("%s: %d steps, want %d", name, m.steps, steps+len(batches))
		}
	}
}

// TestCounts counts the calls for which the host waits, which on a GPU take longer than what they
// compute, and the bytes that they send and fetch: for an epoch, the weights, an embedding and a
// selection, with the numbers of the data set's first selection. They must be those calculated here
// from the sizes, and docs/gpu.md must have them in its table. Pubmed's selection is not run.
func TestCounts(t *testing.T) {
	const d = 500
	const paddedPairs = 20_096 // batchPairs and one or more, in multiples of 128
	table := testutil.Value(os.ReadFile("../../../docs/gpu.md")).OrFatal(t)
	for _, c := range []struct {
		name, data string // data is the name for PaperOptions
		n, f       int
	}{{"Cora", "cora", 2708, 1433}, {"Pubmed", "pubmed", 19_717, 500}} {
		options, _ := encoder.PaperOptions(c.data)
		th := options.Thresholds
		positives, negatives := pairs.Counts(c.n, th.PosStart, th.NegStart)
		perEpoch := (positives + batchPairs/2 - 1) / (batchPairs / 2) // steps
		draws := 10 * positives                                       // negatives, for ten epochs
		steps := Steps{Loss: Probability, LearningRate: 0.001, Pairs: batchPairs, Epoch: perEpoch, Positives: positives, Candidates: pairs.Candidates(c.n, negatives, draws)}
		weights := int64(4 * d * (c.f + 1)) // bytes of W and b
		want := map[string]on.Counts{
			"epoch":     {Executions: 1, Sends: 3, SentBytes: int64(perEpoch)*(2*paddedPairs+3)*4 + 8, Fetches: 1, FetchedBytes: int64(perEpoch) * 4},
			"weights":   {Fetches: 2, FetchedBytes: weights},
			"embedding": {Executions: 1, Sends: 2, SentBytes: weights, Fetches: 1, FetchedBytes: int64(4 * d * c.n)},
			"selection": {Executions: 1, Sends: 2, SentBytes: 24, Fetches: 4, FetchedBytes: 8 + 8*int64(positives) + int64(steps.Candidates/8)},
		}
		for what, w := range want {
			row := fmt.Sprintf("| %s of %s | %d | %d | %s | %d | %s |", what, c.name, w.Executions, w.Sends, humanize.Comma(w.SentBytes), w.Fetches, humanize.Comma(w.FetchedBytes))
			if !strings.Contains(string(table), row) {
				t.Errorf("docs/gpu.md has no row %s", row)
			}
		}
		if c.n > 10_000 && !testutil.IsLong() { // takes long on a processor
			continue
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		var counts on.Counts
		stop := on.Count(&counts)
		made, err := forms(t)["integers"].NewModel(&Input{Smoothed: modeltest.RandomRows(c.n, c.f, 1)}, InitialState(c.f, d, rnd), steps)
		stop()
		m := testutil.Value(made, err).OrFatal(t).(*model)
		b := randomBatch(c.n, batchPairs, rnd)
		testutil.NoError(t, m.Train(inTurn([]Batch{b}), drop)) // compiles
		// is compares the counts since the last call with those wanted.
		is := func(what string) {
			if counts != want[what] {
				t.Errorf("%s of %s: %+v, want %+v", what, c.name, counts, want[what])
			}
			counts = on.Counts{}
		}
		counts = on.Counts{}
		m.atOnce, m.timed = perEpoch, false // one execution for the epoch, whose time does not change atOnce
		testutil.NoError(t, m.Train(inTurn(slices.Repeat([]Batch{b}, perEpoch)), drop))
		is("epoch")
		w := testutil.Value(m.Weights()).OrFatal(t)
		is("weights")
		z := linalg.New(c.n, d)
		testutil.NoError(t, m.EmbedTo(t.Context(), z, w))
		is("embedding")
		if c.name == "Cora" {
			testutil.Value(m.Select(t.Context(), z, th.PosStart, th.NegStart, pairs.Options{Draws: draws, Key: 1})).OrFatal(t)
			is("selection")
		}
		m.Close()
	}
}

// errTest is an error that no code under test returns by itself.
var errTest = backend.ErrUnknown

// stopping is a backend whose models cancel a context once they have taken `after` steps.
type stopping struct {
	gomlxBackend
	after  int
	cancel context.CancelFunc
}

// NewModel wraps the model of the backend.
func (b stopping) NewModel(input *Input, start *State, s Steps) (Model, error) {
	m, err := b.gomlxBackend.NewModel(input, start, s)
	if err != nil {
		return nil, err
	}
	return &stoppingModel{Model: m, stopping: b}, nil
}

// stoppingModel counts its steps down in its field after.
type stoppingModel struct {
	Model
	stopping
}

// Train cancels the context in the first call of done after m.after steps or more.
func (m *stoppingModel) Train(batches iter.Seq2[Batch, error], done func([]float64) error) error {
	return m.Model.Train(batches, func(losses []float64) error {
		if m.after -= len(losses); m.after <= 0 {
			m.cancel()
		}
		return done(losses)
	})
}

// TestStopWithinEpoch: a training whose context is done after some steps, in the middle of an epoch,
// resumes from its checkpoint to the bytes of an uninterrupted training.
func TestStopWithinEpoch(t *testing.T) {
	g, c := modeltest.SmallGraph(t), modeltest.Small()
	afters := []int{1, 10} // steps
	if testutil.IsLong() {
		afters = []int{1, 2, 4, 10, 21, 33}
	}
	for name, b := range forms(t) {
		if name != "integers" && !testutil.IsLong() { // TestResume tests what processors do
			continue
		}
		want := modeltest.MustTrain(t, g, c, encoder.Options{Backend: b})
		for _, after := range afters {
			o := encoder.Options{Backend: b, Running: encoder.Running{CheckpointEvery: 1}}
			o.Checkpoints = testutil.Value(store.Open(t.TempDir())).OrFatal(t)
			ctx, cancel := context.WithCancel(t.Context())
			first := o
			first.Backend = stopping{b, after, cancel}
			_, err := modeltest.Train(ctx, g, c, first)
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, after %d steps: error %v", name, after, err)
			}
			modeltest.SameResult(t, fmt.Sprintf("%s, stopped after %d steps", name, after), modeltest.MustTrain(t, g, c, o), want)
		}
	}
}
