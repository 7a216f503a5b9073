package method

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// trainer trains a model that is written as GoMLX graph code. The constants are
// on a GoMLX backend; where the steps are computed is the place's matter.
type trainer struct {
	backend   string
	device    *device.Device
	place     place
	constants []*tensors.Tensor
	matrices  map[*graph.CSR]sparse // among the constants
	dense     map[any]constant      // features among the constants, by the address of their matrix
	weights   []blas32.General      // the place may have newer ones: see fetch
	layers    map[weight]inputLayer // see firstLayer
	steps     []*adamStep
	patience  int // epochs without a lower loss that end a training; 0: none
	lowest    lowest
	o         Options
	key       store.Key // of the checkpoints
	unsaved   bool      // the last checkpoint could not be written
	// fetch copies weights and moments here from where they are.
	fetch func() error
}

// place is where the weights and the state of their optimizers are, and where steps are
// computed: [onHost] or [onDevice]. Both compute the same function.
type place interface {
	// add sets a kind of step up.
	add(s *adamStep)
	// take takes a step and returns the loss before it.
	take(ctx context.Context, s *adamStep, inputs ...any) (float64, error)
	// arguments returns the weights as arguments of a program. What release frees may not
	// be used after the call.
	arguments() (weights []any, release func())
	// reload takes over the value of a weight that the trainer has changed.
	reload(w weight)
	// snapshot copies all weights before an epoch's steps. keepSnapshot makes the last copy the
	// weights of the lowest loss, and restoreSnapshot takes these as the weights.
	snapshot()
	keepSnapshot()
	restoreSnapshot()
	close()
}

// isResident reports whether graph code has all of a training's steps on a backend. To a GPU,
// nothing large is sent then. On a processor, with XLA as with GoMLX's Go backend, the host's
// own loops over all pairs and products with sparse matrices are faster
// (docs/performance.md). Tests replace it.
var isResident = backend.Choice.OnGPU

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
	resident := isResident(choice)
	if resident {
		bytes += residentBytes(g)
	}
	d, err := device.Open(choice, device.Need{What: "training", Bytes: bytes, Less: lessMemory})
	if err != nil {
		return nil, err
	}
	t := newHostTrainer(g, o, choice.Name)
	t.device = d
	if resident {
		t.place = &onDevice{t: t}
		t.fetch = t.place.(*onDevice).fetch
	}
	return t, nil
}

// isResident reports whether the weights are on the device.
func (t *trainer) isResident() bool {
	_, ok := t.place.(*onDevice)
	return ok
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
	t := &trainer{
		backend:  backend,
		matrices: map[*graph.CSR]sparse{},
		dense:    map[any]constant{},
		layers:   map[weight]inputLayer{},
		o:        o,
		fetch:    func() error { return nil },
		key:      store.NewKey("baseline checkpoint", Version, g, o, backend),
	}
	t.place = &onHost{t: t}
	return t
}

// close frees what the trainer has on its device.
func (t *trainer) close() {
	t.place.close()
	for _, c := range t.constants {
		c.MustFinalizeAll()
	}
	t.device.Close()
}

// constant is a tensor that does not change, as an index.
type constant int

func (t *trainer) matrix(m blas32.General) constant { return t.addConstant(device.Matrix(m)) }

func (t *trainer) addConstant(c *tensors.Tensor) constant {
	t.constants = append(t.constants, c)
	return constant(len(t.constants) - 1)
}

// weight is a matrix that is trained, as an index.
type weight int

// weight adds a trained matrix with initial values.
func (t *trainer) weight(initial blas32.General) weight {
	t.weights = append(t.weights, initial)
	return weight(len(t.weights) - 1)
}

// glorot adds a trained matrix with Glorot's initial values.
func (t *trainer) glorot(inputs, outputs int, rnd *rand.Rand) weight {
	return t.weight(glorot(inputs, outputs, rnd))
}

// inputLayer is the first layer of a network, as a function of its weights. What graph code gets
// as the weight is the function's value.
type inputLayer struct {
	views // on the host
	// code is the same as graph code.
	//
	//	w: [f, d] → [n, d] for each view, one below the other
	code func(v *nodes, w *Node) *Node
}

