package encoder

import (
	"cmp"
	"context"
	"time"

	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Options holds what a run needs besides its settings. Judge changes the result,
// and Backend changes its rounding; the other options do not affect it.
type Options struct {
	// Backend creates the model. Default [Native].
	Backend Backend
	// Judge chooses the epoch instead of clustering and the Davies–Bouldin
	// index. Default nil: the index chooses.
	Judge *Judge
	// Checkpoints is where the run saves its state every few seconds and from
	// where it resumes after it was stopped. The last checkpoint remains until
	// [Discard] is called, so that a result that could not be written is not
	// lost. Default nil: no checkpoints.
	Checkpoints *store.Store
	// CheckpointEvery is the minimum time between two checkpoints, which are
	// written after a step or an update. Default 5 s.
	CheckpointEvery time.Duration
	// ScratchAbove is the size in bytes above which a matrix as large as X̃
	// is kept in a memory-mapped file instead of in memory. The file is in
	// the folder of the checkpoints, or without checkpoints in the system's
	// folder for temporary files. It is removed when the run ends, even if
	// the run fails. Default: a quarter of the machine's memory.
	ScratchAbove int64
	// Progress receives events, from the goroutine that called Fit.
	Progress func(Event)
	// Watch, if set, receives the embedding before the first epoch, as epoch 0,
	// and each saved one. It must not keep or change z, which the next embedding
	// overwrites. A resumed run does not repeat those before its checkpoint. With
	// several members, each starts again from epoch 0.
	Watch func(epoch int, z blas32.General)
}

// Judge scores saved embeddings, so that a task other than clustering can choose
// the epoch: link prediction uses validation edges (paper, §3.4.2).
type Judge struct {
	// Name identifies the judge, also in checkpoints: two judges that can
	// score an embedding differently must have different names.
	Name string
	// Score returns the score of an n×d embedding, which it must not keep.
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
