package baseline

import (
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/linalg"
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
	layers    map[weight]views // see firstLayer
	steps     []*step
	patience  int // epochs without a lower loss that end a training; 0: none
	lowest    lowest
	o         Options
	key       files.Key // of the checkpoints
	unsaved   bool      // the last checkpoint could not be written
	// fetch copies weights and moments here from a model that holds them elsewhere.
	fetch func() error
}

// checkpointEvery is the least time between two checkpoints. Tests shorten it.
var checkpointEvery = 5 * time.Second

// lessMemory says what to do when a training does not fit.
const lessMemory = "use a smaller graph or a narrower network"

// newTrainer opens the backend for a training that takes about the given number of
// bytes. The native backend means GoMLX's pure Go backend.
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
		backend: backend, layers: map[weight]views{}, o: o, fetch: func() error { return nil },
		key: files.NewKey("baseline checkpoint", Version, g, o, backend),
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

func (t *trainer) matrix(m blas32.General) constant { return t.keep(device.Matrix(m)) }

func (t *trainer) keep(c *tensors.Tensor) constant {
	t.constants = append(t.constants, c)
	return constant(len(t.constants) - 1)
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
		for j, v := range a.Each(i) {
			rows, cols, values = append(rows, int32(i)), append(cols, int32(j)), append(values, v)
		}
	}
	return sparse{
		rows:   t.keep(tensors.FromFlatDataAndDimensions(rows, len(rows), 1)),
		cols:   t.keep(tensors.FromFlatDataAndDimensions(cols, len(cols), 1)),
		values: t.keep(tensors.FromFlatDataAndDimensions(values, len(values), 1)),
		height: a.Rows, width: a.Cols,
	}
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

// glorot adds a trained matrix with Glorot's initial values.
func (t *trainer) glorot(in, out int, rnd *rand.Rand) weight { return t.weight(glorot(in, out, rnd)) }

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

// views is the first layer of a network on several versions of a graph: the linear map
// of weights W to the matrices
//
//	FₖX(mₖ∘W),
//
// one below the other. The filter Fₖ is the version's own, and a feature is
// missing where mₖ is 0. The host computes it, because X and F are sparse. As
// trainer.layers[w], its value at W is what graph code gets as the weight W.
type views struct {
	x       features
	filters []*graph.CSR
	kept    [][]float32 // m; nil: ones
}

func (l views) mul(w blas32.General) blas32.General {
	n := l.x.n
	xw, y := linalg.New(n, w.Cols), linalg.New(len(l.filters)*n, w.Cols)
	for k, filter := range l.filters {
		l.x.mul(xw, l.masked(k, w))
		mulSparse(linalg.RowRange(y, k*n, n), filter, xw)
	}
	return y
}

// mulT sets dst to the gradient with respect to W, given that with respect to the value.
func (l views) mulT(dst, g blas32.General) {
	n := l.x.n
	filtered, part := linalg.New(n, g.Cols), linalg.New(dst.Rows, dst.Cols)
	clear(dst.Data)
	for k, filter := range l.filters {
		mulSparse(filtered, filter.Transpose(), linalg.RowRange(g, k*n, n))
		l.x.mulT(part, filtered)
		addScaled(dst, l.masked(k, part), 1)
	}
}

// masked returns mₖ∘W.
func (l views) masked(k int, w blas32.General) blas32.General {
	if l.kept == nil {
		return w
	}
	masked := linalg.New(w.Rows, w.Cols)
	eachRow(masked, func(r []float32, j int) {
		if l.kept[k][j] != 0 {
			copy(r, linalg.Row(w, j))
		}
	})
	return masked
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
	m := linalg.New(t.Shape().Dim(0), t.Shape().Dim(1))
	if err := device.CopyRows(m, t); err != nil {
		return m, err
	}
	return m, t.FinalizeAll()
}
