package gomlx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"github.com/gomlx/compute/dtypes"
	mlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

var _ form = (*tiledForm)(nil)

// formRun runs a form's graph code on XLA's CPU plugin.
type formRun struct {
	form      form
	device    *on.Device
	constants []any // the form's, as arguments
}

// newFormRun skips the test if there is no plugin.
func newFormRun(t *testing.T, f form) *formRun {
	t.Helper()
	choice, err := backend.Resolve(backend.XLACPU)
	if err != nil {
		t.Skip(err)
	}
	r := &formRun{form: f, device: testutil.Value(on.Open(choice, on.Need{What: "the test"})).OrFatal(t)}
	t.Cleanup(r.device.Close)
	for _, c := range testutil.Value(f.constants()).OrFatal(t) {
		r.constants = append(r.constants, c)
	}
	return r
}

// tensorsOf returns the form's lists of the batches, one tensor for each list, whose first axis is
// that of the batches.
func (r *formRun) tensorsOf(batches ...Batch) (all []any) {
	for _, s := range r.form.lists() { // of −1, so that the form must write every element
		dims := append([]int{len(batches)}, s.Dimensions...)
		if s.DType == dtypes.Int32 {
			all = append(all, tensors.FromFlatDataAndDimensions(slices.Repeat([]int32{-1}, len(batches)*s.Size()), dims...))
		} else {
			all = append(all, tensors.FromFlatDataAndDimensions(slices.Repeat([]float32{-1}, len(batches)*s.Size()), dims...))
		}
	}
	for k, b := range batches {
		dst := make([]any, len(all)) // the part of each list for this batch
		for q, s := range r.form.lists() {
			all[q].(*tensors.Tensor).MustMutableFlatData(func(flat any) {
				switch flat := flat.(type) {
				case []int32:
					dst[q] = flat[k*s.Size() : (k+1)*s.Size()]
				case []float32:
					dst[q] = flat[k*s.Size() : (k+1)*s.Size()]
				}
			})
		}
		r.form.fill(dst, b)
	}
	return all
}

// call builds a program, calls it and returns its results.
func (r *formRun) call(t *testing.T, build func(inputs []*mlx.Node) []*mlx.Node, args ...any) []*tensors.Tensor {
	t.Helper()
	return testutil.Value(r.device.Program(build).Call(args...)).OrFatal(t)
}

// embed returns the form's embedding for the weights, n×d, row by row.
func (r *formRun) embed(t *testing.T, weights Weights) []float32 {
	w, b, err := r.form.pack(weights)
	testutil.NoError(t, err)
	out := r.call(t, func(inputs []*mlx.Node) []*mlx.Node {
		return []*mlx.Node{r.form.encode(inputs[2:], inputs[0], inputs[1], nil)}
	}, append([]any{w, b}, r.constants...)...)
	return tensors.MustCopyFlatData[float32](out[0])
}

// gradients returns the form's loss of a batch and its gradients with respect to W and b.
func (r *formRun) gradients(t *testing.T, kind Loss, weights Weights, batch Batch) (float64, Weights) {
	w, b, err := r.form.pack(weights)
	testutil.NoError(t, err)
	args := append([]any{w, b, float32(len(batch.I))}, r.constants...)
	args = append(args, r.tensorsOf(batch)...)
	out := r.call(t, func(inputs []*mlx.Node) []*mlx.Node {
		lists := inputs[3+len(r.constants):]
		for q, l := range lists { // without the axis of batches
			lists[q] = mlx.Reshape(l, l.Shape().Dimensions[1:]...)
		}
		loss, gradW, gradB := r.form.gradients(kind, inputs[3:][:len(r.constants)], inputs[0], inputs[1], lists, inputs[2])
		return []*mlx.Node{loss, gradW, gradB}
	}, args...)
	return float64(tensors.ToScalar[float32](out[0])), testutil.Value(r.form.unpack(out[1], out[2])).OrFatal(t)
}

