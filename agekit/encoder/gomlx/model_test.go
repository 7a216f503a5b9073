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

// TestStepGolden compares one step's similarities and loss, to 1e-5, with those that numpy computes
// in float64, and some of its gradients, to 1e-3, with numpy's central differences: for both losses
// and every way to compute a step. The weights and pairs are formulas that both programs share.
func TestStepGolden(t *testing.T) {
	type step struct {
		Loss              float64
		FirstSimilarities []float64    `json:"first_similarities"`
		GradW             [][3]float64 `json:"grad_W"` // row, column and value
		GradB             [][2]float64 `json:"grad_b"` // column and value
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
			if way.Programs && loss == Probability && !testutil.IsLong() { // TestWaysAgree tests this loss
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
				row, column := int(e[0]), int(e[1])
				near(t, fmt.Sprintf("%v dW%v", loss, e[:2]), float64(gradients.W.Data[row*hidden+column]), e[2], 1e-3)
			}
			for _, e := range want.GradB {
				column := int(e[0])
				near(t, fmt.Sprintf("%v db[%v]", loss, e[0]), float64(gradients.B[column]), e[1], 1e-3)
			}
		}
	})
}

// selectedBatches returns count batches of size pairs each, half of them positive, drawn with rnd
// from the pairs that the paper's first selection, by the smoothed features, gives for g.
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

// TestWaysAgree takes 50 steps of the paper's size from the same weights on the same pairs in every
// way (10 steps on the slow backend), and compares each way with the first one, the native step. The
// short test takes a fifth of the steps, which are smaller.
//
// Gradients must agree in norm to 1e-5. Weights after one step must agree to a tenth of the
// learning rate, which is how far Adam moves each weight, but for one in a hundred. Losses must
// agree to 1e-3: each of the first 25, and in norm over all steps. Later ones differ a little more,
// between two orders of summation on one backend as well as between backends, because the position
// of a row's minimum changes, and training amplifies rounding about tenfold every ten steps.
func TestWaysAgree(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	rnd := rand.New(rand.NewPCG(1, 2))
	_, f := g.Features.Dims()
	const rate = 0.001
	dims, steps, pairs := 128, 10, 10000
	tried := []Loss{Probability}
	if testutil.IsLong() {
		dims, steps, pairs = 500, 50, 20000
		tried = append(tried, Logits)
	}
	start := InitialState(f, dims, rnd)
	batches := selectedBatches(t, g, steps, pairs, rnd)
	for _, loss := range tried {
		// Those of the first way: losses, gradients of the first batch, and the state after a step.
		var wantLosses []float64
		var wantGradients Weights
		var wantFirst *State
		each(t, g, func(t *testing.T, way variant, input *Input) {
			m := way.model(t, input, start, loss, rate, pairs)
			_, gradients, err := m.Gradients(batches[0])
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
			if wantLosses == nil {
				wantLosses, wantGradients, wantFirst = losses, gradients, first
				return
			}
			for k := range min(25, len(losses)) {
				near(t, fmt.Sprintf("%v loss of step %d", loss, k), losses[k], wantLosses[k], 1e-3)
			}
			curve := distance(losses, wantLosses[:len(losses)])
			t.Logf("%v: loss curves of %d steps differ by %.2g of their norm", loss, len(losses), curve)
			if curve > 1e-3 {
				t.Errorf("%v: loss curves differ by %v of their norm", loss, curve)
			}
			if d := distance(gradients.W.Data, wantGradients.W.Data); d > 1e-5 {
				t.Errorf("%v: gradients of W differ by %v of their norm", loss, d)
			}
			if d := distance(gradients.B, wantGradients.B); d > 1e-5 {
				t.Errorf("%v: gradients of b differ by %v of their norm", loss, d)
			}
			off := 0 // weights
			for p, w := range first.Weights.W.Data {
				if math.Abs(float64(w-wantFirst.Weights.W.Data[p])) > rate/10 {
					off++
				}
			}
			// A weight whose gradient is only rounding error may move either way.
			if share := float64(off) / float64(f*dims); share > 0.01 {
				t.Errorf("%v: %.2g of the weights differ after a step", loss, share)
			}
		})
	}
}

