package method

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// network is a stack of layers on a graph's features,
//
//	Y₀ = X,  Yₗ = φ(Fˢ Yₗ₋₁ Wₗ),
//
// with a symmetric filter F applied s times in each layer, and φ either ReLU or the
// identity. A GCN has s = 1 in every layer. An encoder of smoothed features applies all
// filters in the first layer, since FˢX·W = Fˢ(XW).
type network struct {
	x      features
	filter *graph.CSR
	layers []*layer
}

// layer is one layer of a [network].
type layer struct {
	layerShape
	parameter                // Wₗ
	out       blas32.General // Yₗ of the last forward
	spare     blas32.General // scratch space of the size of out
}

// layerShape is what a layer does: the width of its output, how many times the filter is
// applied, and whether φ is ReLU.
type layerShape struct {
	width, filters int
	relu           bool
}

// newNetwork returns a network on the graph's features, divided by their unit, with Glorot's
// initial weights and no biases, as in GAE. filter is F.
func newNetwork(g *graph.Graph, filter *graph.CSR, shapes []layerShape, rnd *rand.Rand) *network {
	n := &network{x: newFeatures(g.Features), filter: filter}
	inputs := n.x.f
	for _, s := range shapes {
		n.layers = append(n.layers, &layer{
			layerShape: s,
			parameter:  newParameter(glorot(inputs, s.width, rnd)),
			out:        linalg.New(g.N(), s.width),
			spare:      linalg.New(g.N(), s.width),
		})
		inputs = s.width
	}
	return n
}

// parameters returns the weights of all layers, with their gradients and Adam's moments.
func (n *network) parameters() (all []parameter) {
	for _, l := range n.layers {
		all = append(all, l.parameter)
	}
	return all
}

// forward computes the outputs of all layers and returns the last. The next forward overwrites it.
func (n *network) forward() blas32.General {
	for k, l := range n.layers {
		if k == 0 {
			n.x.mul(l.out, l.value)
		} else {
			mulDense(l.out, n.layers[k-1].out, l.value)
		}
		l.out, l.spare = n.applyFilter(l.filters, l.out, l.spare)
		if l.relu {
			eachRow(l.out, func(y []float32, _ int) {
				for c, v := range y {
					y[c] = max(v, 0)
				}
			})
		}
	}
	return n.layers[len(n.layers)-1].out
}

// backward sets the gradients of all weights, after [network.forward], given the gradient with
// respect to the last layer's output, which it overwrites.
func (n *network) backward(gradient blas32.General) {
	for k := len(n.layers) - 1; k >= 0; k-- {
		l := n.layers[k]
		if l.relu {
			eachRow(gradient, func(g []float32, i int) {
				for c, y := range linalg.Row(l.out, i) {
					if y <= 0 {
						g[c] = 0
					}
				}
			})
		}
		gradient, l.spare = n.applyFilter(l.filters, gradient, l.spare)
		if k == 0 {
			n.x.mulT(l.gradient, gradient)
			break
		}
		input := n.layers[k-1].out
		mulTransposed(l.gradient, input, gradient)
		inputGradient := linalg.New(input.Rows, input.Cols)
		mulDense(inputGradient, gradient, transposed(l.value))
		gradient = inputGradient
	}
}

// applyFilter multiplies y with F the given number of times. It overwrites y and spare: one of
// them is the result, and the other is scratch space.
func (n *network) applyFilter(times int, y, spare blas32.General) (result, other blas32.General) {
	for range times {
		mulSparse(spare, n.filter, y)
		y, spare = spare, y
	}
	return y, spare
}

// eachRow calls f with each row and its index, on all cores.
func eachRow(m blas32.General, f func(r []float32, i int)) {
	linalg.Parallel(m.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(linalg.Row(m, i), i)
		}
	})
}

// autoencoder trains a network whose output is the embedding. Every epoch is one step
// of Adam on the whole loss.
type autoencoder struct {
	*network
	loss         objective
	decoder      []parameter // the objective's parameters
	epochs       int
	learningRate float64
}

// draw draws an epoch's nodes for an objective that samples nodes, and returns them as the inputs
// of graph code ([adjacency.draw]). The objective keeps them for its compute.
func (a autoencoder) draw(rnd *rand.Rand) (inputs []any) {
	if l, ok := a.loss.(*adjacency); ok {
		return l.draw(rnd)
	}
	return nil
}

// fit trains on the host, without graph code.
func (a autoencoder) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	t := newHostTrainer(g, o, backend.Native)
	optimizer := t.hostStep(a.learningRate, append(a.parameters(), a.decoder...)...)
	return t.run(ctx, model{
		epochs: a.epochs,
		epoch: func(_ int, rnd *rand.Rand) (float64, error) {
			a.draw(rnd) // into the loss
			z := a.forward()
			gradient := linalg.New(z.Rows, z.Cols)
			value, err := a.loss.compute(ctx, z, gradient)
			if err != nil {
				return 0, err
			}
			a.backward(gradient)
			optimizer.adam() // changes the weights by these gradients
			return value, nil
		},
		embed: func() (blas32.General, error) { return a.forward(), nil },
	})
}

// fitOnDevice trains as GoMLX graph code, from the same weights and on the same loss as
// [autoencoder.fit]. lossOf returns that loss, given the graph code of the embedding.
func (a autoencoder) fitOnDevice(ctx context.Context, g *graph.Graph, o Options, lossOf func(t *trainer, embedding func(v *nodes) *Node) loss) (*Output, error) {
	width := 0
	for _, l := range a.layers {
		width += l.value.Cols
	}
	bytes := layerBytes(g, a.layers[0].value.Cols) + 8*device.Floats(g.N()+a.filter.NNZ(), width)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		embedding := a.code(t)
		update := t.step(lossOf(t, embedding), a.learningRate, 0)
		return model{
			epochs: a.epochs,
			epoch: func(_ int, rnd *rand.Rand) (float64, error) {
				return update.take(ctx, a.draw(rnd)...)
			},
			embed: func() (blas32.General, error) { return t.evaluate(embedding) },
		}
	})
}

// code adds the network's weights and filter to a trainer and returns graph code of the output.
func (a autoencoder) code(t *trainer) func(v *nodes) *Node {
	filter := t.sparse(a.filter)
	var weights []weight
	for _, l := range a.layers {
		weights = append(weights, t.weight(l.value))
	}
	t.layers[weights[0]] = t.filtered(a.x, a.filter)
	return func(v *nodes) *Node {
		var y *Node
		for k, l := range a.layers {
			filters := l.filters
			if k == 0 {
				y = v.weight(weights[0]) // FXW₁, the value of the trainer's first layer
				filters--                // which has applied one
			} else {
				y = product(y, v.weight(weights[k]))
			}
			for range filters {
				y = filter.times(v, y)
			}
			if l.relu {
				y = MaxScalar(y, 0)
			}
		}
		return y
	}
}

// parameter is a trainable matrix, its gradient and Adam's moments.
type parameter struct{ value, gradient, first, second blas32.General }

// newParameter returns a parameter with an initial value, which it keeps, and zeros.
func newParameter(value blas32.General) parameter {
	zeros := func() blas32.General { return linalg.New(value.Rows, value.Cols) }
	return parameter{value: value, gradient: zeros(), first: zeros(), second: zeros()}
}
