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
	matrices  map[*graph.CSR]sparse // those that are among the constants
	dense     map[any]constant      // the features among the constants, by the address of their matrix
	weights   []blas32.General      // by weight; the place may have newer values: see fetch
	layers    map[weight]inputLayer // the first layers, by their weights: see inputLayer
	steps     []*adamStep           // the kinds of steps
	patience  int                   // epochs without a lower loss that end a training; 0: no such end
	lowest    lowest
	o         Options
	key       store.Key // of the checkpoints
	unsaved   bool      // the last checkpoint could not be written
	// fetch sets weights, the moments of the steps and the weights of lowest to their newest values,
	// which the place or the method's own model has.
	fetch func() error
}

// place is where the weights and the state of their optimizers are, and where steps are
// computed: [onHost] or [onDevice]. Both compute the same function.
type place interface {
	// add sets a kind of step up.
	add(s *adamStep)
	// take takes a step with its inputs, and returns the loss before it.
	take(ctx context.Context, s *adamStep, inputs ...any) (float64, error)
	// arguments returns the arguments of a program for all weights. release frees what was made for
	// the call: call it after the program has run.
	arguments() (weights []any, release func())
	// reload takes over the value of a weight that the trainer has changed.
	reload(w weight)
	// snapshot copies all weights before an epoch's steps.
	snapshot()
	// keepSnapshot makes the last snapshot the weights of the lowest loss.
	keepSnapshot()
	// restoreSnapshot sets the weights to those of the lowest loss.
	restoreSnapshot()
	// close frees what the place has on a device.
	close()
}

// isResident reports whether trainings on a backend keep their weights there, so that graph code has
// all of a step and nothing large is sent: on GPUs. On a processor, with XLA as with GoMLX's Go
// backend, the host's own loops over all pairs and products with sparse matrices are faster
// (docs/performance.md). Tests replace it.
var isResident = backend.Choice.OnGPU

// checkpointEvery is the least time between two checkpoints. Tests shorten it.
var checkpointEvery = 5 * time.Second

// lessMemory says what to do when a training does not fit.
const lessMemory = "use a smaller graph or a narrower network"

// newTrainer returns a trainer on the backend that the options choose. In place of the native
// backend it opens GoMLX's pure Go backend. bytes is about the device memory that the training
// takes, without [residentBytes].
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

// isResident reports whether the weights are on the device: the place is [onDevice].
func (t *trainer) isResident() bool {
	_, ok := t.place.(*onDevice)
	return ok
}

// layerBytes is about the memory of a first layer, for as many matrices of the weights' size as
// copies says.
func layerBytes(g *graph.Graph, width int) int64 {
	const copies = 6 // weights, gradient, two moments, and two that are in use in a step
	_, f := g.Features.Dims()
	return copies * device.Floats(f, width)
}

// newHostTrainer returns a trainer without a device, for steps that the method
// computes itself. It must not be closed: there is no device. backend is the name
// of the backend that results and checkpoints have.
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

// constant is the index of a tensor that does not change among a trainer's constants.
type constant int

// matrix adds a copy of a matrix to the constants.
func (t *trainer) matrix(m blas32.General) constant { return t.addConstant(device.Matrix(m)) }

// addConstant adds a tensor to the constants. [trainer.close] frees it.
func (t *trainer) addConstant(c *tensors.Tensor) constant {
	t.constants = append(t.constants, c)
	return constant(len(t.constants) - 1)
}

// weight is the index of a matrix that is trained among a trainer's weights.
type weight int

// weight adds a trained matrix, whose numbers are initial's and change with the training.
func (t *trainer) weight(initial blas32.General) weight {
	t.weights = append(t.weights, initial)
	return weight(len(t.weights) - 1)
}

// glorot adds a trained inputs×outputs matrix with Glorot's initial values.
func (t *trainer) glorot(inputs, outputs int, rnd *rand.Rand) weight {
	return t.weight(glorot(inputs, outputs, rnd))
}

// inputLayer is the first layer of a network, as a function of its weights W: FXW for one graph. For
// a weight in [trainer.layers], [nodes.weight] is this function's value and not W itself.
type inputLayer struct {
	views // computes the value on the host
	// code is graph code of the value. Nil: the host computes it, and sends it in place of W.
	//
	//	w: [f, d] → [n, d] for each view, one below the other
	code func(v *nodes, w *Node) *Node
}

// firstLayer adds the weights W of a network's first layer of the given width, with Glorot's
// initial values, and FXW as its [inputLayer], with X divided by its unit.
func (t *trainer) firstLayer(x graph.Features, filter *graph.CSR, width int, rnd *rand.Rand) weight {
	_, f := x.Dims()
	w := t.glorot(f, width, rnd)
	t.layers[w] = t.filtered(newFeatures(x), filter)
	return w
}

