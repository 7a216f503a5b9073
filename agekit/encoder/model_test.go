package encoder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testgraph"
)

// backends returns every backend that this program and machine have, with the
// XLA backend that AGE_TEST_XLA names, by default xla:cpu. XLA needs its plugin:
// where AGE_REQUIRE_XLA is set, its absence is a failure.
func backends(t testing.TB) []backend.Choice {
	t.Helper()
	var all []backend.Choice
	for _, name := range []string{backend.Native, backend.Go, cmp.Or(os.Getenv("AGE_TEST_XLA"), backend.XLACPU)} {
		c, err := backend.Resolve(name)
		if err == nil {
			all = append(all, c)
			continue
		}
		if os.Getenv("AGE_REQUIRE_XLA") != "" {
			t.Fatal(err)
		}
		t.Logf("NOT TESTED on %s: %v", name, err)
	}
	return all
}

// inputs returns the two forms in which a model can get Cora's features, so
// that both of the native step's products are tested: sparse features to
// filter within the step, and smoothed ones only.
func inputs(t testing.TB, g *graph.Graph, k float64, layers int) map[string]Input {
	t.Helper()
	op, f := laplacian.New(g.Adjacency), laplacian.Filter{K: k, Layers: layers}
	x, err := f.Smooth(t.Context(), op, g.Features)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Input{
		"filtered": {Operator: op, Filter: f, Features: g.Features, Smoothed: x},
		"smoothed": {Operator: op, Filter: f, Features: graph.Features{Dense: &x}, Smoothed: x},
	}
}

// builder makes a model for batches of some number of pairs.
type builder func(start *State, loss Loss, learningRate float64, pairs int) (Model, error)

// eachModel runs a test on all backends, in all ways to encode: all nodes, or
// those of a batch alone.
func eachModel(t *testing.T, g *graph.Graph, run func(t *testing.T, choice backend.Choice, in Input, build builder)) {
	forms := inputs(t, g, 2.0/3, 8)
	for _, choice := range backends(t) {
		if choice.Name != backend.Native { // GoMLX gets the smoothed features in any case
			t.Run(choice.Name, func(t *testing.T) {
				in := forms["smoothed"]
				run(t, choice, in, func(start *State, loss Loss, learningRate float64, pairs int) (Model, error) {
					// With so many pairs it does not gather.
					return NewModel(choice, in, start, loss, learningRate, max(pairs, g.N()))
				})
			})
			t.Run(choice.Name+"/gathered", func(t *testing.T) {
				in := forms["smoothed"]
				run(t, choice, in, func(start *State, loss Loss, learningRate float64, pairs int) (Model, error) {
					if 2*pairs >= g.N() {
						t.Skip("as many nodes in a batch as in the graph")
					}
					return NewModel(choice, in, start, loss, learningRate, pairs)
				})
			})
			continue
		}
		for form, in := range forms {
			t.Run(choice.Name+"/"+form, func(t *testing.T) {
				run(t, choice, in, func(start *State, loss Loss, learningRate float64, pairs int) (Model, error) {
					// With so many pairs it does not gather.
					return NewModel(choice, in, start, loss, learningRate, max(pairs, g.N()))
				})
			})
		}
		t.Run(choice.Name+"/gathered", func(t *testing.T) {
			in := forms["smoothed"]
			run(t, choice, in, func(start *State, loss Loss, learningRate float64, pairs int) (Model, error) {
				return newGathered(in.Smoothed, start, loss, learningRate, pairs), nil
			})
		})
	}
}

