package step

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Input is the input of a model: smoothed features and their parts.
type Input struct {
	// Smoothed is X̃ = Hᵗ(X/Unit), n×f.
	Smoothed blas32.General
	// With the following, if Features are sparse, a model may compute Hᵗ(XW) in every step
	// instead of X̃W.
	Features graph.Features      // X
	Unit     float64             // by which X is divided; 0 means 1
	Operator *laplacian.Operator // L̃sym
	Filter   laplacian.Filter    // the k of H = I − k·L̃sym, and t
}

// Smooth returns X̃, which it computes from the features in new memory, with the shape of
// Smoothed. It does not change the input. It is an error if X̃ does not fit in memory.
func (input *Input) Smooth(ctx context.Context) (blas32.General, error) {
	x := input.Smoothed
	if err := system.CheckMemory("the smoothed features", 4*float64(x.Rows)*float64(x.Stride)); err != nil {
		return x, err
	}
	x.Data = make([]float32, x.Rows*x.Stride)
	return x, input.Filter.SmoothTo(ctx, x, input.Operator, input.Features, input.Unit)
}

// Backend creates models that run on one kind of device. [Native] is this
// package's own; package encoder/gomlx has GoMLX's.
type Backend interface {
	// Name returns the name that results report: "native", "go", "xla:cpu", ….
	Name() string
	// NewModel returns a model that starts from the given state, whose shapes must fit
	// the input.
	NewModel(input *Input, start *State, s Steps) (Model, error)
}

// Steps says what kind of steps a model takes, and for how much work it must have room.
type Steps struct {
	Loss         Loss
	LearningRate float64 // Adam's
	Pairs        int     // the most pairs of a batch
	Epoch        int     // the most steps of an epoch; 0 means 1
	// Positives and Candidates are the most positive pairs and candidates for negative ones
	// ([pairs.Candidates]) of a selection among all pairs; 0 if there is none.
	Positives, Candidates int
}

// Model is the encoder Z = X̃W + b with its training state on one backend. A node's
// embedding is its row of Z, scaled to [0, 1] by the row's minimum and maximum and then
// to length 1, so that the similarity of two nodes is the dot product of their rows
// (paper, §3.4). A Model is not safe for concurrent use.
type Model interface {
	// Train takes a step on each batch: forward pass, gradients, one step of Adam. Now and
	// then it passes to done the batches' mean losses before their steps, in order: of as
	// many steps as a device takes in about a tenth of a second, or of one. The state is
	// then that after these steps. Train may draw batches beforehand, on another goroutine.
	// The first error of a step, batches or done ends it and is returned, after the steps
	// before it.
	Train(batches iter.Seq2[Batch, error], done func(losses []float64) error) error
	// Gradients returns a batch's mean loss and its gradients with respect to W and b.
	// It does not change the model.
	Gradients(Batch) (loss float64, gradients Weights, err error)
	// EmbedTo writes the embeddings of all n nodes for the given weights, which need
	// not be the model's own, to z: n×d, in the layout of linalg.New.
	EmbedTo(ctx context.Context, z blas32.General, w Weights) error
	// Weights returns a copy of the weights.
	Weights() (Weights, error)
	// State returns a copy of everything that training changes.
	State() (*State, error)
	// Select is [pairs.Select] for the rows of z, on the model's device or the host, whichever
	// is faster.
	Select(ctx context.Context, z blas32.General, positives, negatives float64, o pairs.Options) (*pairs.Selection, error)
	// Product describes how X̃W is computed, for the log.
	Product() string
	// Usage reports how the device was used so far.
	Usage() Usage
	// Close frees the backend's resources.
	Close()
}

// Usage reports how a model used its device.
type Usage struct {
	// Programs is the number of programs compiled, and Compile the sum of the times that this
	// took, which overlap: 0 on [Native].
	Programs int
	Compile  time.Duration
	// OnHost names the stages that ran on the host because the device had too little memory.
	OnHost []string
}

// Embed returns the embeddings of all n nodes for the given weights in a new n×d matrix.
func Embed(ctx context.Context, m Model, n int, w Weights) (blas32.General, error) {
	z := linalg.New(n, w.W.Cols)
	return z, m.EmbedTo(ctx, z, w)
}

// Step takes one step and returns the batch's mean loss before it.
func Step(m Model, b Batch) (loss float64, err error) {
	batches := func(yield func(Batch, error) bool) { yield(b, nil) }
	err = m.Train(batches, func(losses []float64) error {
		loss = losses[0]
		return nil
	})
	return loss, err
}

// Batch is a list of node pairs (I[k], J[k]) with labels: 1 for positive, 0 for
// negative ones.
type Batch struct {
	I, J   []int32
	Labels []float32
}

// NewBatch returns the batch of the positive pairs (positiveI[k], positiveJ[k]), labeled 1,
// followed by as many negative pairs, labeled 0. It copies all four slices.
func NewBatch(positiveI, positiveJ, negativeI, negativeJ []int32) Batch {
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

// Loss says how the cross entropy interprets the similarity s of a pair.
type Loss string

const (
	// Probability takes s as the probability that the pair is positive (paper, equation 15).
	Probability Loss = "probability"
	// Logits takes s as a logit, as the paper's published code does.
	Logits Loss = "logits"
)

// ClampProbability is ε = 10⁻⁷, about the resolution of float32 at 1. The loss Probability
// clamps similarities to [ε, 1−ε]: at 0 and 1 the cross entropy is not finite.
const ClampProbability = 1e-7

// pairLoss returns the cross entropy of a pair with similarity s, and its derivative with
// respect to s. The label is 1 for a positive pair and 0 for a negative one.
func pairLoss(kind Loss, s, label float32) (loss float64, derivative float32) {
	if kind == Logits {
		// log(1+eˣ) − label·x, written so that no exponential overflows.
		x := float64(s)
		loss = math.Max(x, 0) - x*float64(label) + math.Log1p(math.Exp(-math.Abs(x)))
		return loss, float32(1/(1+math.Exp(-x))) - label
	}
	p := min(max(s, ClampProbability), 1-ClampProbability)
	x, l := float64(p), float64(label)
	loss = -l*math.Log(x) - (1-l)*math.Log1p(-x)
	if p != s {
		return loss, 0 // a clamped similarity does not change the loss
	}
	return loss, float32((x - l) / (x * (1 - x)))
}
