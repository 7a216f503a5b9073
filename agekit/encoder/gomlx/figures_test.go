package gomlx

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agekit/age/agekit/backend"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
	mlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// These are the measurements of docs/gpu.md for one device, not tests: each appends a line of
// JSON per figure to the file that AGEKIT_FIGURES names, as soon as it is measured.

// figures measures on one backend and writes what it measures to a file.
type figures struct {
	t      *testing.T
	choice backend.Choice
	quick  bool // measures little, to test the measurements
	file   *os.File
}

// newFigures returns the measurements on the last of the backends, XLA's if there is one. The test
// is skipped unless AGEKIT_FIGURES names a file. AGEKIT_QUICK asks for quick ones.
func newFigures(t *testing.T) *figures {
	t.Helper()
	name := os.Getenv("AGEKIT_FIGURES")
	if name == "" {
		t.Skip("measures only if AGEKIT_FIGURES names a file")
	}
	all := choices(t)
	f := &figures{t: t, choice: all[len(all)-1], quick: os.Getenv("AGEKIT_QUICK") != ""}
	f.file = testutil.Value(os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)).OrFatal(t)
	t.Cleanup(func() { f.file.Close() })
	return f
}

// write appends a figure.
func (f *figures) write(what string, value any, unit string) {
	line := testutil.Value(json.Marshal(map[string]any{"figure": what, "value": value, "unit": unit, "backend": f.choice.Name})).OrFatal(f.t)
	fmt.Fprintf(f.file, "%s\n", line)
	f.t.Logf("%s: %v %s", what, value, unit)
}

// least calls run that many times and writes the least and the median milliseconds of a call,
// divided by the number of equal parts that a call has, such as steps.
func (f *figures) least(what string, calls, parts int, run func()) {
	var took []float64
	for range calls {
		start := time.Now()
		run()
		took = append(took, time.Since(start).Seconds()*1e3/float64(parts))
	}
	slices.Sort(took)
	f.write(what, took[0], "ms")
	f.write(what+", median", took[len(took)/2], "ms")
}

// shape is a data set's size.
type shape struct {
	name            string
	n, f, positives int // nodes, features, and positive pairs of the first selection
}

// shapes returns the sizes of Cora and Pubmed, or a small one if the measurements are quick.
func (f *figures) shapes() []shape {
	if f.quick {
		return []shape{{name: "300 nodes", n: 300, f: 100, positives: 900}}
	}
	return []shape{
		{name: "Cora", n: 2708, f: 1433, positives: 80_666},
		{name: "Pubmed", n: 19_717, f: 500, positives: 427_639},
	}
}

// TestFigureCalls measures what every call costs: opening the backend, sending and fetching
// numbers, and executions that compute next to nothing, with few and many arguments.
func TestFigureCalls(t *testing.T) {
	f := newFigures(t)
	start := time.Now()
	d := testutil.Value(on.Open(f.choice, on.Need{What: "figures"})).OrFatal(t)
	defer d.Close()
	f.write("opening the backend", time.Since(start).Seconds(), "s")
	for _, size := range []int{1, 20_000, 180_000, 17_000_000} {
		if f.quick && size > 20_000 {
			break
		}
		numbers := make([]float32, size)
		var sent *tensors.Tensor
		const calls, whole = 7, 1
		f.least(fmt.Sprintf("sending %d bytes", 4*size), calls, whole, func() {
			if sent != nil {
				sent.MustFinalizeAll()
			}
			sent = testutil.Value(on.Send(d, numbers, size)).OrFatal(t)
		})
		f.least(fmt.Sprintf("fetching %d bytes", 4*size), calls, whole, func() {
			sent.MustConstFlatData(func(any) {})
			sent.FinalizeLocal() // so that the next call fetches again
		})
		sent.MustFinalizeAll()
	}
	for _, arguments := range []int{1, 17, 100} {
		p := d.Program(func(inputs []*mlx.Node) []*mlx.Node { return []*mlx.Node{mlx.AddScalar(inputs[0], 1)} })
		var args []any
		for range arguments {
			args = append(args, testutil.Value(on.Send(d, []float32{1}, 1)).OrFatal(t))
		}
		testutil.Value(p.Call(args...)).OrFatal(t)
		f.least(fmt.Sprintf("an execution with %d arguments", arguments), 50, 1, func() {
			testutil.Value(p.Call(args...)).OrFatal(t)[0].MustFinalizeAll()
		})
	}
}

