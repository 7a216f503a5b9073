package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

var errNoEdges = errors.New("the graph has no edges: nothing to reconstruct")

// atLeast returns an error if a setting is below its minimum.
func atLeast(name string, value, least int) error {
	if value < least {
		return fmt.Errorf("%s is %d: want %d or more", name, value, least)
	}
	return nil
}

// within returns an error if a setting is outside its range.
func within(name string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s is %d: want %d to %d", name, value, least, most)
	}
	return nil
}

// positive returns an error if a setting is not a positive number.
func positive(name string, value float64) error {
	if !(value > 0) || math.IsInf(value, 1) {
		return fmt.Errorf("%s is %v: want a positive number", name, value)
	}
	return nil
}

// validSchedule returns an error if the settings that all trainings have are invalid.
func validSchedule(epochs int, rate float64) error {
	return cmp.Or(atLeast("epochs", epochs, 1), positive("learning_rate", rate))
}

// objective is what a method minimizes.
type objective interface {
	// compute returns the loss of an embedding. It writes the gradients
	// with respect to z and to the objective's parameters.
	compute(ctx context.Context, z, gradient blas32.General) (float64, error)
}

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
	return t.run(ctx, m)
}

// run trains a model and returns the method's output.
func (t *trainer) run(ctx context.Context, m model) (*Output, error) {
	if err := t.train(ctx, m.epochs, m.epoch); err != nil {
		return nil, err
	}
	z, err := m.embed()
	if err != nil {
		return nil, err
	}
	out := &Output{Embedding: z, Backend: t.backend}
	if t.o.Checkpoints != nil {
		out.Release = func() error { return store.Remove[trainerState](t.o.Checkpoints, t.key) }
	}
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