// TestTiledForm compares the tiled form with the native step (compareForms) on random graphs
// (randomInput): the smallest, with and without edge weights, without layers, and with dimensions of
// one tile or less, one tile and a part, and two tiles and a part.
func TestTiledForm(t *testing.T) {
	const mostShort = 70 // dimensions in the short test, because more tiles take long to compile
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, f, d, layers int
		weighted        bool    // edges
		bias            float32 // factor of the random biases
	}{
		{n: 1, f: 1, d: 5, layers: 1, bias: 1},
		{n: 2, f: 3, d: 64, layers: 1, bias: 1},
		{n: 60, f: 40, d: 3, layers: 2, weighted: true, bias: 1},
		{n: 200, f: 90, d: 70, layers: 0, bias: 0}, // nodes without features have constant rows
		{n: 300, f: 150, d: 130, layers: 3, weighted: true, bias: 1},
		{n: 50, f: 20, d: 1, layers: 1, bias: 1},
	} {
		if c.d > mostShort && !testutil.IsLong() {
			continue
		}
		name := fmt.Sprintf("%d nodes, %d features, %d dimensions, %d layers", c.n, c.f, c.d, c.layers)
		input := randomInput(t, c.n, c.f, c.layers, c.weighted, rnd)
		start := InitialState(c.f, c.d, rnd)
		for k := range start.Weights.B {
			start.Weights.B[k] *= c.bias
		}
		pairs := 1 + 3*c.n // a row has six on average
		compareForms(t, name, input, start.Weights, pairs, rnd)
	}
}

// TestTiledFormOnCora compares the tiled form with the native step (compareForms) on Cora, with the
// paper's settings and both losses. In the short test, TestStepGolden and TestWaysAgree have one
// loss each.
func TestTiledFormOnCora(t *testing.T) {
	testutil.Long(t)
	g := testutil.LoadGraph(t, "cora")
	options, _ := encoder.PaperOptions("cora")
	input, _ := inputs(t, g, options.Filter)
	rnd := rand.New(rand.NewPCG(3, 4))
	compareForms(t, "cora", input, InitialState(input.Smoothed.Cols, options.Dims, rnd).Weights, batchPairs, rnd)
}

// randomInput returns a graph of n nodes with f features, and its smoothed features. Node 0 has
// edges to half the others, and the last two nodes have none. Every seventh node has no features
// and node 1 has half of them; every eleventh feature is of no node, and feature 0 of all others.
// The unit of the features is 4.
func randomInput(t *testing.T, n, f, layers int, weighted bool, rnd *rand.Rand) *Input {
	t.Helper()
	var u, v []int32
	var weights []float32
	for i := range n - 2 {
		for _, j := range []int{rnd.IntN(n - 2), 0} {
			if j != 0 || i%2 == 0 {
				u, v, weights = append(u, int32(i)), append(v, int32(j)), append(weights, 0.5+rnd.Float32())
			}
		}
	}
	if !weighted {
		weights = nil
	}
	adjacency := testutil.Value(graph.Adjacency(n, u, v, weights)).OrFatal(t)
	var entries []graph.Entry
	for i := range n {
		if n > 5 && i%7 == 3 { // no features, in graphs that are not tiny
			continue
		}
		for j := range f {
			has := j == 0 || rnd.IntN(10) == 0 || i == 1 && rnd.IntN(2) == 0
			ofNone := f >= 5 && j%11 == 4 // a feature of no node
			if has && !ofNone {
				entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: 8 * rnd.Float32()})
			}
		}
	}
	x := graph.FromEntries(n, f, entries)
	input := &Input{
		Smoothed: linalg.Shape(n, f), Features: graph.Features{Sparse: x}, Unit: 4,
		Operator: laplacian.New(adjacency), Filter: laplacian.Filter{K: 2.0 / 3, Layers: layers},
	}
	input.Smoothed = testutil.Value(input.Smooth(t.Context())).OrFatal(t)
	return input
}

// compareForms compares the tiled form with the native step on a random batch of that many pairs,
// with both losses: embedding and loss must agree to 1e-6, gradients in norm to 1e-5.
func compareForms(t *testing.T, name string, input *Input, weights Weights, pairs int, rnd *rand.Rand) {
	t.Helper()
	n := input.Smoothed.Rows
	batch := randomBatch(n, pairs, rnd)
	run := newFormRun(t, newTiledForm(input, len(weights.B), pairs+2)) // with room for padding
	embedder := nativeModel(t, input, weights, Logits, pairs)          // any loss
	embedding := testutil.Value(Embed(t.Context(), embedder, n, weights)).OrFatal(t)
	sameRows(t, name, run.embed(t, weights), embedding, 1e-6)
	for _, loss := range []Loss{Logits, Probability} {
		native := nativeModel(t, input, weights, loss, pairs)
		if loss == Probability {
			batch = unlike(batch, embedding)
		}
		if len(batch.I) == 0 {
			continue
		}
		wantLoss, wantGradients, err := native.Gradients(batch)
		testutil.NoError(t, err)
		gotLoss, got := run.gradients(t, loss, weights, batch)
		near(t, fmt.Sprintf("%s: %v", name, loss), gotLoss, wantLoss, 1e-6)
		for part, pair := range map[string][2][]float32{"W": {got.W.Data, wantGradients.W.Data}, "b": {got.B, wantGradients.B}} {
			difference, scale := lengths32(pair[0], pair[1])
			t.Logf("%s: %v: gradients of %s differ by %.2g of %.2g", name, loss, part, difference, scale)
			const least = 0.02 // scale: the gradient of a single node is only rounding error
			if !(difference <= 1e-5*max(scale, least)) {
				t.Errorf("%s: %v: gradients of %s differ by %v of %v", name, loss, part, difference, scale)
			}
		}
	}
}

