package encoder

import (
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is what a training gives.
type Result struct {
	// Encoder is the trained encoder, which embeds the nodes of this and
	// other graphs with the same features.
	Encoder *Encoder
	// Embedding is Ẑ, n×d. Of several members it holds the embeddings side
	// by side, divided by the root of their number: its similarities are
	// the means of theirs.
	Embedding blas32.General
	// Labels are the clusters, 0 to Clusters−1; nil with Options.Judge.
	// A single member's are those of the chosen epoch. Several members'
	// are found by [cluster.SpectralConsensus], or, above
	// pairs.SampledAbove nodes, by one clustering.
	Labels []int
	// Clusterings is the number of clusterings that Labels are the
	// consensus of, and Scaling the one of their spectral embedding.
	Clusterings int
	Scaling     cluster.Scaling
	// DaviesBouldin is the index of Labels, of the rows of ẐẐᵗ; 0 with
	// Options.Judge.
	DaviesBouldin float64
	// LambdaMax is λmax of L̃sym; 0 where it is not known.
	LambdaMax float64
	// Ranking is pairs.Exact or pairs.Sampled.
	Ranking pairs.Ranking
	// Backend is the backend that ran, Product how it computes X̃W, and SIMD
	// the level of the inner loops on the processor.
	Backend, Product, SIMD string
	// Members are the trainings, one or more.
	Members []Member
	// Programs is the number of programs that a GoMLX backend compiled.
	Programs int
	// Seconds is the time spent on each stage.
	Seconds Seconds
}

// Member is one training.
type Member struct {
	// Seed is the member's own.
	Seed uint64
	// Epoch is the chosen epoch: the saved one with the lowest score, the
	// latest of several (paper, §3.4.2).
	Epoch int
	// Score is the chosen epoch's, and DaviesBouldin its index of the
	// clusters that were found then; the two are the same without
	// Options.Judge, and the latter is 0 with it.
	Score, DaviesBouldin float64
	// Saved lists every saved embedding, in order.
	Saved []Saved
	// Loss is the mean loss of each epoch.
	Loss []float64
}

// Saved is what is known of the embedding saved after an epoch, and of the
// pairs selected by it.
type Saved struct {
	Epoch int
	// Score and DaviesBouldin are as in [Member].
	Score, DaviesBouldin float64
	// Positives, the thresholds and their standard errors describe the
	// selection for the following epochs (see [pairs.Selection]); zero
	// after the last one, and with FixedPairs.
	Positives                            int
	PosThreshold, NegThreshold           float32
	PosThresholdError, NegThresholdError float32
}

// Seconds are the stages of a run in seconds of wall clock, over all sessions
// of the run. Compile is the time that a GoMLX backend spent on compiling its
// programs, with the first run of each, in the last session; it is part of the
// other stages.
type Seconds struct{ Filter, Select, Train, Cluster, Compile float64 }

func (s *Seconds) add(o Seconds) {
	s.Filter += o.Filter
	s.Select += o.Select
	s.Train += o.Train
	s.Cluster += o.Cluster
	s.Compile += o.Compile
}

// stopwatch adds the time until the returned function is called to a total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}

// Event tells how far a run is.
type Event struct {
	// Message is a line for a log; empty for events that only move a
	// progress bar.
	Message string
	// Epoch of Epochs is done, with this mean loss. The epochs of several
	// members are counted on.
	Epoch, Epochs int
	Loss          float64
	// Remaining is the estimated time left; 0 when unknown.
	Remaining time.Duration
	// Saved is set after an embedding was saved and judged.
	Saved *Saved
}
