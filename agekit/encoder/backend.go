package encoder

import (
	"math/rand/v2"

	"github.com/agekit/age/internal/affine"
)

// Backend trains on one kind of device: the native one is sparse SIMD code on the CPU,
// and package encoder/gomlx has GoMLX's. Its Name is what results report: "native",
// "go", "xla:cpu", ….
type Backend = affine.Backend

// Weights holds the linear layer's parameters: W, f×d, and the bias B of length d.
type Weights = affine.Weights

// Loss says how the cross entropy interprets the similarity s of a pair.
type Loss = affine.Loss

const (
	// Probability takes s as the probability that the pair is positive (paper, equation 15).
	Probability = affine.Probability
	// Logits takes s as a logit, as the paper's published code does.
	Logits = affine.Logits
)

// InitialWeights returns weights and biases drawn uniformly from [−1/√f, 1/√f), as
// a training starts with and as the published code initializes its linear layer.
func InitialWeights(f, d int, rnd *rand.Rand) Weights { return affine.InitialState(f, d, rnd).Weights }

// PairLoss returns the native step's mean loss for the given weights, of the pairs of
// nodes (i[k], j[k]) with labels 1 (positive) and 0 (negative).
func (in *Input) PairLoss(w Weights, i, j []int32, labels []float32, loss Loss) (float64, error) {
	f, d := w.W.Rows, w.W.Cols
	state := &affine.State{Weights: w, First: affine.NewWeights(f, d), Second: affine.NewWeights(f, d)}
	m, err := affine.Native.NewModel(in.model(), state, affine.Steps{Loss: loss, Pairs: len(i)})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	mean, _, err := m.Gradients(affine.Batch{I: i, J: j, Labels: labels})
	return mean, err
}
