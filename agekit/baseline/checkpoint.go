package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/store"
)

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
	Weights []store.Matrix // before its steps
}

// train calls one for each epoch, from 1, with the epoch's own random source. It
// returns the epoch's loss. A training that was stopped goes on where its last
// checkpoint was. A trainer with patience ends with the weights of the lowest loss.
func (t *trainer) train(ctx context.Context, epochs int, one func(epoch int, rnd *rand.Rand) (float64, error)) error {
	last := time.Now()
	for epoch := t.restore() + 1; epoch <= epochs; epoch++ {
		if t.patience > 0 && t.lowest.Since >= t.patience {
			break
		}
		taken, before := t.taken(), t.beforeStep()
		value, err := one(epoch, rand.New(rand.NewPCG(t.o.Seed, uint64(epoch))))
		if err != nil {
			err = fmt.Errorf("epoch %d of %d: %w", epoch, epochs, err)
			if ctx.Err() != nil && epoch > 1 && t.taken() == taken { // what was done is whole
				err = errors.Join(err, t.save(epoch-1))
			}
			return err
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("epoch %d: the loss is %v: try a lower learning_rate", epoch, value)
		}
		if t.lowest.Since++; before != nil && (t.lowest.Weights == nil || value < t.lowest.Loss) {
			t.lowest = lowest{Loss: value, Weights: before}
		}
		t.o.report(encoder.Event{Epoch: epoch, Epochs: epochs, Loss: value})
		if time.Since(last) >= checkpointEvery && epoch < epochs {
			last = time.Now()
			err := t.save(epoch)
			if err != nil && !t.unsaved { // the training is worth more than its checkpoint
				t.o.report(encoder.Event{Epoch: epoch, Epochs: epochs, Loss: value, Message: fmt.Sprintf("no checkpoint after epoch %d: %v", epoch, err)})
			}
			t.unsaved = err != nil
		}
	}
	for k, m := range t.lowest.Weights {
		copy(t.weights[k].Data, m.Data)
	}
	return ctx.Err()
}

// beforeStep returns copies of all weights, or nil if the trainer has no patience.
func (t *trainer) beforeStep() (copies []store.Matrix) {
	if t.patience > 0 {
		copies, _ = t.state()
	}
	for k := range copies {
		copies[k].Data = slices.Clone(copies[k].Data)
	}
	return copies
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
	if t.fetch != nil {
		if err := t.fetch(); err != nil {
			return err
		}
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
	t.lowest = c.Lowest
	return c.Epoch
}
