package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/blas/blas32"
)

// schedule is how long and at what rate a method trains. Every epoch is one
// step of Adam on the whole loss.
type schedule struct {
	epochs       int
	learningRate float64
}

// namedInt is a setting and its minimum.
type namedInt struct {
	name         string
	value, least int
}

// validate reports the first invalid setting.
func validate(s schedule, values ...namedInt) error {
	for _, v := range append(values, namedInt{"epochs", s.epochs, 1}) {
		if v.value < v.least {
			return fmt.Errorf("%s is %d: want %d or more", v.name, v.value, v.least)
		}
	}
	return validRate("learning_rate", s.learningRate)
}

// validRate returns an error if a learning rate is not a positive number.
func validRate(name string, rate float64) error {
	if !(rate > 0) || math.IsInf(rate, 1) {
		return fmt.Errorf("%s is %v: want a positive number", name, rate)
	}
	return nil
}

// objective is what a method minimizes.
type objective interface {
	// compute returns the loss of an embedding. It writes the gradients
	// with respect to z and to the objective's parameters.
	compute(ctx context.Context, z, gradient blas32.General) (float64, error)
	// parameters are the objective's own parameters.
	parameters() []*parameter
}

// train minimizes an objective of a network's output, which is the embedding, on
// the host.
func train(ctx context.Context, g *graph.Graph, n *network, loss objective, s schedule, o Options) (*Output, error) {
	t := newHostTrainer(g, o, backend.Native)
	own := &step{t: t}
	for _, p := range append(n.parameters(), loss.parameters()...) {
		t.weight(p.value)
		own.trained = append(own.trained, *p)
	}
	t.steps = append(t.steps, own)
	err := t.train(ctx, s.epochs, func(_ int, rnd *rand.Rand) (float64, error) {
		redraw(loss, rnd)
		z := n.forward()
		gradient := dense.New(z.Rows, z.Cols)
		value, err := loss.compute(ctx, z, gradient)
		if err != nil {
			return 0, err
		}
		n.backward(gradient)
		own.count++
		for _, p := range own.trained {
			p.step(s.learningRate, own.count)
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	return t.output(n.forward()), nil
}

// redraw gives an objective that samples nodes the random source of an epoch.
func redraw(o objective, rnd *rand.Rand) {
	if a, ok := o.(*adjacency); ok {
		a.rnd = rnd
	}
}

var errNoEdges = errors.New("the graph has no edges: nothing to reconstruct")

// model is a model that a trainer trains.
type model struct {
	epochs int
	// epoch takes the steps of an epoch, counted from 1, and returns the loss before
	// the last one.
	epoch func(epoch int, rnd *rand.Rand) (float64, error)
	// embed returns the embedding after the last epoch.
	embed func() (blas32.General, error)
	// clusters returns the method's own clusters. Nil: it has none.
	clusters func(z blas32.General) ([]int, error)
}

// train builds a model on a trainer, which takes about the given number of bytes, and
// trains it.
func (o Options) train(ctx context.Context, g *graph.Graph, bytes int64, build func(t *trainer) (model, error)) (*Output, error) {
	t, err := newTrainer(g, o, bytes)
	if err != nil {
		return nil, err
	}
	defer t.close()
	m, err := build(t)
	if err != nil {
		return nil, err
	}
	if err := t.train(ctx, m.epochs, m.epoch); err != nil {
		return nil, err
	}
	z, err := m.embed()
	if err != nil {
		return nil, err
	}
	out := t.output(z)
	if m.clusters != nil {
		out.Clusters, err = m.clusters(z)
	}
	return out, err
}

// kMeans clusters the rows of z by k-means.
func (o Options) kMeans(ctx context.Context, z blas32.General, starts int) ([]int, error) {
	found, err := cluster.KMeans(ctx, z, o.Clusters, cluster.KMeansOptions{Restarts: starts}, o.random("k-means"))
	return found.Labels, err
}
