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

// checkSchedule returns an error if the settings that all trainings have, the number of epochs or
// the learning rate, are not positive.
func checkSchedule(epochs int, rate float64) error {
	return cmp.Or(checkAtLeast("epochs", epochs, 1), checkPositive("learning_rate", rate))
}

// objective is what a method minimizes, as the host computes it.
type objective interface {
	// compute returns the loss of an embedding z, sets gradient to the gradient with respect
	// to z, and sets the gradients of the objective's parameters, if it has any.
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

// train trains the model that build adds to a trainer, and returns the method's output. bytes is
// about the device memory that the training takes ([newTrainer]). A graph without edges is an error.
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

// run trains a model and returns the method's output: the embedding, the method's own clusters if
// it has some, and the release of the checkpoints.
func (t *trainer) run(ctx context.Context, m model) (*Output, error) {
	if err := t.train(ctx, m.epochs, t.watched(m)); err != nil {
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

// trainerState is a checkpoint: what a training needs to go on after Epoch epochs. The random
// numbers of later epochs follow from the seed and the epoch.
type trainerState struct {
	Epoch   int
	Weights []store.Matrix
	Moments []store.Matrix // for each kind of step and each of its weights, Adam's first and second
	Counts  []int          // how many steps of each kind were taken
	Lowest  lowest
}

// lowest is the epoch with the lowest loss so far, if the trainer has patience.
type lowest struct {
	Loss    float64
	Since   int            // epochs after it
	Weights []store.Matrix // before the epoch's steps; the place may have newer ones

	isKnown bool // there is such an epoch
}

// train calls trainEpoch, which takes the steps of an epoch and returns its loss, for each epoch
// from 1 to epochs, with the epoch's own random source. If there is a checkpoint, it goes on after
// the checkpoint's epoch. A trainer with patience stops when that many epochs in a row have had no
// lower loss, and ends with the weights of the lowest.
func (t *trainer) train(ctx context.Context, epochs int, trainEpoch func(epoch int, rnd *rand.Rand) (float64, error)) error {
	lastSave := time.Now() // or the start
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
			// Until this epoch has taken a step, the weights are those after the epoch before, and
			// can be saved.
			isUntouched := t.stepsTaken() == stepsBefore
			if ctx.Err() != nil && epoch > 1 && isUntouched {
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
		if time.Since(lastSave) >= checkpointEvery && epoch < epochs {
			lastSave = time.Now()
			err := t.save(epoch)
			// The training goes on without a checkpoint, and says so once.
			if err != nil && !t.unsaved {
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

// state returns the weights and moments of a checkpoint ([trainerState]). They are the trainer's
// own matrices, and not copies.
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

// save writes a checkpoint of the state after an epoch, if the options have a store for checkpoints.
func (t *trainer) save(epoch int) error {
	if t.o.Checkpoints == nil {
		return nil
	}
	if err := t.fetch(); err != nil {
		return err
	}
	checkpoint := trainerState{Epoch: epoch, Lowest: t.lowest}
	checkpoint.Weights, checkpoint.Moments = t.state()
	for _, s := range t.steps {
		checkpoint.Counts = append(checkpoint.Counts, s.count)
	}
	return store.Put(t.o.Checkpoints, t.key, checkpoint)
}

// restore sets the weights, moments, counts and lowest loss to those of the last checkpoint, and
// returns its epoch, or 0 if there is none.
func (t *trainer) restore() (epoch int) {
	if t.o.Checkpoints == nil {
		return 0
	}
	checkpoint, ok := store.Stored[trainerState](t.o.Checkpoints, t.key)
	if !ok {
		return 0
	}
	weights, moments := t.state() // the trainer's own, so that copying into them sets them
	saved := slices.Concat(checkpoint.Weights, checkpoint.Moments)
	for k, dst := range slices.Concat(weights, moments) {
		copy(dst.Data, saved[k].Data)
	}
	for k, s := range t.steps {
		s.count = checkpoint.Counts[k]
	}
	t.lowest = checkpoint.Lowest
	t.lowest.isKnown = checkpoint.Lowest.Weights != nil
	return checkpoint.Epoch
}

// kMeans returns the cluster of each row of z, by k-means with o.Clusters clusters and the given
// number of starts, or with [cluster.KMeans]'s default number if starts is 0.
func (o Options) kMeans(ctx context.Context, z blas32.General, starts int) ([]int, error) {
	found, err := cluster.KMeans(ctx, z, o.Clusters, cluster.KMeansOptions{Restarts: starts}, o.random("k-means"))
	return found.Labels, err
}
