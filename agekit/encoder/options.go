package encoder

import (
	"cmp"
	"context"
	"time"

	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Options are what a run needs besides its settings. Only Judge and, in its
// rounding, Backend change the result.
type Options struct {
	// Backend makes the model. Default [Native].
	Backend Backend
	// Judge replaces clustering and the Davies–Bouldin index as what the
	// epoch is chosen by. Default: it does not.
	Judge *Judge
	// Checkpoints is where the run saves its state every few seconds, and
	// from where it resumes if it was stopped. The last checkpoint stays
	// until [Discard] is called, so that a result that could not be written
	// is not lost. Nil: no checkpoints.
	Checkpoints *store.Store
	// CheckpointEvery is the least time between two checkpoints, which are
	// made after a step or an update. Default 5 s.
	CheckpointEvery time.Duration
	// ScratchAbove is the size in bytes above which a matrix as large as X̃
	// is kept in a memory-mapped file, beside the checkpoints or else in
	// the system's folder for temporary files, instead of in memory. The
	// file is gone when the run ends, however it does. Default: a quarter
	// of the machine's memory.
	ScratchAbove int64
	// Progress receives events, from the goroutine that called Fit.
	Progress func(Event)
}

// Judge scores saved embeddings, so that a task other than clustering can
// choose the epoch: link prediction goes by validation edges (paper, §3.4.2).
type Judge struct {
	// Name tells judges apart, in checkpoints too: two that can score an
	// embedding differently must have different names.
	Name string
	// Score returns the score of an embedding, n×d, which it must not keep.
	// The epoch with the lowest score is chosen. The same embedding must
	// always get the same score.
	Score func(ctx context.Context, z blas32.General) (float64, error)
}

// withDefaults fills in the zero fields that have a default.
func (o Options) withDefaults() Options {
	if o.Backend == nil {
		o.Backend = Native
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	o.CheckpointEvery = cmp.Or(o.CheckpointEvery, 5*time.Second)
	return o
}

// judgeName identifies the judge in checkpoints.
func (o Options) judgeName() string {
	if o.Judge == nil {
		return "Davies–Bouldin"
	}
	return o.Judge.Name
}

// scratch returns the settings for large matrices.
func (o Options) scratch(log func(string)) Preparer {
	p := Preparer{ScratchAbove: o.ScratchAbove, Log: log}
	if o.Checkpoints != nil {
		p.ScratchDir = o.Checkpoints.Dir()
	}
	return p
}
