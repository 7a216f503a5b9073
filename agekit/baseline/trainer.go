package baseline

import (
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/units"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// trainer trains a model that is written as GoMLX graph code. The constants are
// on a GoMLX backend. The weights and the state of their optimizers are on the
// host, from where each step sends them.
type trainer struct {
	backend   string
	device    *device.Device
	constants []*tensors.Tensor
	weights   []blas32.General
	layers    map[weight]linear
	steps     []*step
	patience  int // epochs without a lower loss that end a training; 0: none
	lowest    lowest
	o         Options
	key       store.Key // of the checkpoints
	unsaved   bool      // the last checkpoint could not be written
	// fetch copies weights and moments here from a model that holds them
	// elsewhere. Nil: they are here.
	fetch func() error
}

// checkpointEvery is the least time between two checkpoints. Tests shorten it.
var checkpointEvery = 5 * time.Second

// lessMemory says what to do when a training does not fit.
const lessMemory = "use a smaller graph or a narrower network"

// newTrainer opens the backend. The training takes about the given number of bytes. A native backend means GoMLX's pure Go backend.
func newTrainer(g *graph.Graph, o Options, bytes int64) (*trainer, error) {
	choice := o.Backend
	if choice.Name == "" || choice.Name == backend.Native {
		var err error
		if choice, err = backend.Resolve(backend.Go); err != nil {
			return nil, err
		}
	}
	d, err := device.Open(choice, device.Need{What: "training", Bytes: bytes, Less: lessMemory})
	if err != nil {
		return nil, err
	}
	t := newHostTrainer(g, o, choice.Name)
	t.device = d
	return t, nil
}

// layerBytes is about the memory of a first layer: its weights, their gradient and
// the two moments, and what is in use in a step.
func layerBytes(g *graph.Graph, width int) int64 {
	_, f := g.Features.Dims()
	return 6 * device.Floats(f, width)
}

// newHostTrainer returns a trainer without a device, for steps that the method
// computes itself. It must not be closed.
func newHostTrainer(g *graph.Graph, o Options, backend string) *trainer {
	return &trainer{
		backend: backend, layers: map[weight]linear{}, o: o,
		key: store.NewKey("baseline checkpoint", 1, o.method.Name(), o.method, g.Fingerprint(), o.Seed, backend),
	}
}

func (t *trainer) close() {
	for _, c := range t.constants {
		c.MustFinalizeAll()
	}
	t.device.Close()
}

// constant is a tensor that does not change, as an index.
type constant int

// matrix returns a matrix as a constant.
func (t *trainer) matrix(m blas32.General) constant { return t.keep(device.Matrix(m)) }

func (t *trainer) keep(c *tensors.Tensor) constant {
	t.constants = append(t.constants, c)
	return constant(len(t.constants) - 1)
}

// features returns X, n×f, divided by its unit (units.Of).
func (t *trainer) features(x graph.Features) constant {
	return t.matrix(units.Normalized(x).ToDense())
}

// sparse is a constant sparse matrix, of which each entry has a row, a column and
// a value. Entries are in the order of their rows.
type sparse struct {
	rows, cols    constant // [entries, 1]
	values        constant // [entries, 1]
	height, width int
}

func (t *trainer) sparse(a *graph.CSR) sparse {
	rows, cols, values := make([]int32, 0, a.NNZ()), make([]int32, 0, a.NNZ()), make([]float32, 0, a.NNZ())
	for i := range a.Rows {
		indices, of := a.Row(i)
		for p, j := range indices {
			rows, cols = append(rows, int32(i)), append(cols, j)
			if of == nil {
				values = append(values, 1)
			} else {
				values = append(values, of[p])
			}
		}
	}
	column := func(flat any) constant {
		switch flat := flat.(type) {
		case []int32:
			return t.keep(tensors.FromFlatDataAndDimensions(flat, len(flat), 1))
		default:
			return t.keep(tensors.FromFlatDataAndDimensions(flat.([]float32), len(values), 1))
		}
	}
	return sparse{column(rows), column(cols), column(values), a.Rows, a.Cols}
}

// times returns a·y.
//
//	y: [width, d] → [height, d]
func (a sparse) times(v *nodes, y *Node) *Node { return a.timesWith(v, v.constant(a.values), y) }

// timesWith returns a·y with other values of a's entries.
//
//	values: [entries, 1], y: [width, d] → [height, d]
func (a sparse) timesWith(v *nodes, values, y *Node) *Node {
	return a.sum(v, Mul(Gather(y, v.constant(a.cols)), values))
}

// sum adds up the terms of the entries of each row.
//
//	terms: [entries, d] → [height, d]
func (a sparse) sum(v *nodes, terms *Node) *Node {
	return Scatter(v.constant(a.rows), terms, shapes.Make(terms.DType(), a.height, terms.Shape().Dim(1)), true, false)
}

// weight is a matrix that is trained, as an index.
type weight int

// weight adds a trained matrix with initial values.
func (t *trainer) weight(initial blas32.General) weight {
	t.weights = append(t.weights, initial)
	return weight(len(t.weights) - 1)
}

// set replaces the value of a trained matrix. Between two steps it makes no
// difference to a training that is stopped and goes on if it is set to the same
// value again.
func (t *trainer) set(w weight, value blas32.General) {
	eachRow(t.weights[w], func(r []float32, i int) { copy(r, value.Data[i*value.Stride:][:value.Cols]) })
}

// glorot adds a trained matrix with entries drawn uniformly from ±√(6/(in+out))
// (Glorot and Bengio 2010).
func (t *trainer) glorot(in, out int, rnd *rand.Rand) weight {
	return t.weight(newParameter(in, out, rnd).value)
}

// linear is a linear map that the host computes. As trainer.layers[w], what graph
// code gets as the weight W is the map's value at W, of any shape.
type linear interface {
	mul(w blas32.General) blas32.General
	// mulT sets dst to the gradient with respect to W, given the gradient with
	// respect to the value.
	mulT(dst, gradient blas32.General)
}

// firstLayer adds the weights W of a network's first layer, with Glorot's initial
// values. What graph code gets as the weight is FXW. The host computes it, because X
// and F are sparse, and turns its gradient into that of W. X needs no place on the
// device.
func (t *trainer) firstLayer(x graph.Features, filter *graph.CSR, width int, rnd *rand.Rand) weight {
	_, f := x.Dims()
	w := t.glorot(f, width, rnd)
	t.layers[w] = views{x: newFeatures(x), filters: []*graph.CSR{filter}}
	return w
}

// all returns all weights so far.
func (t *trainer) all() []weight {
	var all []weight
	for w := range t.weights {
		all = append(all, weight(w))
	}
	return all
}

// nodes are the values that graph code computes with.
type nodes struct {
	all                []*Node // constants, weights, inputs
	constants, weights int     // their numbers
}

func (v *nodes) constant(c constant) *Node { return v.all[c] }
func (v *nodes) weight(w weight) *Node     { return v.all[v.constants+int(w)] }

// input returns an argument of the call, counted from 0.
func (v *nodes) input(i int) *Node { return v.all[v.constants+v.weights+i] }

// program compiles graph code. All constants and weights must exist.
func (t *trainer) program(build func(v *nodes) []*Node) *device.Program {
	return t.device.Program(func(in []*Node) []*Node { return build(&nodes{in, len(t.constants), len(t.weights)}) })
}

// call runs a program. Inputs are matrices, slices or numbers.
func (t *trainer) call(p *device.Program, inputs ...any) (out []*tensors.Tensor, err error) {
	defer func() {
		if r := device.Recovered(recover()); r != nil {
			out, err = nil, device.Error("training", lessMemory, r)
		}
	}()
	var args []any
	for _, c := range t.constants {
		args = append(args, c)
	}
	var sent []*tensors.Tensor
	send := func(m blas32.General) {
		s := device.Matrix(m)
		sent, args = append(sent, s), append(args, s)
	}
	for k, w := range t.weights {
		if l, ok := t.layers[weight(k)]; ok {
			w = l.mul(w)
		}
		send(w)
	}
	for _, in := range inputs {
		if m, ok := in.(blas32.General); ok {
			send(m)
		} else {
			args = append(args, in)
		}
	}
	out, err = p.Call(args...)
	for _, s := range sent {
		s.MustFinalizeAll()
	}
	if err != nil {
		return nil, device.Error("training", lessMemory, err)
	}
	return out, nil
}

// evaluate returns the value of graph code, a matrix.
func (t *trainer) evaluate(build func(v *nodes) *Node, inputs ...any) (blas32.General, error) {
	p := t.program(func(v *nodes) []*Node { return []*Node{build(v)} })
	out, err := t.call(p, inputs...)
	if err != nil {
		return blas32.General{}, err
	}
	return received(out[0])
}

// received copies a tensor of two axes, and frees it.
func received(t *tensors.Tensor) (blas32.General, error) {
	m := dense.New(t.Shape().Dim(0), t.Shape().Dim(1))
	if err := device.CopyRows(m, t); err != nil {
		return m, err
	}
	return m, t.FinalizeAll()
}