// TestFigureSteps measures a training step, for executions of one, five and all steps of an epoch
// and for both ways to add up the terms of pairs. It also writes whether all these trainings have
// the same bytes, and how long the first step and an embedding take.
func TestFigureSteps(t *testing.T) {
	const d = 500
	f := newFigures(t)
	for _, s := range f.shapes() {
		rnd := rand.New(rand.NewPCG(1, 2))
		input, start := &Input{Smoothed: modeltest.RandomRows(s.n, s.f, 1)}, InitialState(s.f, d, rnd)
		most := 2 * min(10_000, s.positives)          // pairs of a batch
		capacity := (2*s.positives + most - 1) / most // steps of an epoch
		var batches []Batch
		for range capacity {
			batches = append(batches, randomBatch(s.n, most, rnd))
		}
		for _, sums := range []struct {
			name string
			gpu  bool
		}{{"integers", true}, {"pieces", false}} {
			var first *State
			same := true
			began := time.Now()
			m := testutil.Value(gomlxBackend{choice: f.choice, gpu: sums.gpu}.NewModel(input, start, Steps{Loss: Probability, LearningRate: 0.001, Pairs: most, Epoch: capacity})).OrFatal(t).(*model)
			testutil.Value(Step(m, batches[0])).OrFatal(t)
			f.write(fmt.Sprintf("%s, %s: a model with its first step", s.name, sums.name), time.Since(began).Seconds(), "s")
			for _, atOnce := range []int{1, 5, capacity} {
				f.least(fmt.Sprintf("%s, %s: a step, %d at once", s.name, sums.name, atOnce), 3, len(batches), func() {
					testutil.NoError(t, m.send(start))
					m.steps, m.atOnce, m.loops = 0, atOnce, atOnce > 1
					testutil.NoError(t, m.Train(inTurn(batches), func([]float64) error {
						m.atOnce = atOnce
						return nil
					}))
					state := testutil.Value(m.State()).OrFatal(t)
					if first == nil {
						first = state
					}
					same = same && slices.Equal(state.Weights.W.Data, first.Weights.W.Data)
				})
			}
			f.write(fmt.Sprintf("%s, %s: the same bytes", s.name, sums.name), same, "")
			z := linalg.New(s.n, d)
			testutil.NoError(t, m.EmbedTo(t.Context(), z, start.Weights))
			f.least(fmt.Sprintf("%s, %s: embedding, fetched", s.name, sums.name), 5, 1, func() {
				testutil.NoError(t, m.EmbedTo(t.Context(), z, start.Weights))
			})
			m.Close()
		}
	}
}

// TestFigureSelection measures a selection on the device and on the host, and writes how many
// positive pairs of the device's selection the host's does not have.
func TestFigureSelection(t *testing.T) {
	const d = 500
	f := newFigures(t)
	for _, s := range f.shapes() {
		rnd := rand.New(rand.NewPCG(1, 2))
		input, start := &Input{Smoothed: modeltest.RandomRows(s.n, s.f, 1)}, InitialState(s.f, d, rnd)
		positives, negatives := float64(s.positives)/float64(s.n)/float64(s.n), 0.5 // fractions of all pairs
		o := pairs.Options{Draws: min(10*s.positives, 1<<23), Key: 1}
		_, count := pairs.Counts(s.n, positives, negatives)
		steps := Steps{Loss: Probability, LearningRate: 0.001, Pairs: 20_000, Positives: s.positives + 1, Candidates: pairs.Candidates(s.n, count, o.Draws)}
		m := testutil.Value(gomlxBackend{choice: f.choice, gpu: true}.NewModel(input, start, steps)).OrFatal(t).(*model)
		z := linalg.New(s.n, d)
		testutil.NoError(t, m.EmbedTo(t.Context(), z, start.Weights))
		var device, host *pairs.Selection
		choose := func() { device = testutil.Value(m.Select(t.Context(), z, positives, negatives, o)).OrFatal(t) }
		began := time.Now()
		choose()
		f.write(s.name+": the first selection", time.Since(began).Seconds(), "s")
		f.least(s.name+": a selection on the device", 5, 1, choose)
		f.least(s.name+": a selection on the host", 3, 1, func() {
			host = testutil.Value(pairs.Select(t.Context(), z, positives, negatives, o)).OrFatal(t)
		})
		listed := map[[2]int32]bool{} // by the host
		for k := range host.I {
			listed[[2]int32{host.I[k], host.J[k]}] = true
		}
		differ := 0
		for k := range device.I {
			if !listed[[2]int32{device.I[k], device.J[k]}] {
				differ++
			}
		}
		f.write(s.name+": positives that differ from the host's", differ, "pairs")
		m.Close()
	}
}

