package step

import (
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Weights holds the encoder's parameters: W, f×d, and the bias b of length d.
type Weights struct {
	W blas32.General
	B []float32
}

// NewWeights returns zero weights for f features and d dimensions.
func NewWeights(f, d int) Weights {
	return Weights{W: blas32.General{Rows: f, Cols: d, Stride: d, Data: make([]float32, f*d)}, B: make([]float32, d)}
}

// State holds all that training changes: the weights, Adam's moments, the number of steps.
type State struct {
	Weights       Weights
	First, Second Weights // Adam's first and second moments
	Steps         int     // that have been taken
}

// InitialState returns weights and biases drawn uniformly from [−1/√f, 1/√f), as the
// published code initializes its linear layer, and zero moments.
func InitialState(f, d int, rnd *rand.Rand) *State {
	s := &State{Weights: NewWeights(f, d), First: NewWeights(f, d), Second: NewWeights(f, d)}
	bound := 1 / math.Sqrt(float64(f))
	for _, values := range [][]float32{s.Weights.W.Data, s.Weights.B} {
		for i := range values {
			values[i] = float32((2*rnd.Float64() - 1) * bound)
		}
	}
	return s
}

// storedWeights is the serialized form of Weights.
type storedWeights struct{ W, B store.Matrix }

// MarshalBinary encodes the weights as raw numbers.
func (w Weights) MarshalBinary() ([]byte, error) {
	return store.Encode(storedWeights{store.Matrix{General: w.W}, store.Matrix{General: w.Bias()}})
}

// UnmarshalBinary decodes what MarshalBinary wrote.
func (w *Weights) UnmarshalBinary(data []byte) error {
	var s storedWeights
	if err := store.Decode(data, &s); err != nil {
		return err
	}
	w.W, w.B = s.W.General, s.B.Data
	return nil
}

// Bias returns b as a matrix with one row.
func (w Weights) Bias() blas32.General {
	return blas32.General{Rows: 1, Cols: len(w.B), Stride: len(w.B), Data: w.B}
}

// Length returns the Euclidean norm of all numbers of W and b together.
func (w Weights) Length() float64 {
	return math.Sqrt(linalg.SumOfSquares(w.W.Data) + linalg.SumOfSquares(w.B))
}