// nativeModel returns the native model at the given weights, for batches of that many pairs.
func nativeModel(t *testing.T, input *Input, weights Weights, loss Loss, pairs int) Model {
	t.Helper()
	f, d := weights.W.Rows, weights.W.Cols
	state := &State{Weights: weights, First: NewWeights(f, d), Second: NewWeights(f, d)}
	return testutil.Value(Native.NewModel(input, state, Steps{Loss: loss, LearningRate: 0.001, Pairs: pairs})).OrFatal(t)
}

// TestTiedMinima compares the gradients with respect to b with the native step's, to 1e-7, which is
// a hundredth of a gradient, where two equal columns both are the minimum of each row. The native
// step subtracts the sum of a row's gradient at the first of them, the tiled form half of it at
// each, so that only the sum of both columns' gradients is the same.
func TestTiedMinima(t *testing.T) {
	const n, f, d, pairs = 40, 20, 70, 100
	const tied1, tied2 = 3, 66 // columns, of both tiles
	rnd := rand.New(rand.NewPCG(7, 8))
	input := randomInput(t, n, f, 1, false, rnd)
	weights := InitialState(f, d, rnd).Weights
	for j := range f {
		weights.W.Data[j*d+tied2] = weights.W.Data[j*d+tied1]
	}
	weights.B[tied1], weights.B[tied2] = -10, -10 // below all other elements of Z
	batch := randomBatch(n, pairs, rnd)
	_, want, err := nativeModel(t, input, weights, Logits, pairs).Gradients(batch)
	testutil.NoError(t, err)
	_, got := newFormRun(t, newTiledForm(input, d, pairs)).gradients(t, Logits, weights, batch)
	for c := range d {
		g, w := got.B[c], want.B[c]
		if c == tied1 || c == tied2 {
			g, w = got.B[tied1]+got.B[tied2], want.B[tied1]+want.B[tied2]
		}
		if !(math.Abs(float64(g-w)) <= 1e-7) {
			t.Errorf("db[%d] is %v, want %v", c, g, w)
		}
	}
}

// TestTileable: with the paper's settings, Cora and Citeseer are trained in tiles, and Wiki, whose
// nodes have many words, is not. Nor is an input of smoothed features only.
func TestTileable(t *testing.T) {
	for name, want := range map[string]bool{"cora": true, "citeseer": true, "wiki": false} {
		options, _ := encoder.PaperOptions(name)
		filtered, smoothed := inputs(t, testutil.LoadGraph(t, name), options.Filter)
		if got := tileable(filtered); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if tileable(smoothed) {
			t.Errorf("%s: tiles without sparse features", name)
		}
	}
}

// unlike returns the pairs of a batch whose similarities, of rows of z, are from 0.05 to 0.95. Near
// 0 and 1, the loss Probability is steep, so that the rounding of similarities decides its
// derivative.
func unlike(b Batch, z blas32.General) (kept Batch) {
	for k, i := range b.I {
		s := dot64(z.Data[int(i)*z.Stride:][:z.Cols], z.Data[int(b.J[k])*z.Stride:][:z.Cols])
		if s >= 0.05 && s <= 0.95 {
			kept.I, kept.J, kept.Labels = append(kept.I, i), append(kept.J, b.J[k]), append(kept.Labels, b.Labels[k])
		}
	}
	return kept
}

// lengths32 returns the lengths |got − want| and |want|.
func lengths32(got, want []float32) (difference, scale float64) {
	for k, w := range want {
		difference += math.Pow(float64(got[k])-float64(w), 2)
		scale += math.Pow(float64(w), 2)
	}
	return math.Sqrt(difference), math.Sqrt(scale)
}