// TestFigureParts measures the parts of a step, each repeated in a program of its own by a loop
// that feeds a little of its result back.
func TestFigureParts(t *testing.T) {
	f := newFigures(t)
	const d, repeats = 500, 20
	for _, s := range f.shapes() {
		rnd := rand.New(rand.NewPCG(1, 2))
		dev := testutil.Value(on.Open(f.choice, on.Need{What: "figures"})).OrFatal(t)
		send := func(rows, cols int, seed uint64) *tensors.Tensor {
			return testutil.Value(dev.SendMatrix(modeltest.RandomRows(rows, cols, seed))).OrFatal(t)
		}
		x, w, z := send(s.n, s.f, 1), send(s.f, d, 2), send(s.n, d, 3)
		bias := testutil.Value(on.Send(dev, make([]float32, d), d)).OrFatal(t)
		batch := randomBatch(s.n, min(20_000, 2*s.positives), rnd)
		lists := func(sums pairSums) (all []any) {
			flat := buffers(sums.lists(), 1)
			sums.fill(flat, batch)
			for k, list := range sums.lists() {
				all = append(all, testutil.Value(sendFlat(dev, flat[k], list.Dimensions)).OrFatal(t))
			}
			return all
		}
		// part measures run, which is called with the first argument and the others in a loop.
		part := func(name string, run func(first *mlx.Node, rest []*mlx.Node) *mlx.Node, args ...any) {
			p := dev.Program(func(inputs []*mlx.Node) []*mlx.Node {
				g := inputs[0].Graph()
				initial := append([]*mlx.Node{mlx.Const(g, int32(0))}, inputs...)
				state := func(g *mlx.Graph) (all []*mlx.Node) {
					for k, node := range initial {
						all = append(all, mlx.Parameter(g, fmt.Sprint("state ", k), node.Shape()))
					}
					return all
				}
				more := mlx.NewClosure(g, func(g *mlx.Graph) []*mlx.Node {
					return []*mlx.Node{mlx.LessThan(state(g)[0], mlx.Const(g, int32(repeats)))}
				})
				body := mlx.NewClosure(g, func(g *mlx.Graph) []*mlx.Node {
					now := state(g)
					out := run(now[1], now[2:])
					// A number that depends on all of the result goes into the next input.
					small := mlx.MulScalar(mlx.ReduceAllMax(out), 1e-9)
					return append([]*mlx.Node{mlx.AddScalar(now[0], 1), mlx.Add(now[1], small)}, now[2:]...)
				})
				return mlx.While(more, body, initial...)[1:2]
			})
			call := func() {
				out := testutil.Value(p.Call(args...)).OrFatal(t)
				testutil.Value(tensors.CopyFlatData[float32](out[0])).OrFatal(t)
				out[0].MustFinalizeAll()
			}
			call()
			f.least(s.name+", "+name, 5, repeats, call)
		}
		part("nothing but the loop", func(first *mlx.Node, _ []*mlx.Node) *mlx.Node { return first }, w)
		part("X̃W", func(w *mlx.Node, rest []*mlx.Node) *mlx.Node { return mlx.Dot(rest[0], w).Product() }, w, x)
		part("encode", func(w *mlx.Node, rest []*mlx.Node) *mlx.Node { return encode(rest[0], w, rest[1]) }, w, x, bias)
		part("X̃ᵗdZ", func(z *mlx.Node, rest []*mlx.Node) *mlx.Node {
			return mlx.Dot(mlx.Transpose(rest[0], 0, 1), z).Product()
		}, z, x)
		for _, parts := range []int{4, 16} {
			part(fmt.Sprintf("X̃ᵗdZ in %d parts", parts), func(z *mlx.Node, rest []*mlx.Node) *mlx.Node {
				rows := s.n / parts
				cut := func(a *mlx.Node) *mlx.Node {
					return mlx.Reshape(mlx.Slice(a, mlx.AxisRange(0, parts*rows)), parts, rows, a.Shape().Dim(1))
				}
				return mlx.ReduceSum(mlx.Einsum("prf,prd->pfd", cut(rest[0]), cut(z)), 0)
			}, z, x)
		}
		for name, sums := range map[string]pairSums{"integers": newFixedSums(len(batch.I)), "pieces": newPieceSums(s.n, len(batch.I))} {
			args := append([]any{z}, lists(sums)...)
			part("similarities and loss, "+name, func(z *mlx.Node, rest []*mlx.Node) *mlx.Node {
				i, j, labels, weights := sums.ends(rest)
				return crossEntropy(Probability, similarities(z, i, j), labels, weights, mlx.Const(z.Graph(), float32(20000)))
			}, args...)
			part("sum over pairs, "+name, func(z *mlx.Node, rest []*mlx.Node) *mlx.Node {
				_, _, labels, _ := sums.ends(rest)
				return sums.sum(Probability, z, labels, rest)
			}, args...)
		}
		part("Adam", func(w *mlx.Node, rest []*mlx.Node) *mlx.Node {
			rate := mlx.Const(w.Graph(), float32(0.001))
			out, m, v := on.AdamStep(w, rest[0], rest[1], rest[2], rate, rate)
			return mlx.Add(mlx.Add(out, m), v)
		}, w, w, w, w)
		dev.Close()
	}
}