// TestStepGolden holds similarities, loss and gradients of one step against
// numpy's central differences in float64: the loss to 1e-5, gradients to 1e-3
// relative, both losses, every backend.
func TestStepGolden(t *testing.T) {
	type step struct {
		Loss              float64
		FirstSimilarities []float64    `json:"first_similarities"`
		GradW             [][3]float64 `json:"grad_W"`
		GradB             [][2]float64 `json:"grad_b"`
	}
	var want struct{ Logits, Probability step }
	data, err := os.ReadFile("testdata/step.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	g := testgraph.Load(t, "cora")
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
	eachModel(t, g, func(t *testing.T, choice backend.Choice, in Input, build builder) {
		for loss, want := range map[Loss]step{Logits: want.Logits, Probability: want.Probability} {
			m, err := build(start, loss, 0.001, len(batch.I))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			z, err := m.Embed()
			if err != nil {
				t.Fatal(err)
			}
			for k, s := range want.FirstSimilarities {
				near(t, "similarity", dot64(row(z, int(batch.I[k])), row(z, int(batch.J[k]))), s, 1e-5)
			}
			got, gradients, err := m.Gradients(batch)
			if err != nil {
				t.Fatal(err)
			}
			near(t, loss.String()+" loss", got, want.Loss, 1e-5)
			for _, e := range want.GradW {
				near(t, fmt.Sprintf("%v dW%v", loss, e[:2]), float64(gradients.W.Data[int(e[0])*hidden+int(e[1])]), e[2], 1e-3)
			}
			for _, e := range want.GradB {
				near(t, fmt.Sprintf("%v db[%v]", loss, e[0]), float64(gradients.B[int(e[0])]), e[1], 1e-3)
			}
		}
	})
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v to %v relative", what, got, want, relative)
	}
}

