package gomlx

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
)

// TestStepGolden compares the similarities, loss and gradients of one step with
// numpy's central differences in float64, for both losses and every backend:
// the loss to 1e-5, gradients to 1e-3 relative.
func TestStepGolden(t *testing.T) {
	type step struct {
		Loss              float64
		FirstSimilarities []float64    `json:"first_similarities"`
		GradW             [][3]float64 `json:"grad_W"`
		GradB             [][2]float64 `json:"grad_b"`
	}
	var want struct{ Logits, Probability step }
	data, err := os.ReadFile("../testdata/step.json") // by scripts/golden.py
	testutil.NoError(t, err)
	testutil.NoError(t, json.Unmarshal(data, &want))
	g := testutil.LoadGraph(t, "cora")
	const hidden = 16
	n := g.N()
	_, f := g.Features.Dims()
	start := &State{Weights: NewWeights(f, hidden), First: NewWeights(f, hidden), Second: NewWeights(f, hidden)}
	for p := range start.Weights.W.Data {
		start.Weights.W.Data[p] = float32(0.05 * math.Sin(0.37*float64(p)))
	}
	for c := range start.Weights.B {
		start.Weights.B[c] = float32(0.01 * math.Cos(0.91*float64(c)))
	}
	var batch Batch
	for k := range 200 {
		batch.I, batch.J = append(batch.I, int32(17*k%n)), append(batch.J, int32((31*k+5)%n))
		batch.Labels = append(batch.Labels, float32(k%2))
	}
	each(t, g, func(t *testing.T, way variant, input *Input) {
		for loss, want := range map[Loss]step{Logits: want.Logits, Probability: want.Probability} {
			if way.Programs && loss == Probability && !testutil.IsLong() { // TestWaysAgree has it
				continue
			}
			m := way.model(t, input, start, loss, 0.001, len(batch.I))
			z := testutil.Value(Embed(t.Context(), m, g.N(), start.Weights)).OrFatal(t)
			for k, s := range want.FirstSimilarities {
				near(t, "similarity", dot64(linalg.Row(z, int(batch.I[k])), linalg.Row(z, int(batch.J[k]))), s, 1e-5)
			}
			got, gradients, err := m.Gradients(batch)
			testutil.NoError(t, err)
			near(t, string(loss)+" loss", got, want.Loss, 1e-5)
			for _, e := range want.GradW {
				near(t, fmt.Sprintf("%v dW%v", loss, e[:2]), float64(gradients.W.Data[int(e[0])*hidden+int(e[1])]), e[2], 1e-3)
			}
			for _, e := range want.GradB {
				near(t, fmt.Sprintf("%v db[%v]", loss, e[0]), float64(gradients.B[int(e[0])]), e[1], 1e-3)
			}
		}
	})
}

// selectedBatches returns batches of pairs from the paper's first selection
// for Cora.
func selectedBatches(t *testing.T, g *graph.Graph, count, size int, rnd *rand.Rand) []Batch {
	t.Helper()
	c := encoder.Options{}.WithDefaults()
	input, _ := inputs(t, g, c.Filter)
	s := testutil.Value(pairs.Select(t.Context(), linalg.Normalize(input.Smoothed), c.Thresholds.PosStart, c.Thresholds.NegStart, pairs.Options{})).OrFatal(t)
	batches := make([]Batch, count)
	for k := range batches {
		b := &batches[k]
		for range size / 2 {
			p := rnd.IntN(len(s.I))
			b.I, b.J, b.Labels = append(b.I, s.I[p]), append(b.J, s.J[p]), append(b.Labels, 1)
		}
		i, j, err := s.DrawNegatives(t.Context(), size/2, rnd)
		testutil.NoError(t, err)
		b.I, b.J, b.Labels = append(b.I, i...), append(b.J, j...), append(b.Labels, make([]float32, size/2)...)
	}
	return batches
}

