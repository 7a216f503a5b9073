package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// trainerState is what a training needs to go on after Epoch epochs. Random
// numbers follow from the seed and the epoch.
type trainerState struct {
	Epoch   int
	Weights []store.Matrix
	Moments []store.Matrix // first and second of each weight of each step
	Counts  []int          // of steps taken
}

// train calls one for each epoch, from 1, with the epoch's own random source. It
// returns the epoch's loss. A training that was stopped goes on where its last
// checkpoint was.
func (t *trainer) train(ctx context.Context, epochs int, one func(epoch int, rnd *rand.Rand) (float64, error)) error {
	last := time.Now()
	for epoch := t.restore() + 1; epoch <= epochs; epoch++ {
		taken := t.taken()
		value, err := one(epoch, rand.New(rand.NewPCG(t.o.Seed, uint64(epoch))))
		if err != nil {
			err = fmt.Errorf("epoch %d of %d: %w", epoch, epochs, err)
			if ctx.Err() != nil && epoch > 1 && t.taken() == taken { // what was done is whole
				err = errors.Join(err, t.save(epoch-1))
			}
			return err
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("epoch %d: the loss is %v: try a lower learning rate", epoch, value)
		}
		t.o.report(Event{Epoch: epoch, Epochs: epochs, Loss: value})
		if time.Since(last) >= checkpointEvery && epoch < epochs {
			last = time.Now()
			if err := t.save(epoch); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// taken returns the number of steps that were taken.
func (t *trainer) taken() int {
	count := 0
	for _, s := range t.steps {
		count += s.count
	}
	return count
}

// state returns all matrices that a checkpoint holds: they share their numbers
// with the trainer.
func (t *trainer) state() (weights, moments []store.Matrix) {
	for _, w := range t.weights {
		weights = append(weights, store.Matrix{General: w})
	}
	for _, s := range t.steps {
		for _, p := range s.trained {
			moments = append(moments, store.Matrix{General: p.first}, store.Matrix{General: p.second})
		}
	}
	return weights, moments
}

// save writes a checkpoint.
func (t *trainer) save(epoch int) error {
	if t.o.Checkpoints == nil {
		return nil
	}
	c := trainerState{Epoch: epoch}
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
	c, ok := store.Get[trainerState](t.o.Checkpoints, t.key)
	if !ok {
		return 0
	}
	weights, moments := t.state()
	for k, to := range slices.Concat(weights, moments) {
		copy(to.Data, slices.Concat(c.Weights, c.Moments)[k].Data)
	}
	for k, s := range t.steps {
		s.count = c.Counts[k]
	}
	return c.Epoch
}

// output is a method's output with this embedding.
func (t *trainer) output(z blas32.General) *Output {
	o := &Output{Embedding: z, Backend: t.backend}
	if t.o.Checkpoints != nil {
		o.Release = func() error { return store.Remove[trainerState](t.o.Checkpoints, t.key) }
	}
	return o
}
