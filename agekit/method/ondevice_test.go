package method

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// choices returns the GoMLX backends to test on: the Go backend, and XLA's if it is installed, which
// AGEKIT_TEST_XLA names. With AGEKIT_REQUIRE_XLA the test fails without it.
func choices(t testing.TB) []backend.Choice {
	t.Helper()
	all := []backend.Choice{testutil.Value(backend.Resolve(backend.Go)).OrFatal(t)}
	c, err := backend.Resolve(cmp.Or(os.Getenv("AGEKIT_TEST_XLA"), backend.XLACPU))
	if err != nil {
		if os.Getenv("AGEKIT_REQUIRE_XLA") != "" {
			t.Fatal(err)
		}
		t.Logf("NOT TESTED on %s: %v", backend.XLACPU, err)
		return all
	}
	for name, value := range c.Environment() {
		t.Setenv(name, value)
	}
	return append(all, c)
}

// setResident makes trainings keep their weights on the device, or on the host, until the test ends.
func setResident(t testing.TB, resident bool) {
	before := isResident
	t.Cleanup(func() { isResident = before })
	isResident = func(backend.Choice) bool { return resident }
}

// trainerOn returns a trainer for the method on a graph and a backend, with three clusters and seed 5,
// and with its weights on the device, if resident, or on the host.
func trainerOn(t testing.TB, m Method, g *graph.Graph, c backend.Choice, resident bool) *trainer {
	t.Helper()
	setResident(t, resident)
	tr := testutil.Value(newTrainer(g, Options{Seed: 5, Clusters: 3, method: m, Backend: c}, 0)).OrFatal(t)
	t.Cleanup(tr.close)
	return tr
}

// taking is a step to take: its kind, and its inputs.
type taking struct {
	kind   *adamStep
	inputs []any
}

// graphCode has settings of every method that is graph code.
var graphCode = []struct {
	fitter
	isLong bool // on XLA in long tests only: compiling takes seconds
	// steps adds the model of the settings f on a graph to the trainer tr, and returns one step of each
	// kind, with the same weights and inputs each time.
	steps func(t testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking
}{
	{filled(gae{Layers: 3}), false, gaeSteps},
	{filled(gae{Layers: 3, Sample: 150}), true, gaeSteps},
	{filled(gae{Layers: 3, disentangled: true}), true, gaeSteps},
	{filled(vgae{}), true, func(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
		_, update := f.(vgae).model(tr, g)
		return []taking{{update, []any{normal(g.N(), 16, source(1))}}}
	}},
	{filled(arga{}), true, argaSteps},
	{filled(arga{Published: true}), true, argaSteps},
	{filled(arga{variational: true}), true, argaSteps},
	{filled(daegc{Hidden: 32}), true, func(t testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
		near := testutil.Value(proximity(t.Context(), withDiagonal(g.Adjacency))).OrFatal(t)
		d := f.(daegc).model(tr, g, near)
		copy(tr.weights[d.centers].Data, randomMatrix(3, 16, 1, source(2)).Data)
		tr.place.reload(d.centers)
		return []taking{{d.pretraining, nil}, {d.clustering, nil}}
	}},
	{filled(ns4gc{Widths: []int{20, 10}}).withDefaults(""), false, func(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
		c := f.(ns4gc).model(tr, g)
		return []taking{{c.update, c.draw(source(1))}}
	}},
	{filled(dgi{Dims: 20}), true, func(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
		c := f.(dgi).model(tr, g)
		return []taking{{c.update, c.drawCorrupted(source(1))}}
	}},
	{filled(gala{Hidden: 40, Dims: 20}), true, galaSteps},
	{filled(gala{Hidden: 40, Dims: 20, Published: true}), true, galaSteps},
}

func gaeSteps(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
	m := f.(gae)
	n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(1), m.layers(), source(1))
	pairs := newAdjacency(g.Adjacency, cmp.Or(m.Sample, g.N()))
	embedding := autoencoder{network: n}.code(tr)
	update := tr.step(loss{graph: func(v *nodes) (z, scalar *Node) { return embedding(v), nil }, pairs: pairs}, 0.01, 0)
	return []taking{{update, pairs.draw(source(2))}}
}

