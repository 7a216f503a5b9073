package method

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// WatchEvery returns after how many epochs [Planned.Watch] looks at a training of so many: 10, or
// 1 if the training has fewer than 100.
func WatchEvery(epochs int) int {
	if epochs < 100 {
		return 1
	}
	return 10
}

// Watch runs the planned method as [Planned.Cluster] does, and returns the same bytes. After every
// [WatchEvery] epochs, and at the end, it calls look with what the method would return if the
// training ended there: the embedding, which the next epoch overwrites, the clusters, and as "DBI"
// the Davies–Bouldin index of the rows of the cosines' matrix. The index is missing if there are
// fewer than two clusters. An error of look ends the run.
//
// The last look is at the embedding that the method returns, as the last epoch's; AGE, which
// chooses an epoch, is seen each time it selects pairs, and its last look is at its last epoch. A
// training that goes on from a checkpoint is not seen before it: use none. A method that is not
// trained is seen once, as epoch 0. AGE must train a single encoder.
func (p *Planned) Watch(ctx context.Context, look func(epoch int, out *Output) error) (*Output, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	last := 0 // the last epoch of the training so far
	running := p.options.Running
	report := running.Progress
	running.Progress = func(e encoder.Event) {
		if e.Stage == encoder.Training {
			last = int(e.Done)
		}
		if report != nil {
			report(e)
		}
	}
	if p.options.planned != nil {
		running.Watch = func(epoch int, z blas32.General) {
			if epoch == 0 { // the initial weights
				return
			}
			out, err := clusterGram(ctx, z, p.options)
			if err == nil {
				err = look(epoch, out)
			}
			if err != nil {
				stop(err)
			}
		}
	}
	watched := p.With(running)
	seen := func(epoch int, out *Output) error {
		if err := watched.cluster(ctx, out); err != nil {
			return err
		}
		if _, known := out.Measures["DBI"]; !known {
			index, err := cluster.DaviesBouldinGram(ctx, linalg.Normalize(out.Embedding), out.Clusters)
			if err == nil {
				out.Measures["DBI"] = index
			}
		}
		return look(epoch, out)
	}
	watched.options.look = seen
	out, err := watched.Cluster(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, cause
	}
	if err == nil && p.options.planned == nil {
		final := *out // without what is added to the measures
		final.Measures = nil
		err = seen(last, &final)
	}
	return out, err
}

// watched returns the function that takes the steps of an epoch of the model m, and looks at what
// the method would return after it, if the options say so. A look changes nothing that the
// training reads.
func (t *trainer) watched(m model) func(epoch int, rnd *rand.Rand) (float64, error) {
	if t.o.look == nil {
		return m.epoch
	}
	every := WatchEvery(m.epochs)
	return func(epoch int, rnd *rand.Rand) (float64, error) {
		loss, err := m.epoch(epoch, rnd)
		if err != nil || epoch%every != 0 || epoch == m.epochs {
			return loss, err
		}
		z, err := m.embed()
		if err != nil {
			return 0, err
		}
		out := &Output{Embedding: z}
		if m.clusters != nil {
			if out.Clusters, err = m.clusters(z); err != nil {
				return 0, err
			}
		}
		return loss, t.o.look(epoch, out)
	}
}
