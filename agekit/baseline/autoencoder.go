package baseline

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/device"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// autoencoder trains a network whose output is the embedding. Every epoch is one step
// of Adam on the whole loss.
type autoencoder struct {
	*network
	loss         objective
	decoder      []*parameter // the objective's parameters
	epochs       int
	learningRate float64
}

// redraw gives an objective that samples nodes the random source of an epoch.
func (a autoencoder) redraw(rnd *rand.Rand) {
	if l, ok := a.loss.(*adjacency); ok {
		l.rnd = rnd
	}
}

// fit trains on the host.
func (a autoencoder) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	t := newHostTrainer(g, o, backend.Native)
	var all []parameter
	for _, p := range append(a.parameters(), a.decoder...) {
		all = append(all, *p)
	}
	own := t.ownStep(a.learningRate, all...)
	return t.run(ctx, model{
		epochs: a.epochs,
		epoch: func(_ int, rnd *rand.Rand) (float64, error) {
			a.redraw(rnd)
			z := a.forward()
			gradient := dense.New(z.Rows, z.Cols)
			value, err := a.loss.compute(ctx, z, gradient)
			if err != nil {
				return 0, err
			}
			a.backward(gradient)
			own.adam()
			return value, nil
		},
		embed: func() (blas32.General, error) { return a.forward(), nil },
	})
}

// fitOnDevice trains as GoMLX graph code, for an objective without parameters. It starts
// with the same weights.
func (a autoencoder) fitOnDevice(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	width := 0
	for _, l := range a.layers {
		width += l.value.Cols
	}
	bytes := layerBytes(g, a.layers[0].value.Cols) + 8*device.Floats(g.N()+a.filter.NNZ(), width)
	return o.train(ctx, g, bytes, func(t *trainer) (model, error) {
		embedding := a.code(t)
		update := t.step(loss{graph: func(v *nodes) (z, scalar *Node) { return embedding(v), nil }, pairs: a.loss}, a.learningRate, 0)
		return model{
			epochs: a.epochs,
			epoch: func(_ int, rnd *rand.Rand) (float64, error) {
				a.redraw(rnd)
				return update.take(ctx)
			},
			embed: func() (blas32.General, error) { return t.evaluate(embedding) },
		}, nil
	})
}

// code adds the network to a trainer and returns its graph code.
func (a autoencoder) code(t *trainer) func(v *nodes) *Node {
	filter := t.sparse(a.filter)
	var weights []weight
	for _, l := range a.layers {
		weights = append(weights, t.weight(l.value))
	}
	t.layers[weights[0]] = views{x: a.x, filters: []*graph.CSR{a.filter}}
	return func(v *nodes) *Node {
		var y *Node
		for k, l := range a.layers {
			times := l.filters
			if k == 0 {
				y = v.weight(weights[0]) // the host has multiplied it with X and, once, the filter
				times--
			} else {
				y = product(y, v.weight(weights[k]))
			}
			for range times {
				y = filter.times(v, y)
			}
			if l.relu {
				y = MaxScalar(y, 0)
			}
		}
		return y
	}
}