func argaSteps(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
	m, rnd := f.(arga), source(1)
	a := m.adversary(tr, g, m.generator(tr, g, rnd), []int{8, 6}, rnd)
	for _, p := range a.discriminate.parameters { // else gradients cancel to the rounding
		copy(p.value.Data, randomMatrix(p.value.Rows, p.value.Cols, 1, rnd).Data)
	}
	return []taking{
		{a.autoencoder, a.draw(a.n, source(2))},
		{a.discriminate, append(a.draw(a.n, source(3)), normal(a.n, a.width, source(4)))},
		{a.generate, a.draw(a.n, source(5))},
	}
}

func galaSteps(_ testing.TB, tr *trainer, g *graph.Graph, f fitter) []taking {
	_, update := f.(gala).model(tr, g)
	return []taking{{update, nil}}
}

// TestPlaces compares each kind of step of graphCode with the weights on the device, where all of the
// step is graph code, with the same step with the weights on the host: the losses to 1e-5, and the first
// moments after the step, which are a tenth of the gradients, to 1e-4 of the largest. On the device, X
// is once a dense matrix and once a sparse one, and no sum is a scatter, whose order is not fixed.
func TestPlaces(t *testing.T) {
	g := planted(t, 300)
	before := mostDense
	defer func() { mostDense = before }()
	for _, c := range graphCode {
		m := asMethod(c.fitter)
		host := trainerOn(t, m, g, choices(t)[0], false)
		var want []float64
		for _, s := range c.steps(t, host, g, c.fitter) {
			want = append(want, testutil.Value(s.kind.take(t.Context(), s.inputs...)).OrFatal(t))
		}
		for _, choice := range choices(t) {
			for _, mostDense = range []int{before, 0} { // X is dense, and with 0 sparse
				takesLong := choice.Name != backend.Go && (c.isLong || mostDense > 0)
				if takesLong && !testutil.IsLong() {
					continue
				}
				name := fmt.Sprintf("%s %+v on %s, %d", m.Name(), c.fitter, choice.Name, mostDense)
				tr := trainerOn(t, m, g, choice, true)
				for k, s := range c.steps(t, tr, g, c.fitter) {
					var code *Graph // of the step's program, kept when it is made
					kindGraph := s.kind.graph
					s.kind.graph = func(v *nodes) (z, scalar *Node) {
						code = v.arguments[0].Graph()
						return kindGraph(v)
					}
					got := testutil.Value(s.kind.take(t.Context(), s.inputs...)).OrFatal(t)
					if !scalar.EqualWithinRel(got, want[k], 1e-5) {
						t.Errorf("%s, step %d: loss %v, want %v", name, k, got, want[k])
					}
					if slices.ContainsFunc(code.Nodes(), func(n *Node) bool { return n.Type() == NodeTypeScatterSum }) {
						t.Errorf("%s, step %d: sums by a scatter", name, k)
					}
				}
				testutil.NoError(t, tr.fetch())
				for k, s := range tr.steps {
					for l, p := range s.parameters {
						want := linalg.Float64(host.steps[k].parameters[l].first)
						wantMatrix(t, fmt.Sprintf("%s: gradient %d of step %d", name, l, k), p.first, want, 1e-4)
					}
				}
			}
		}
	}
}

// TestTransfers: with the weights on the device, a step after the first is one execution. At most three
// arrays are sent for it, and without random inputs only the 8 bytes of Adam's two rates. One number of 8
// bytes is fetched, the loss. The device counts them.
func TestTransfers(t *testing.T) {
	g := planted(t, 300)
	for _, c := range graphCode {
		m := asMethod(c.fitter)
		var counts device.Counts
		stop := device.Count(&counts) // on devices that are opened until stop
		tr := trainerOn(t, m, g, choices(t)[0], true)
		stop()
		for k, s := range c.steps(t, tr, g, c.fitter) {
			testutil.Value(s.kind.take(t.Context(), s.inputs...)).OrFatal(t) // the first step also sends the weights
			counts = device.Counts{}
			testutil.Value(s.kind.take(t.Context(), s.inputs...)).OrFatal(t)
			name := fmt.Sprintf("%s %+v, step %d", m.Name(), c.fitter, k)
			if counts.Executions != 1 {
				t.Errorf("%s: %+v, want one execution", name, counts)
			}
			if counts.Sends < 1 || counts.Sends > 3 {
				t.Errorf("%s: %+v, want one to three sends", name, counts)
			}
			if counts.Fetches != 1 || counts.FetchedBytes != 8 {
				t.Errorf("%s: %+v, want one fetch of 8 bytes", name, counts)
			}
			if len(s.inputs) == 0 && counts.SentBytes != 8 {
				t.Errorf("%s: %d bytes sent, want Adam's two rates", name, counts.SentBytes)
			}
		}
	}
}