// filtered returns the layer FXW. It adds F and X to the constants only if graph code computes the
// layer.
func (t *trainer) filtered(x features, filter *graph.CSR) inputLayer {
	l := inputLayer{views: views{x: x, filters: []*graph.CSR{filter}}}
	if t.isResident() {
		filterCode, xCode := t.sparse(filter), t.features(x)
		l.code = func(v *nodes, w *Node) *Node { return filterCode.times(v, xCode.times(v, w)) }
	}
	return l
}

// views is the first layer of a network on several versions of a graph: the linear map
// of weights W to the matrices
//
//	FₖX(mₖ∘W),
//
// one below the other. The filter Fₖ is the version's own, and mₖ multiplies the rows of W:
// a feature is missing where mₖ is 0. The host computes the map, because X and F are sparse.
type views struct {
	x       features
	filters []*graph.CSR // F, one for each version
	masks   [][]float32  // m, 0 or 1 for each feature; nil: ones
}

// mul returns the value of the map at w.
func (l views) mul(w blas32.General) blas32.General {
	n := l.x.n
	xw, y := linalg.New(n, w.Cols), linalg.New(len(l.filters)*n, w.Cols)
	for k, filter := range l.filters {
		l.x.mul(xw, l.masked(k, w))
		mulSparse(linalg.RowRange(y, k*n, n), filter, xw)
	}
	return y
}

// mulT sets dst to the gradient with respect to W, Σₖ mₖ∘XᵗFₖᵗGₖ, given the gradient g with respect
// to the map's value.
func (l views) mulT(dst, g blas32.General) {
	n := l.x.n
	filtered, ofVersion := linalg.New(n, g.Cols), linalg.New(dst.Rows, dst.Cols)
	clear(dst.Data)
	for k, filter := range l.filters {
		mulSparse(filtered, filter.Transpose(), linalg.RowRange(g, k*n, n))
		l.x.mulT(ofVersion, filtered)
		addScaled(dst, l.masked(k, ofVersion), 1)
	}
}

// masked returns mₖ∘W: the rows of W, or rows of zeros for the features that version k lacks. It
// returns w itself if there are no masks.
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

// nodes are the arguments of a program, with which its graph code computes.
type nodes struct {
	arguments          []*Node               // the constants, then the weights, then the inputs
	constants, weights int                   // how many constants and weights there are
	layers             map[weight]inputLayer // the trainer's
	values             map[weight]*Node      // of the layers that graph code has computed so far
}

// constant returns the argument for a constant.
func (v *nodes) constant(c constant) *Node { return v.arguments[c] }

// weight returns the matrix of a weight or, for the weights of an [inputLayer], the layer's value.
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

// argument returns the argument for a weight: its matrix, or the value of its [inputLayer] if the
// host computes that.
func (v *nodes) argument(w weight) *Node { return v.arguments[v.constants+int(w)] }

// input returns input i of the call, counted from 0 ([trainer.call]).
func (v *nodes) input(i int) *Node { return v.arguments[v.constants+v.weights+i] }

// program returns graph code as a program, whose results are what build returns. The trainer must
// have all constants and weights already.
func (t *trainer) program(build func(v *nodes) []*Node) *device.Program {
	return t.device.Program(func(inputs []*Node) []*Node {
		return build(&nodes{arguments: inputs, constants: len(t.constants), weights: len(t.weights), layers: t.layers, values: map[weight]*Node{}})
	})
}

// call runs a program with the trainer's weights and returns its results. Inputs are matrices,
// slices or numbers.
func (t *trainer) call(p *device.Program, inputs ...any) ([]*tensors.Tensor, error) {
	weights, release := t.place.arguments()
	defer release()
	return t.execute(p, weights, inputs)
}

// execute runs a program with the given arguments for the weights ([place]'s arguments) and returns
// its results. It sends inputs that are matrices, and frees them. A panic of the device is an error.
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

// evaluate returns the matrix that graph code computes from the trainer's weights and the inputs.
func (t *trainer) evaluate(build func(v *nodes) *Node, inputs ...any) (blas32.General, error) {
	p := t.program(func(v *nodes) []*Node { return []*Node{build(v)} })
	out, err := t.call(p, inputs...)
	if err != nil {
		return blas32.General{}, err
	}
	return received(out[0])
}

// received returns a tensor of two axes as a matrix on the host, and frees the tensor.
func received(t *tensors.Tensor) (blas32.General, error) {
	m := linalg.New(t.Shape().Dim(0), t.Shape().Dim(1))
	if err := device.CopyRows(m, t); err != nil {
		return m, err
	}
	return m, t.FinalizeAll()
}
