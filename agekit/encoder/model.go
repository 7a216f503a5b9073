package encoder

import (
	"context"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/blas/blas32"
)

// Backend makes the models that run on one kind of device. [Native] is this
// package's own; package encoder/gomlx has GoMLX's.
type Backend interface {
	// Name is what results report: "native", "go", "xla:cpu", ….
	Name() string
	// NewModel returns a model that starts from a state, whose sizes must
	// fit the input's. No batch will have more than maxPairs pairs.
	NewModel(in *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error)
}

// Model is the encoder Z = X̃W + b with its training state on one backend. The
// embedding of a node is its row of Z, scaled to [0, 1] by the row's minimum
// and maximum and then to length 1, so that the similarity of two nodes is the
// dot product of their rows (paper, §3.4).
//
// A Model is not safe for concurrent use.
type Model interface {
	// Step trains on one batch: forward pass, gradients, one step of Adam.
	// It returns the batch's mean loss before the step.
	Step(Batch) (loss float64, err error)
	// Gradients returns a batch's mean loss and its gradients with respect
	// to W and b, and changes nothing.
	Gradients(Batch) (loss float64, gradients Weights, err error)
	// EmbedTo writes to z the embeddings that the given weights, which need
	// not be the model's own, give all n nodes: n×d, with the shape that
	// [Embed] returns.
	EmbedTo(ctx context.Context, z blas32.General, w Weights) error
	// Weights returns a copy of the weights.
	Weights() (Weights, error)
	// State returns a copy of everything that training changes.
	State() (*State, error)
	// Gram computes similarities where this is fastest, on the model's
	// device or on the host.
	Gram(left, right blas32.General, symmetric bool) (pairs.Gram, error)
	// Affinity returns ZZᵀ, with its products computed where this is
	// fastest.
	Affinity(z blas32.General) cluster.Affinity
	// Product says how X̃W is computed, for the log.
	Product() string
	// Usage tells what the device did so far.
	Usage() Usage
	// Close frees what the backend holds.
	Close()
}

// Usage is what a model's device did.
type Usage struct {
	// Programs is the number of programs compiled, and Compile the time
	// that took, the first run of each included. Both are 0 on [Native].
	Programs int
	Compile  time.Duration
	// OnHost names the stages for which the device had too little memory.
	OnHost []string
}

// Embed returns the embeddings that the given weights give all n nodes, in a
// new n×d matrix whose stride is a multiple of 16, with zero padding.
func Embed(ctx context.Context, m Model, n int, w Weights) (blas32.General, error) {
	z := dense.New(n, w.W.Cols)
	return z, m.EmbedTo(ctx, z, w)
}

// Batch is a set of node pairs with their labels: 1 for positive pairs, 0
// for negative ones.
type Batch struct {
	I, J   []int32
	Labels []float32
}

// newBatch joins positive pairs and as many negative ones.
func newBatch(positiveI, positiveJ, negativeI, negativeJ []int32) Batch {
	count := len(positiveI)
	b := Batch{
		I:      append(positiveI[:count:count], negativeI...),
		J:      append(positiveJ[:count:count], negativeJ...),
		Labels: make([]float32, 2*count),
	}
	for k := range count {
		b.Labels[k] = 1
	}
	return b
}