// TestFitOnDevice compares trainings of a few epochs with the weights on the device with those on the
// host: the losses to 1e-5, and the embedding to 1 % of its largest entry.
func TestFitOnDevice(t *testing.T) {
	g := planted(t, 120)
	choice := choices(t)[0]
	for _, m := range []Method{
		asMethod(gae{Epochs: 5, Sample: 80}), asMethod(gae{Epochs: 5, Layers: 3, disentangled: true}), asMethod(vgae{Epochs: 5}),
		asMethod(arga{Epochs: 5, Published: true}), asMethod(arga{Epochs: 5, variational: true}), asMethod(daegc{Epochs: 6, Pretraining: 3, Hidden: 32}),
		asMethod(ns4gc{Epochs: 5, Widths: []int{20, 10}}), asMethod(dgi{Epochs: 5, Dims: 20, LearningRate: 0.01}), asMethod(gala{Epochs: 5, Hidden: 40, Dims: 20}),
		asMethod(lsrx{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Epochs: 5, Dims: 70}),
	} {
		run := func(resident bool) (z blas32.General, losses []float64) {
			setResident(t, resident)
			out := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 4, Seed: 1, Backend: choice, Running: encoder.Running{Progress: func(e encoder.Event) { losses = append(losses, e.Loss) }}})).OrFatal(t)
			return out.Embedding, losses
		}
		want, host := run(false)
		got, device := run(true)
		if !slices.EqualFunc(device, host, func(a, b float64) bool { return scalar.EqualWithinRel(a, b, 1e-5) }) {
			t.Errorf("%s: losses %v, on the host %v", m.Name(), device, host)
		}
		wantMatrix(t, m.Name(), got, linalg.Float64(want), 0.01)
	}
}

// TestDeviceFails, with the weights on the device: a loss that is no number is an error that names the
// epoch. A training that does not fit into the device's memory is an error that says so. After a step that
// failed, fetch returns an error that the weights are lost, so that no checkpoint has them, and each
// further step returns the error of the one that failed.
func TestDeviceFails(t *testing.T) {
	setResident(t, true)
	g := planted(t, 90)
	_, err := asMethod(vgae{Epochs: 40, LearningRate: 1e30}).Fit(t.Context(), g, Options{Seed: 1})
	testutil.Fails(t, err, "the loss is")
	testutil.Fails(t, err, "epoch 2: ")
	t.Run("memory", func(t *testing.T) {
		t.Setenv("AGEKIT_DEVICE_MEMORY", "100kB")
		testutil.Value(asMethod(vgae{}).Fit(t.Context(), g, Options{Seed: 1})).Fails(t, "only 100 kB is available")
	})
	tr := trainerOn(t, asMethod(vgae{}), g, choices(t)[0], true)
	_, update := filled(vgae{}).model(tr, g)
	noise := normal(g.N(), 16, source(1))
	testutil.Value(update.take(t.Context(), noise)).OrFatal(t)
	// Another program in place of the step's, which fails.
	update.update = tr.device.Program(func([]*Node) []*Node { panic(errors.New("RESOURCE_EXHAUSTED: out of memory")) })
	testutil.Value(update.take(t.Context(), noise)).Fails(t, lessMemory)
	testutil.Fails(t, tr.fetch(), "lost")
	testutil.Value(update.take(t.Context(), noise)).Fails(t, lessMemory)
}

// runCode returns the results of graph code on a backend. build gets a node for each of args, which are
// matrices or what a program takes.
func runCode(t *testing.T, c backend.Choice, build func(inputs []*Node) []*Node, args ...any) []*tensors.Tensor {
	t.Helper()
	d := testutil.Value(device.Open(c, device.Need{})).OrFatal(t)
	t.Cleanup(d.Close)
	for k, a := range args {
		if m, ok := a.(blas32.General); ok {
			args[k] = device.Matrix(m)
		}
	}
	return testutil.Value(d.Program(build).Call(args...)).OrFatal(t)
}

