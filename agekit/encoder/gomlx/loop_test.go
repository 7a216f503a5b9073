package gomlx

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/backend"
	. "github.com/agekit/age/internal/affine"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
)

// forms returns a backend for each way to add up the terms of pairs, on XLA, which has loops.
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

func inTurn(batches []Batch) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func drop([]float64) error { return nil }

// TestLoopSplits: eleven steps, of batches of different sizes, have the same bytes whether
// executions take one, two, five or all of them, with stacks of four or of eleven batches.
func TestLoopSplits(t *testing.T) {
	const n, f, d, most = 300, 40, 70, 200
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
			if gathered {
				nodes = modeltest.RandomRows(3*most, f, 1)
			}
			var want *State
			var wantLosses []float64
			for _, capacity := range []int{len(batches), 4} {
				m := testutil.Value(b.NewModel(&Input{Smoothed: nodes}, start, Steps{Loss: Probability, LearningRate: 0.001, Pairs: most, Epoch: capacity})).OrFatal(t).(*model)
				for _, atOnce := range []int{1, 2, 5, capacity} {
					testutil.NoError(t, m.send(start))
					m.steps = 0
					var losses []float64
					testutil.NoError(t, m.Train(inTurn(batches), func(part []float64) error {
						m.atOnce = atOnce
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
					if !slices.Equal(got.Weights.W.Data, want.Weights.W.Data) || !slices.Equal(got.Second.W.Data, want.Second.W.Data) || !slices.Equal(got.Weights.B, want.Weights.B) {
						t.Errorf("%s, %d of %d at once: the state differs", name, atOnce, capacity)
					}
				}
				m.Close()
			}
		}
	}
}

// TestIntegersHaveNoOrder: gradients of a batch whose pairs come in another order have the
// same bytes.
func TestIntegersHaveNoOrder(t *testing.T) {
	const n, f, d, most = 50, 30, 20, 2000
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

// TestTrainStops: the first error of the batches, of done or of a panic in the batches ends a
// training with the state after the steps before it, and the model goes on afterward.
func TestTrainStops(t *testing.T) {
	const n, f, d, most = 60, 30, 20, 100
	rnd := rand.New(rand.NewPCG(1, 2))
	x, start := modeltest.RandomRows(n, f, 1), InitialState(f, d, rnd)
	var batches []Batch
	for range 40 {
		batches = append(batches, randomBatch(n, most, rnd))
	}
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
		m := testutil.Value(b.NewModel(&Input{Smoothed: x}, start, Steps{Loss: Logits, LearningRate: 0.001, Pairs: most, Epoch: 3})).OrFatal(t).(*model)
		defer m.Close()
		testutil.Fails(t, m.Train(failing(4, func() error { return errTest }), drop), errTest.Error())
		testutil.Fails(t, m.Train(failing(2, func() error { panic(errTest) }), drop), errTest.Error())
		if m.steps != 6 {
			t.Errorf("%s: %d steps, want 6", name, m.steps)
		}
		testutil.Fails(t, m.Train(inTurn(batches), func([]float64) error { return errTest }), errTest.Error())
		if m.steps < 7 || m.steps > 9 {
			t.Errorf("%s: %d steps, want at most a stack's more", name, m.steps)
		}
		steps := m.steps
		testutil.NoError(t, m.Train(inTurn(batches), drop))
		if m.steps != steps+len(batches) {
			t.Errorf("%s: %d steps, want %d", name, m.steps, steps+len(batches))
		}
	}
}

// TestCounts holds the calls for which the host waits, and the bytes each way, to docs/gpu.md:
// on a GPU, each is far longer than what it computes. An epoch is that of the data set's first
// selection.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name                              string
		n, f, steps                       int
		epoch, embedding, weights, device on.Counts
	}{
		{name: "Cora", n: 2708, f: 1433, steps: 9,
			epoch:     on.Counts{Executions: 1, Sends: 3, SentBytes: 9*2*20096*4 + 9*3*4 + 8, Fetches: 1, FetchedBytes: 9 * 4},
			embedding: on.Counts{Executions: 1, Sends: 2, SentBytes: 4 * 500 * 1434, Fetches: 1, FetchedBytes: 4 * 500 * 2708},
			weights:   on.Counts{Fetches: 2, FetchedBytes: 4 * 500 * 1434}},
		{name: "Pubmed", n: 19717, f: 500, steps: 45,
			epoch:     on.Counts{Executions: 1, Sends: 3, SentBytes: 45*2*20096*4 + 45*3*4 + 8, Fetches: 1, FetchedBytes: 45 * 4},
			embedding: on.Counts{Executions: 1, Sends: 2, SentBytes: 4 * 500 * 501, Fetches: 1, FetchedBytes: 4 * 500 * 19717},
			weights:   on.Counts{Fetches: 2, FetchedBytes: 4 * 500 * 501}},
	} {
		if c.n > 10_000 && !testutil.IsLong() {
			continue
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		var counts on.Counts
		stop := on.Count(&counts)
		made, err := forms(t)["integers"].NewModel(&Input{Smoothed: modeltest.RandomRows(c.n, c.f, 1)}, InitialState(c.f, 500, rnd), Steps{Loss: Probability, LearningRate: 0.001, Pairs: batchPairs, Epoch: c.steps})
		stop()
		m := testutil.Value(made, err).OrFatal(t).(*model)
		b := randomBatch(c.n, batchPairs, rnd)
		testutil.NoError(t, m.Train(inTurn([]Batch{b}), drop)) // compiles
		is := func(what string, want on.Counts) {
			if counts != want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, what, counts, want)
			}
			counts = on.Counts{}
		}
		counts = on.Counts{}
		m.atOnce, m.timed = c.steps, false
		testutil.NoError(t, m.Train(inTurn(slices.Repeat([]Batch{b}, c.steps)), drop))
		is("epoch", c.epoch)
		w := testutil.Value(m.Weights()).OrFatal(t)
		is("weights", c.weights)
		z := linalg.New(c.n, 500)
		testutil.NoError(t, m.EmbedTo(t.Context(), z, w))
		is("embedding", c.embedding)
		m.Close()
	}
}

var errTest = backend.ErrUnknown
