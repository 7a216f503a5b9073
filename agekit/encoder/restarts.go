package encoder

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
)

// FitRestarts trains from several initial weights and returns the run whose
// chosen epoch has the lowest Davies–Bouldin index, the first of several, and
// the index of every run. It is the paper's choice of the epoch (§3.4.2)
// carried on to the choice of the run, as k-means keeps the best of several
// starts; labels are not needed.
//
// Run r has the settings c with RestartSeed(c.Seed, r) as its seed. The runs
// follow each other, and each has a checkpoint of its own: the same call goes
// on where one was stopped. Errors are those of Fit, and one for restarts
// below 1.
func FitRestarts(ctx context.Context, g *graph.Graph, c Config, restarts int, o Options) (best *Result, indices []float64, err error) {
	if restarts < 1 {
		return nil, nil, fmt.Errorf("restarts is %d: want 1 or more", restarts)
	}
	if restarts == 1 {
		if best, err = Fit(ctx, g, c, o); err != nil {
			return nil, nil, err
		}
		return best, []float64{best.DaviesBouldin}, nil
	}
	epochs := c.withDefaults().Epochs
	progress := o.Progress
	for r := range restarts {
		if progress != nil {
			o.Progress = func(e Event) {
				// Later runs take what this one has taken so far.
				e.Epoch, e.Epochs, e.Remaining = r*epochs+e.Epoch, restarts*epochs, 0
				progress(e)
			}
			progress(Event{Message: fmt.Sprintf("start %d of %d", r+1, restarts), Epoch: r * epochs, Epochs: restarts * epochs})
		}
		result, err := Fit(ctx, g, c.restart(r), o)
		if err != nil {
			return nil, nil, fmt.Errorf("start %d of %d: %w", r+1, restarts, err)
		}
		indices = append(indices, result.DaviesBouldin)
		if best == nil || result.DaviesBouldin < best.DaviesBouldin {
			best = result
		}
	}
	return best, indices, nil
}

// DiscardRestarts removes the checkpoints that FitRestarts left.
func DiscardRestarts(s *store.Store, g *graph.Graph, c Config, restarts int, backendName string) error {
	var all []error
	for r := range restarts {
		all = append(all, Discard(s, g, c.restart(r), backendName))
	}
	return errors.Join(all...)
}

// RestartSeed returns the seed of a run of FitRestarts: seed itself for run 0,
// and then a hash of both numbers, so that neighbouring seeds share no run.
func RestartSeed(seed uint64, run int) uint64 {
	if run == 0 {
		return seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "agekit restart %d %d", seed, run))
	return binary.LittleEndian.Uint64(sum[:])
}

func (c Config) restart(run int) Config {
	c.Seed = RestartSeed(c.Seed, run)
	return c
}
