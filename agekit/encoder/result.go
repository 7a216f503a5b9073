package encoder

import (
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is what a training run gives.
type Result struct {
	// LambdaMax is λmax of L̃sym.
	LambdaMax float64
	// K is k as used.
	K float64
	// Mode is how pairs were selected: Exact or Sampled.
	Mode Mode
	// Backend is the backend that ran, and Product how it multiplies.
	Backend, Product string
	// Embedding is Ẑ, n×d, of the chosen epoch; Weights are its W and b.
	Embedding blas32.General
	Weights   Weights
	// Labels are the clusters of the chosen epoch, 0 to Clusters−1; nil
	// with Config.Choose.
	Labels []int
	// Epoch is the chosen epoch: the saved one with the lowest
	// Davies–Bouldin index, or score of Config.Choose, the latest of several
	// (paper, §3.4.2).
	Epoch int
	// DaviesBouldin is that index, of the rows of ẐẐᵗ; 0 with Config.Choose.
	DaviesBouldin float64
	// Score is what the epoch was chosen by: that index, or what
	// Config.Choose gave.
	Score float64
	// Saved lists every saved embedding, in order.
	Saved []Saved
	// Loss is the mean loss of each epoch.
	Loss []float64
	// Programs is how many programs a GoMLX backend compiled in the run's
	// last session; 0 on the backend native.
	Programs int
	// Seconds is the time spent on each stage, in all sessions of the run.
	Seconds Seconds
}

// Saved is what is known of the embedding saved after an epoch, and of the
// pairs selected by it.
type Saved struct {
	Epoch int
	// Score is what the choice goes by: the Davies–Bouldin index, or what
	// Config.Choose gave, with which DaviesBouldin is 0.
	Score, DaviesBouldin float64
	// Positives, the thresholds and their standard errors describe the
	// selection for the following epochs (see Selection); zero after the
	// last one, and with FixedPairs.
	Positives                            int
	PosThreshold, NegThreshold           float32
	PosThresholdError, NegThresholdError float32
}

// Seconds are the stages of a run in seconds of wall clock. Compile is what
// the last session of a GoMLX backend spent on compiling its programs, with
// the first run of each; it is part of the other stages.
type Seconds struct{ Filter, Select, Train, Cluster, Compile float64 }

func (s *Seconds) add(o Seconds) {
	s.Filter += o.Filter
	s.Select += o.Select
	s.Train += o.Train
	s.Cluster += o.Cluster
	s.Compile += o.Compile
}

// Event tells how far a run is.
type Event struct {
	// Message is a line for a log; empty for events that only move a
	// progress bar.
	Message string
	// Epoch of Epochs is done, with this mean loss.
	Epoch, Epochs int
	Loss          float64
	// Remaining is the estimated time left; 0 when unknown.
	Remaining time.Duration
	// Saved is set after an embedding was saved and clustered.
	Saved *Saved
}

// Options are what a run needs besides its settings; none changes the result.
type Options struct {
	// Backend runs the model; the zero value means native.
	Backend backend.Choice
	// Checkpoints is where the run saves its state every few seconds, and
	// goes on from if it was stopped. The last one stays until Discard is
	// called, so that a result that could not be written is not lost. Nil:
	// no checkpoints.
	Checkpoints *store.Store
	// CheckpointEvery is the least time between two checkpoints, which are
	// made after a step or an update. Default 5 s.
	CheckpointEvery time.Duration
	// ScratchAbove is the size of X̃ in bytes above which it is kept in a
	// memory-mapped file, beside the checkpoints or else in the system's
	// folder for temporary files, instead of in memory. The file is gone
	// when the run ends, however it does. Default: a quarter of the
	// machine's memory.
	ScratchAbove int64
	// Progress receives events, from the goroutine that called Fit.
	Progress func(Event)
}