// TestPairSums compares the sum of softplus(zᵢ·cⱼ) and its two gradients with those of n×m matrices in
// float64, to 1e-5: for tiles of one row, of all rows, and of numbers of rows with which the last tile
// is full or not.
func TestPairSums(t *testing.T) {
	const n, m, d = 37, 23, 5
	rnd := source(1)
	z, c := randomMatrix(n, d, 1, rnd), randomMatrix(m, d, 1, rnd)
	z64, c64 := linalg.Float64(z), linalg.Float64(c)
	var s, gradient, other mat.Dense
	s.Mul(z64, c64.T())
	sum := 0.0
	s.Apply(func(_, _ int, s float64) float64 {
		sum += math.Log1p(math.Exp(s))
		return 1 / (1 + math.Exp(-s))
	}, &s)
	gradient.Mul(&s, c64)
	other.Mul(s.T(), z64)
	for _, choice := range choices(t) {
		for _, rows := range []int{1, 10, 19, n} {
			out := runCode(t, choice, func(inputs []*Node) []*Node {
				sum, gradient, other := pairSums(inputs[0], inputs[1], rows, true, softplus)
				return []*Node{sum, gradient, other}
			}, z, c)
			if got := tensors.ToScalar[float64](out[0]); !scalar.EqualWithinRel(got, sum, 1e-5) {
				t.Errorf("%s, %d rows: sum %v, want %v", choice.Name, rows, got, sum)
			}
			wantMatrix(t, fmt.Sprintf("%s, %d rows: gradient", choice.Name, rows), testutil.Value(received(out[1])).OrFatal(t), &gradient, 1e-5)
			wantMatrix(t, fmt.Sprintf("%s, %d rows: other gradient", choice.Name, rows), testutil.Value(received(out[2])).OrFatal(t), &other, 1e-5)
		}
	}
}

// TestSumsInOrder compares the sums of ends with lists, in a fixed order, and their gradients with
// those of ends without lists, which are scatters, to 1e-5; and in the same way spreads with gathers.
// The numbers of terms of an index are 0, those around what one list has room for (16), and those
// around and above what a list of lists has room for (256), which needs three levels.
func TestSumsInOrder(t *testing.T) {
	const count, d = 9, 3 // indices, and columns of the terms
	rnd := source(1)
	var index []int32 // of each term
	for i, terms := range []int{0, 1, 15, 16, 17, 255, 300, 0, 5} {
		for range terms {
			index = append(index, int32(i))
		}
	}
	shuffled := slices.Clone(index)
	rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	terms, y := randomMatrix(len(index), d, 1, rnd), randomMatrix(count, d, 1, rnd)
	for name, index := range map[string][]int32{"sorted": index, "shuffled": shuffled} {
		tr := trainerOn(t, asMethod(gae{}), twelve(t), choices(t)[0], true)
		ordered := tr.ends(index, count, name == "sorted")
		if len(ordered.lists) != 3 {
			t.Fatalf("%s: %d levels, want 3", name, len(ordered.lists))
		}
		p := tr.program(func(v *nodes) []*Node {
			terms, y := v.input(0), v.input(1)
			// results returns the gradients of a scalar made of both results, and the results.
			results := func(e ends) []*Node {
				sum, spread := e.sum(v, terms), e.spread(v, y)
				total := Add(ReduceAllSum(Mul(Square(sum), y)), ReduceAllSum(Mul(Square(spread), terms)))
				return append(Gradient(total, terms, y), sum, spread)
			}
			plain := ordered
			plain.lists = nil
			return append(results(ordered), results(plain)...)
		})
		out := testutil.Value(tr.call(p, terms, y)).OrFatal(t)
		names := []string{"gradient of terms", "gradient of rows", "sums", "spread rows"}
		for k, what := range names { // of ordered, and then of plain
			got := testutil.Value(received(out[k])).OrFatal(t)
			want := testutil.Value(received(out[len(names)+k])).OrFatal(t)
			wantMatrix(t, name+": "+what, got, linalg.Float64(want), 1e-5)
		}
	}
}
