package encoder

import (
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/progress"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is the result of a training run.
type Result struct {
	// Encoder embeds the nodes of this graph and of others with the same features.
	Encoder *Encoder
	// Embedding is Ẑ, n×d. Several members' stand side by side, divided by the square
	// root of their number: similarities are the members' means. With Running.InBlocks and
	// a sample it has no rows.
	Embedding blas32.General
	// Sample is the number of nodes that the encoder was trained on: n without a sample.
	Sample int
	// Labels are the clusters of the nodes, 0 to Clusters−1. For one member they are those of the
	// chosen epoch, and for several those of [cluster.SpectralConsensus], or of one clustering
	// above 10,000 nodes. After a training on a sample they are those of one clustering of all
	// nodes. They are nil with Options.Judge.
	Labels []int
	// Clusterings is the number of clusterings of which Labels is the consensus, and
	// Scaling the scaling of their spectral embeddings.
	Clusterings int
	Scaling     cluster.Scaling
	// DaviesBouldin is the index of Labels for the rows of ẐẐᵗ; 0 with Options.Judge.
	DaviesBouldin float64
	// LambdaMax is λmax of L̃sym; 0 if it is unknown.
	LambdaMax float64
	// Ranking is pairs.Exact or pairs.Sampled.
	Ranking pairs.Ranking
	// Backend is the name of the backend, Product describes how it computes
	// X̃W, and SIMD is the instruction set of the inner loops on the CPU.
	Backend, Product, SIMD string
	// Members describes the training of each member; empty without training.
	Members []Member
	// Programs is the number of programs that a GoMLX backend compiled.
	Programs int
	// Seconds is the time spent on each stage.
	Seconds Seconds

	cleanups []func() error // for Discard: each removes a checkpoint or closes the input
	rows     linalg.Rows    // of the embedding; nil if Embedding has them
}

// Rows returns the rows of the embedding: those in memory, or else those that are computed, by
// this process or the engine, when they are asked for.
func (r *Result) Rows() linalg.Rows {
	if r.rows != nil {
		return r.rows
	}
	return linalg.InMemory(r.Embedding)
}

// Member describes the training of one member.
type Member struct {
	// Seed is the member's own seed.
	Seed uint64
	// Epoch is the chosen epoch: the saved one with the lowest score, or the latest of
	// several (paper, §3.4.2).
	Epoch int
	// Score is the chosen epoch's score, and DaviesBouldin the index of its clusters:
	// the same without Options.Judge; 0 with it.
	Score, DaviesBouldin float64
	// Saved lists every saved embedding, in order.
	Saved []Saved
	// Loss is the mean loss of each epoch.
	Loss []float64
}

// Saved describes the embedding saved after an epoch and the pairs selected by it.
type Saved struct {
	Epoch int
	// Score and DaviesBouldin are as in [Member].
	Score, DaviesBouldin float64
	// Positives, the thresholds and their standard errors describe the selection for the
	// following epochs ([pairs.Selection]); 0 after the last epoch and with FixedPairs.
	Positives                            int
	PosThreshold, NegThreshold           float32
	PosThresholdError, NegThresholdError float32
}

// Seconds holds the wall-clock seconds of each stage, summed over all sessions of a
// run. Cluster is the sum over saved embeddings, which are judged beside the training and
// several at a time, so it is no part of the time that a run takes. Nor is Compile: the sum
// over the programs of the last session that a GoMLX backend compiled, at the same time.
type Seconds struct {
	Filter  float64 `json:"filter"`
	Select  float64 `json:"select"`
	Train   float64 `json:"train"`
	Cluster float64 `json:"cluster"`
	Compile float64 `json:"compile,omitempty"`
}

// add adds the seconds of o to s, stage by stage.
func (s *Seconds) add(o Seconds) {
	s.Filter += o.Filter
	s.Select += o.Select
	s.Train += o.Train
	s.Cluster += o.Cluster
	s.Compile += o.Compile
}

// stopwatch starts timing; the returned function adds the elapsed seconds to total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}

// Training is the Stage of the events of a training.
const Training = "training"

// Event reports the progress of a run.
type Event struct {
	// Event has the number of epochs done, of all members, as Done, and Total of them; or it is
	// a line.
	progress.Event
	// Loss is the mean loss of the last epoch.
	Loss float64
	// Saved are the embeddings of this member whose judges were done since the last event,
	// in the order of their epochs: they may be those of earlier ones.
	Saved []Saved
}