// firstLayer adds the weights W of a network's first layer, with Glorot's initial
// values. What graph code gets as the weight is FXW.
func (t *trainer) firstLayer(x graph.Features, filter *graph.CSR, width int, rnd *rand.Rand) weight {
	_, f := x.Dims()
	w := t.glorot(f, width, rnd)
	t.layers[w] = t.filtered(newFeatures(x), filter)
	return w
}

// filtered is the layer FXW. On the host, X needs no place on the device.
func (t *trainer) filtered(x features, filter *graph.CSR) inputLayer {
	l := inputLayer{views: views{x: x, filters: []*graph.CSR{filter}}}
	if t.isResident() {
		s, onDevice := t.sparse(filter), t.features(x)
		l.code = func(v *nodes, w *Node) *Node { return s.times(v, onDevice.times(v, w)) }
	}
	return l
}

// views is the first layer of a network on several versions of a graph: the linear map
// of weights W to the matrices
//
//	FₖX(mₖ∘W),
//
// one below the other. The filter Fₖ is the version's own, and a feature is
// missing where mₖ is 0. The host computes it, because X and F are sparse.
type views struct {
	x       features
	filters []*graph.CSR
	masks   [][]float32 // m; nil: ones
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
	if l.masks == nil {
		return w
	}
	masked := linalg.New(w.Rows, w.Cols)
	eachRow(masked, func(r []float32, j int) {
		if l.masks[k][j] != 0 {
			copy(r, linalg.Row(w, j))
		}
	})
	return masked
}

// allWeights returns all weights that the trainer has so far.
func (t *trainer) allWeights() []weight {
	var all []weight
	for w := range t.weights {
		all = append(all, weight(w))
	}
	return all
}

// nodes are the values that graph code computes with.
type nodes struct {
	arguments          []*Node // constants, weights, inputs
	constants, weights int     // their numbers
	layers             map[weight]inputLayer
	values             map[weight]*Node // of the layers
}

func (v *nodes) constant(c constant) *Node { return v.arguments[c] }

// weight returns a weight, or the value of the layer that it belongs to.
func (v *nodes) weight(w weight) *Node {
	l := v.layers[w]
	if l.code == nil { // the host has computed the layer
		return v.argument(w)
	}
	if v.values[w] == nil {
		v.values[w] = l.code(v, v.argument(w))
	}
	return v.values[w]
}

// argument returns what a program got for a weight.
func (v *nodes) argument(w weight) *Node { return v.arguments[v.constants+int(w)] }

// input returns an argument of the call, counted from 0.
func (v *nodes) input(i int) *Node { return v.arguments[v.constants+v.weights+i] }

// program compiles graph code. All constants and weights must exist.
func (t *trainer) program(build func(v *nodes) []*Node) *device.Program {
	return t.device.Program(func(inputs []*Node) []*Node {
		return build(&nodes{arguments: inputs, constants: len(t.constants), weights: len(t.weights), layers: t.layers, values: map[weight]*Node{}})
	})
}

// call runs a program. Inputs are matrices, slices or numbers.
func (t *trainer) call(p *device.Program, inputs ...any) ([]*tensors.Tensor, error) {
	weights, release := t.place.arguments()
	defer release()
	return t.execute(p, weights, inputs)
}

// execute runs a program with weights that are arguments already.
func (t *trainer) execute(p *device.Program, weights, inputs []any) (out []*tensors.Tensor, err error) {
	defer func() {
		if r := device.Recovered(recover()); r != nil {
			out, err = nil, device.Error("training", lessMemory, r)
		}
	}()
	var args []any
	for _, c := range t.constants {
		args = append(args, c)
	}
	args = append(args, weights...)
	var sent []*tensors.Tensor
	for _, input := range inputs {
		if m, ok := input.(blas32.General); ok {
			s := device.Matrix(m)
			sent, input = append(sent, s), s
		}
		args = append(args, input)
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