// TestWaysAgree runs 50 steps of the paper's size from the same weights on the
// same pairs on every backend (10 on the slow one); the short test, a fifth of
// them. Gradients must agree in norm to 1e-5, and weights after one step to a
// tenth of the learning rate, which is how far Adam moves each weight. The loss
// curves must agree to 1e-3:
// each of the first 25 losses, and the norm of the difference over all 50
// steps. Individual losses after that differ a little more, between two orders
// of summation on one backend as well as between backends: the position of a
// row's minimum changes, and training amplifies rounding about tenfold every
// ten steps.
func TestWaysAgree(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	rnd := rand.New(rand.NewPCG(1, 2))
	_, f := g.Features.Dims()
	const rate = 0.001
	dims, steps, pairs := 128, 10, 10000
	tried := []Loss{Probability} // TestStepGolden has both, for every way
	if testutil.IsLong() {
		dims, steps, pairs = 500, 50, 20000
		tried = append(tried, Logits)
	}
	start := InitialState(f, dims, rnd)
	batches := selectedBatches(t, g, steps, pairs, rnd)
	for _, loss := range tried {
		var reference []float64
		var gradients Weights
		var after *State
		each(t, g, func(t *testing.T, way variant, input *Input) {
			m := way.model(t, input, start, loss, rate, pairs)
			_, gr, err := m.Gradients(batches[0])
			testutil.NoError(t, err)
			var losses []float64
			var first *State
			for k, b := range batches {
				if way.Slow && k == steps/5 {
					break
				}
				l, err := Step(m, b)
				testutil.NoError(t, err)
				losses = append(losses, l)
				if k == 0 {
					if first, err = m.State(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if reference == nil {
				reference, gradients, after = losses, gr, first
				return
			}
			for k := range min(25, len(losses)) {
				near(t, fmt.Sprintf("%v loss of step %d", loss, k), losses[k], reference[k], 1e-3)
			}
			curve := distance(losses, reference[:len(losses)])
			t.Logf("%v: loss curves of %d steps differ by %.2g of their norm", loss, len(losses), curve)
			if curve > 1e-3 {
				t.Errorf("%v: loss curves differ by %v of their norm", loss, curve)
			}
			if d := distance(gr.W.Data, gradients.W.Data); d > 1e-5 {
				t.Errorf("%v: gradients of W differ by %v of their norm", loss, d)
			}
			if d := distance(gr.B, gradients.B); d > 1e-5 {
				t.Errorf("%v: gradients of b differ by %v of their norm", loss, d)
			}
			off := 0
			for p, w := range first.Weights.W.Data {
				if math.Abs(float64(w-after.Weights.W.Data[p])) > rate/10 {
					off++
				}
			}
			// A weight whose gradient is only rounding error may move either
			// way.
			if share := float64(off) / float64(f*dims); share > 0.01 {
				t.Errorf("%v: %.2g of the weights differ after a step", loss, share)
			}
		})
	}
}

// TestEmbedRows compares the embedding with its definition, row by row in float64,
// with a width that leaves part of a tile empty and a node without features.
func TestEmbedRows(t *testing.T) {
	a := testutil.Value(graph.Adjacency(5, []int32{0, 1, 2}, []int32{1, 2, 3}, nil)).OrFatal(t)
	x := graph.FromEntries(5, 4, []graph.Entry{
		{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 2}, {Row: 2, Col: 3, Value: 1}, {Row: 3, Col: 0, Value: 0.5}})
	g := &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x}}
	each(t, g, func(t *testing.T, way variant, input *Input) {
		start := InitialState(4, 70, rand.New(rand.NewPCG(3, 4)))
		m := way.model(t, input, start, Probability, 0.001, 10)
		z := testutil.Value(Embed(t.Context(), m, g.N(), start.Weights)).OrFatal(t)
		for i := range 5 {
			want := modeltest.EmbedRow(input.Smoothed.Data[i*input.Smoothed.Stride:][:4], start.Weights)
			for c, v := range z.Data[i*z.Stride : (i+1)*z.Stride] {
				w := 0.0
				if c < 70 {
					w = want[c]
				}
				if math.Abs(float64(v)-w) > 1e-6 {
					t.Fatalf("ẑ[%d,%d] is %v, want %v", i, c, v, w)
				}
			}
		}
	})
}

// TestConstantRows uses weights of zero: every row is constant, so the embedding
// and the gradients must be zero and nothing may be NaN.
func TestConstantRows(t *testing.T) {
	g := modeltest.SmallGraph(t)
	_, f := g.Features.Dims()
	each(t, g, func(t *testing.T, way variant, input *Input) {
		zero := &State{Weights: NewWeights(f, 20), First: NewWeights(f, 20), Second: NewWeights(f, 20)}
		m := way.model(t, input, zero, Logits, 0.001, 100)
		loss, gradients, err := m.Gradients(randomBatch(g.N(), 100, rand.New(rand.NewPCG(1, 1))))
		testutil.NoError(t, err)
		near(t, "loss", loss, math.Ln2, 1e-6) // s = 0 as a logit
		for _, v := range gradients.W.Data {
			if v != 0 {
				t.Fatalf("gradient %v, want 0", v)
			}
		}
	})
}

// TestStateRoundTrip checks that a model created from a state takes the same next
// step, bit for bit.
func TestStateRoundTrip(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	_, f := g.Features.Dims()
	rnd := rand.New(rand.NewPCG(5, 6))
	b1, b2 := randomBatch(g.N(), 256, rnd), randomBatch(g.N(), 256, rnd)
	each(t, g, func(t *testing.T, way variant, input *Input) {
		m := way.model(t, input, InitialState(f, 30, rand.New(rand.NewPCG(7, 8))), Probability, 0.001, 256)
		step := func(m Model, b Batch) *State {
			testutil.Value(Step(m, b)).OrFatal(t)
			s := testutil.Value(m.State()).OrFatal(t)
			return s
		}
		middle := step(m, b1)
		want := step(m, b2)
		got := step(way.model(t, input, middle, Probability, 0.001, 256), b2)
		for k, pair := range [][2][]float32{
			{got.Weights.W.Data, want.Weights.W.Data}, {got.First.W.Data, want.First.W.Data},
			{got.Second.W.Data, want.Second.W.Data}, {got.Weights.B, want.Weights.B},
		} {
			for p := range pair[0] {
				if pair[0][p] != pair[1][p] {
					t.Fatalf("part %d, number %d: %v from the state, %v before", k, p, pair[0][p], pair[1][p])
				}
			}
		}
		if got.Steps != 2 {
			t.Errorf("%d steps counted, want 2", got.Steps)
		}
	})
}