func dot64(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// randomBatch draws pairs of both labels; some are (i, i).
func randomBatch(n, count int, rnd *rand.Rand) Batch {
	var b Batch
	for k := range count {
		b.I, b.J = append(b.I, rnd.Int32N(int32(n))), append(b.J, rnd.Int32N(int32(n)))
		b.Labels = append(b.Labels, float32(k%2))
		if k%50 == 1 { // a positive pair
			b.J[k] = b.I[k]
		}
	}
	return b
}

// selectedBatches returns batches of pairs that the paper's first selection
// for Cora gives.
func selectedBatches(t *testing.T, g *graph.Graph, count, pairs int, rnd *rand.Rand) []Batch {
	t.Helper()
	c := PaperConfig("cora")
	s, err := Select(t.Context(), Normalize(inputs(t, g, c.K, c.Layers)["smoothed"].Smoothed), c.Thresholds.PosStart, c.Thresholds.NegStart)
	if err != nil {
		t.Fatal(err)
	}
	batches := make([]Batch, count)
	for k := range batches {
		b := &batches[k]
		for range pairs / 2 {
			p := rnd.IntN(len(s.I))
			b.I, b.J, b.Labels = append(b.I, s.I[p]), append(b.J, s.J[p]), append(b.Labels, 1)
		}
		i, j, err := s.DrawNegatives(t.Context(), pairs/2, rnd)
		if err != nil {
			t.Fatal(err)
		}
		b.I, b.J, b.Labels = append(b.I, i...), append(b.J, j...), append(b.Labels, make([]float32, pairs/2)...)
	}
	return batches
}

// TestBackendsAgree runs 50 steps of the paper's size from the same weights
// on the same pairs on every backend (10 on the slow one). Gradients agree in
// norm to 1e-5, and weights after one step to a tenth of the learning rate,
// which is how far Adam moves each weight. The loss curves agree to 1e-3: each
// of the first 25 losses, and the norm of the difference over all 50 steps.
// Later single losses differ a little more, between two orders of summation
// on one backend as well as between backends: a row's minimum changes its
// place, and training amplifies rounding about tenfold every ten steps.
func TestBackendsAgree(t *testing.T) {
	g := testgraph.Load(t, "cora")
	rnd := rand.New(rand.NewPCG(1, 2))
	_, f := g.Features.Dims()
	const dims, steps, pairs, rate = 500, 50, 20000, 0.001
	start := InitialState(f, dims, rnd)
	batches := selectedBatches(t, g, steps, pairs, rnd)
	for _, loss := range []Loss{Probability, Logits} {
		var reference []float64
		var gradients Weights
		var after *State
		eachModel(t, g, func(t *testing.T, choice backend.Choice, in Input, build builder) {
			m, err := build(start, loss, rate, pairs)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			_, gr, err := m.Gradients(batches[0])
			if err != nil {
				t.Fatal(err)
			}
			var losses []float64
			var first *State
			for k, b := range batches {
				if choice.Name == backend.Go && k == 10 {
					break
				}
				l, err := m.Step(b)
				if err != nil {
					t.Fatal(err)
				}
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
			// A weight whose gradient is only rounding may go either way.
			if share := float64(off) / float64(f*dims); share > 0.01 {
				t.Errorf("%v: %.2g of the weights differ after a step", loss, share)
			}
		})
	}
}

// distance returns |a − b|/|b|.
func distance[T float32 | float64](a, b []T) float64 {
	var d, norm float64
	for i := range a {
		d += math.Pow(float64(a[i]-b[i]), 2)
		norm += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(d / norm)
}

// TestEmbedRows checks the embedding's definition row by row in float64, with
// a width that leaves part of a tile empty and a node without features.
func TestEmbedRows(t *testing.T) {
	a, err := graph.Adjacency(5, []int32{0, 1, 2}, []int32{1, 2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := graph.FromEntries(5, 4, []graph.Entry{
		{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 2}, {Row: 2, Col: 3, Value: 1}, {Row: 3, Col: 0, Value: 0.5}})
	g := &graph.Graph{Adjacency: a, Features: graph.Features{Sparse: x}}
	eachModel(t, g, func(t *testing.T, choice backend.Choice, in Input, build builder) {
		start := InitialState(4, 70, rand.New(rand.NewPCG(3, 4)))
		m, err := build(start, Probability, 0.001, 10)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		z, err := m.Embed()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			want := embedRow(in.Smoothed.Data[i*in.Smoothed.Stride:][:4], start.Weights)
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

func embedRow(x []float32, w Weights) []float64 {
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

// TestConstantRows gives weights of zero: no row has any spread, so the
// embedding and the gradients are zero and nothing is NaN.
func TestConstantRows(t *testing.T) {
	g := testgraph.Load(t, "cora")
	_, f := g.Features.Dims()
	eachModel(t, g, func(t *testing.T, choice backend.Choice, in Input, build builder) {
		zero := &State{Weights: NewWeights(f, 20), First: NewWeights(f, 20), Second: NewWeights(f, 20)}
		m, err := build(zero, Logits, 0.001, 100)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		loss, gradients, err := m.Gradients(randomBatch(g.N(), 100, rand.New(rand.NewPCG(1, 1))))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "loss", loss, math.Ln2, 1e-6) // s = 0 as a logit
		for _, v := range gradients.W.Data {
			if v != 0 {
				t.Fatalf("gradient %v, want 0", v)
			}
		}
	})
}

// TestStateRoundTrip checks that a state put back gives the same next step,
// to the bit.
func TestStateRoundTrip(t *testing.T) {
	g := testgraph.Load(t, "cora")
	_, f := g.Features.Dims()
	rnd := rand.New(rand.NewPCG(5, 6))
	b1, b2 := randomBatch(g.N(), 256, rnd), randomBatch(g.N(), 256, rnd)
	eachModel(t, g, func(t *testing.T, choice backend.Choice, in Input, build builder) {
		m, err := build(InitialState(f, 30, rand.New(rand.NewPCG(7, 8))), Probability, 0.001, 256)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		step := func(b Batch) *State {
			if _, err := m.Step(b); err != nil {
				t.Fatal(err)
			}
			s, err := m.State()
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		middle := step(b1)
		want := step(b2)
		if err := m.SetState(middle); err != nil {
			t.Fatal(err)
		}
		got := step(b2)
		for k, pair := range [][2][]float32{
			{got.Weights.W.Data, want.Weights.W.Data}, {got.First.W.Data, want.First.W.Data},
			{got.Second.W.Data, want.Second.W.Data}, {got.Weights.B, want.Weights.B},
		} {
			for p := range pair[0] {
				if pair[0][p] != pair[1][p] {
					t.Fatalf("part %d, number %d: %v after going back, %v before", k, p, pair[0][p], pair[1][p])
				}
			}
		}
		if got.Steps != 2 {
			t.Errorf("%d steps counted, want 2", got.Steps)
		}
	})
}