// sameRows requires the elements of got, row by row without padding, to be those of want.
func sameRows(t *testing.T, name string, got []float32, want blas32.General, tolerance float64) {
	t.Helper()
	if len(got) != want.Rows*want.Cols {
		t.Fatalf("%s: %d numbers, want %d×%d", name, len(got), want.Rows, want.Cols)
	}
	for i := range want.Rows {
		for c := range want.Cols {
			if g, w := float64(got[i*want.Cols+c]), float64(want.Data[i*want.Stride+c]); !(math.Abs(g-w) <= tolerance) {
				t.Fatalf("%s: ẑ[%d,%d] is %v, want %v", name, i, c, g, w)
			}
		}
	}
}

// TestTiledFormInLoop takes two steps of gradient descent in the loop of one program (descend). The
// weights must be those of two steps with the native model's gradients, to 1e-6, and so must the
// losses.
func TestTiledFormInLoop(t *testing.T) {
	const n, f, d, layers, pairs, rate = 200, 60, 70, 3, 500, 0.01
	rnd := rand.New(rand.NewPCG(5, 6))
	input := randomInput(t, n, f, layers, false, rnd)
	start := InitialState(f, d, rnd)
	batches := []Batch{randomBatch(n, pairs, rnd), randomBatch(n, pairs, rnd)}
	r := newFormRun(t, newTiledForm(input, d, pairs))
	w, b, err := r.form.pack(start.Weights)
	testutil.NoError(t, err)
	const firstStep = int32(0)
	args := append([]any{firstStep, int32(len(batches)), w, b, make([]float32, len(batches))}, r.constants...)
	args = append(args, r.tensorsOf(batches...)...)
	out := r.call(t, func(inputs []*mlx.Node) []*mlx.Node {
		constants, stacks := inputs[5:][:len(r.constants)], inputs[5+len(r.constants):]
		return descend(r.form, constants, stacks, inputs[:5], pairs, rate)
	}, args...)
	got := testutil.Value(r.form.unpack(out[0], out[1])).OrFatal(t)
	want := start.Weights
	losses := tensors.MustCopyFlatData[float32](out[2])
	for k, batch := range batches {
		loss, gradients, err := nativeModel(t, input, want, Logits, pairs).Gradients(batch)
		testutil.NoError(t, err)
		near(t, fmt.Sprintf("loss of step %d", k), float64(losses[k]), loss, 1e-6)
		next := NewWeights(f, d)
		for p, w := range want.W.Data {
			next.W.Data[p] = w - rate*gradients.W.Data[p]
		}
		for p, w := range want.B {
			next.B[p] = w - rate*gradients.B[p]
		}
		want = next
	}
	for p, w := range want.W.Data {
		if !(math.Abs(float64(got.W.Data[p]-w)) <= 1e-6) {
			t.Fatalf("weight %d is %v, want %v", p, got.W.Data[p], w)
		}
	}
}

// descend returns W, b and the losses after steps of gradient descent in a loop, on the batches
// whose lists are stacked. The inputs are the index of the first step, the number of steps, W, b,
// and room for the losses. These numbers are inputs because GoMLX has one node for equal constants,
// and a node of the main function cannot be an operand in a closure.
func descend(f form, constants, stacks, inputs []*mlx.Node, pairs int, rate float64) []*mlx.Node {
	g := inputs[0].Graph()
	parameters := func(g *mlx.Graph) (all []*mlx.Node) {
		for k, s := range inputs {
			all = append(all, mlx.Parameter(g, fmt.Sprintf("state%d", k), s.Shape()))
		}
		return all
	}
	condition := mlx.NewClosure(g, func(g *mlx.Graph) []*mlx.Node {
		s := parameters(g)
		return []*mlx.Node{mlx.LessThan(s[0], s[1])}
	})
	body := mlx.NewClosure(g, func(g *mlx.Graph) []*mlx.Node {
		s := parameters(g)
		lists := make([]*mlx.Node, len(stacks))
		for q, stack := range stacks {
			lists[q] = mlx.Reshape(mlx.Gather(stack, mlx.Reshape(s[0], 1)), stack.Shape().Dimensions[1:]...)
		}
		loss, gradW, gradB := f.gradients(Logits, constants, s[2], s[3], lists, mlx.Const(g, float32(pairs)))
		return []*mlx.Node{
			mlx.Add(s[0], mlx.Const(g, int32(1))), s[1],
			mlx.Sub(s[2], mlx.MulScalar(gradW, rate)), mlx.Sub(s[3], mlx.MulScalar(gradB, rate)),
			mlx.DynamicUpdateSlice(s[4], mlx.Reshape(loss, 1), []*mlx.Node{s[0]}),
		}
	})
	return mlx.While(condition, body, inputs...)[2:]
}