// TestEmbedRows compares the embedding of a small graph, in every way, with its definition in
// float64 ([modeltest.EmbedRow]), to 1e-6. The dimensions leave part of a tile empty, whose columns
// must be 0. The last node has no features and no edges.
func TestEmbedRows(t *testing.T) {
	const n, f, d = 5, 4, 70
	a := testutil.Value(graph.Adjacency(n, []int32{0, 1, 2}, []int32{1, 2, 3}, nil)).OrFatal(t)
	x := graph.FromEntries(n, f, []graph.Entry{
		{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 2}, {Row: 2, Col: 3, Value: 1}, {Row: 3, Col: 0, Value: 0.5}})
	g := &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x}}
	each(t, g, func(t *testing.T, way variant, input *Input) {
		start := InitialState(f, d, rand.New(rand.NewPCG(3, 4)))
		m := way.model(t, input, start, Probability, 0.001, 10)
		z := testutil.Value(Embed(t.Context(), m, g.N(), start.Weights)).OrFatal(t)
		for i := range n {
			want := modeltest.EmbedRow(input.Smoothed.Data[i*input.Smoothed.Stride:][:f], start.Weights)
			for c, v := range z.Data[i*z.Stride : (i+1)*z.Stride] {
				w := 0.0
				if c < d {
					w = want[c]
				}
				if math.Abs(float64(v)-w) > 1e-6 {
					t.Fatalf("ẑ[%d,%d] is %v, want %v", i, c, v, w)
				}
			}
		}
	})
}

// TestConstantRows uses weights of zero, so that every row of Z is constant and every similarity 0:
// the loss must be that of a logit of 0, ln 2, and the gradients with respect to W must be 0.
func TestConstantRows(t *testing.T) {
	const d, pairs, rate = 20, 100, 0.001
	g := modeltest.SmallGraph(t)
	_, f := g.Features.Dims()
	each(t, g, func(t *testing.T, way variant, input *Input) {
		zero := &State{Weights: NewWeights(f, d), First: NewWeights(f, d), Second: NewWeights(f, d)}
		m := way.model(t, input, zero, Logits, rate, pairs)
		loss, gradients, err := m.Gradients(randomBatch(g.N(), pairs, rand.New(rand.NewPCG(1, 1))))
		testutil.NoError(t, err)
		near(t, "loss", loss, math.Ln2, 1e-6)
		for _, v := range gradients.W.Data {
			if v != 0 { // NaN, too
				t.Fatalf("gradient %v, want 0", v)
			}
		}
	})
}

// TestStateRoundTrip takes two steps with a model, and the second one again with a model created
// from the state after the first. The states after both second steps must be the same, bit for bit:
// W, both moments of W, b and the number of steps.
func TestStateRoundTrip(t *testing.T) {
	const d, pairs, rate = 30, 256, 0.001
	g := testutil.LoadGraph(t, "cora")
	_, f := g.Features.Dims()
	rnd := rand.New(rand.NewPCG(5, 6))
	b1, b2 := randomBatch(g.N(), pairs, rnd), randomBatch(g.N(), pairs, rnd)
	each(t, g, func(t *testing.T, way variant, input *Input) {
		m := way.model(t, input, InitialState(f, d, rand.New(rand.NewPCG(7, 8))), Probability, rate, pairs)
		step := func(m Model, b Batch) *State {
			testutil.Value(Step(m, b)).OrFatal(t)
			return testutil.Value(m.State()).OrFatal(t)
		}
		middle := step(m, b1)
		want := step(m, b2)
		got := step(way.model(t, input, middle, Probability, rate, pairs), b2)
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
