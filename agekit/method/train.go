package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// checkEdges returns an error if the graph has no edges.
func checkEdges(g *graph.Graph) error {
	if g.Adjacency.NNZ() == 0 {
		return errors.New("the graph has no edges: nothing to reconstruct")
	}
	return nil
}

// checkAtLeast returns an error if a setting is below its minimum.
func checkAtLeast(name string, value, least int) error {
	if value < least {
		return message.Errorf("%s is %d: want %d or more", message.Option(name), value, least)
	}
	return nil
}

// checkWithin returns an error if a setting is outside its range.
func checkWithin(name string, value, least, most int) error {
	if value < least || value > most {
		return message.Errorf("%s is %d: want %d to %d", message.Option(name), value, least, most)
	}
	return nil
}

// checkPositive returns an error if a setting is not a positive number.
func checkPositive(name string, value float64) error {
	if !(value > 0) || math.IsInf(value, 1) {
		return message.Errorf("%s is %v: want a positive number", message.Option(name), value)
	}
	return nil
}

// checkSchedule returns an error if the settings that all trainings have are invalid.
func checkSchedule(epochs int, rate float64) error {
	return cmp.Or(checkAtLeast("epochs", epochs, 1), checkPositive("learning_rate", rate))
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
// trains it. A graph without edges is an error.
func (o Options) train(ctx context.Context, g *graph.Graph, bytes int64, build func(t *trainer) model) (*Output, error) {
	if err := checkEdges(g); err != nil {
		return nil, err
	}
	t, err := newTrainer(g, o, bytes)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.run(ctx, build(t))
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

// trainerState is what a training needs to go on after Epoch epochs. Random
// numbers follow from the seed and the epoch.
type trainerState struct {
	Epoch   int
	Weights []store.Matrix
	Moments []store.Matrix // first and second of each weight of each step
	Counts  []int          // of steps taken
	Lowest  lowest
}

// lowest is the epoch with the lowest loss so far, if the trainer has patience.
type lowest struct {
	Loss    float64
	Since   int            // epochs after it
	Weights []store.Matrix // before its steps; the place may have newer ones

	isKnown bool
}

// train calls trainEpoch, which returns the epoch's loss, for each epoch from 1 with the
// epoch's own random source. A training that was stopped goes on where its last
// checkpoint was. A trainer with patience ends with the weights of the lowest loss.
func (t *trainer) train(ctx context.Context, epochs int, trainEpoch func(epoch int, rnd *rand.Rand) (float64, error)) error {
	last := time.Now()
	for epoch := t.restore() + 1; epoch <= epochs; epoch++ {
		if t.patience > 0 && t.lowest.Since >= t.patience {
			break
		}
		stepsBefore := t.stepsTaken()
		if t.patience > 0 {
			t.place.snapshot()
		}
		loss, err := trainEpoch(epoch, rng.New(t.o.Seed, rng.MethodEpoch(epoch)))
		if err != nil {
			err = fmt.Errorf("epoch %d of %d: %w", epoch, epochs, err)
			// Without a step of this epoch, the weights are those after the one before.
			if ctx.Err() != nil && epoch > 1 && t.stepsTaken() == stepsBefore {
				err = errors.Join(err, t.save(epoch-1))
			}
			return err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return message.Errorf("epoch %d: the loss is %v: try a lower %s", epoch, loss, message.Option("learning_rate"))
		}
		t.lowest.Since++
		if t.patience > 0 && (!t.lowest.isKnown || loss < t.lowest.Loss) {
			t.place.keepSnapshot()
			t.lowest.Loss, t.lowest.Since, t.lowest.isKnown = loss, 0, true
		}
		t.o.report(epoch, epochs, loss)
		if time.Since(last) >= checkpointEvery && epoch < epochs {
			last = time.Now()
			err := t.save(epoch)
			if err != nil && !t.unsaved { // the training is worth more than its checkpoint
				t.o.Linef("no checkpoint after epoch %d: %v", epoch, err)
			}
			t.unsaved = err != nil
		}
	}
	if t.patience > 0 {
		t.place.restoreSnapshot()
	}
	return ctx.Err()
}

// stepsTaken returns the number of steps taken so far, of all kinds.
func (t *trainer) stepsTaken() int {
	count := 0
	for _, s := range t.steps {
		count += s.count
	}
	return count
}

// state returns all matrices that a checkpoint holds: they share their numbers with the
// trainer.
func (t *trainer) state() (weights, moments []store.Matrix) {
	for _, w := range t.weights {
		weights = append(weights, store.Matrix{General: w})
	}
	for _, s := range t.steps {
		for _, p := range s.parameters {
			moments = append(moments, store.Matrix{General: p.first}, store.Matrix{General: p.second})
		}
	}
	return weights, moments
}

// save writes a checkpoint after an epoch, if the options have a store for them.
func (t *trainer) save(epoch int) error {
	if t.o.Checkpoints == nil {
		return nil
	}
	if err := t.fetch(); err != nil {
		return err
	}
	c := trainerState{Epoch: epoch, Lowest: t.lowest}
	c.Weights, c.Moments = t.state()
	for _, s := range t.steps {
		c.Counts = append(c.Counts, s.count)
	}
	return store.Put(t.o.Checkpoints, t.key, c)
}

// restore reads the last checkpoint and returns its epoch, or 0 if there is none.
func (t *trainer) restore() (epoch int) {
	if t.o.Checkpoints == nil {
		return 0
	}
	c, ok := store.Stored[trainerState](t.o.Checkpoints, t.key)
	if !ok {
		return 0
	}
	weights, moments := t.state()
	for k, dst := range slices.Concat(weights, moments) {
		copy(dst.Data, slices.Concat(c.Weights, c.Moments)[k].Data)
	}
	for k, s := range t.steps {
		s.count = c.Counts[k]
	}
	t.lowest = c.Lowest
	t.lowest.isKnown = c.Lowest.Weights != nil
	return c.Epoch
}

// kMeans clusters the rows of z by k-means with the given number of starts, or with
// the default number if it is 0.
func (o Options) kMeans(ctx context.Context, z blas32.General, starts int) ([]int, error) {
	found, err := cluster.KMeans(ctx, z, o.Clusters, cluster.KMeansOptions{Restarts: starts}, o.random("k-means"))
	return found.Labels, err
}
