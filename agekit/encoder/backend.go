package encoder

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
)

// Backend trains on one kind of device: the native one is sparse SIMD code on the CPU,
// and package encoder/gomlx has GoMLX's. Its Name is what results report: "native",
// "go", "xla:cpu", ….
type Backend = step.Backend

// Weights holds the linear layer's parameters: W, f×d, and the bias B of length d.
type Weights = step.Weights

// Loss says how the cross entropy interprets the similarity s of a pair.
type Loss = step.Loss

const (
	// Probability takes s as the probability that the pair is positive (paper, equation 15).
	Probability = step.Probability
	// Logits takes s as a logit, as the paper's published code does.
	Logits = step.Logits
)

// InitialWeights returns weights and biases drawn uniformly from [−1/√f, 1/√f), as
// a training starts with and as the published code initializes its linear layer.
func InitialWeights(f, d int, rnd *rand.Rand) Weights { return step.InitialState(f, d, rnd).Weights }

// timedSteps is the number of steps in a round, and timedRounds the number of rounds that are timed.
const timedSteps, timedRounds = 3, 3

// TimeSteps takes training steps on a backend, from the weights w and with the loss and the learning
// rate of c, all on the same batch: the pairs of nodes (i[k], j[k]) with labels 1 (positive) and 0
// (negative). It returns the mean loss before each step, and the seconds of a step: the mean of a
// round of timedSteps, in the fastest of timedRounds. The round before those, which waits for
// compilers, is not timed. It returns the errors of the backend, and stops after a step when ctx is
// done.
func (input *Input) TimeSteps(ctx context.Context, on Backend, w Weights, i, j []int32, labels []float32, c Config) (losses []float64, seconds float64, err error) {
	c = c.withDefaults()
	f, d := w.W.Rows, w.W.Cols
	state := &step.State{Weights: w, First: step.NewWeights(f, d), Second: step.NewWeights(f, d)}
	m, err := on.NewModel(input.model(), state, step.Steps{Loss: c.Loss, LearningRate: c.LearningRate, Pairs: len(i), Epoch: timedSteps})
	if err != nil {
		return nil, 0, err
	}
	defer m.Close()
	batch := step.Batch{I: i, J: j, Labels: labels}
	batches := func(yield func(step.Batch, error) bool) {
		for range timedSteps {
			if !yield(batch, nil) {
				return
			}
		}
	}
	keep := func(some []float64) error {
		losses = append(losses, some...)
		return ctx.Err()
	}
	seconds = math.Inf(1)
	for round := range 1 + timedRounds {
		start := time.Now()
		if err := m.Train(batches, keep); err != nil {
			return nil, 0, err
		}
		if round > 0 { // the first one waits for compilers
			seconds = min(seconds, time.Since(start).Seconds()/timedSteps)
		}
	}
	return losses, seconds, nil
}
