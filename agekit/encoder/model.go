package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// Model is the encoder Z = X̃W + b with its training state on one backend.
// The embedding of a node is its row of Z scaled to [0, 1] by the row's
// minimum and maximum and then to length 1, so that the similarity of two
// nodes is the dot product of their rows (paper, §3.4).
//
// A Model is not safe for concurrent use.
type Model interface {
	// Step trains on one batch: forward, gradients, one step of Adam. It
	// returns the batch's mean loss before the step.
	Step(Batch) (loss float64, err error)
	// Gradients returns a batch's mean loss and its gradients with respect
	// to W and b, and changes nothing.
	Gradients(Batch) (loss float64, gradients Weights, err error)
	// Embed returns the embeddings of all n nodes, n×d, with a stride that
	// is a multiple of 16 and zero padding. It is the caller's to keep.
	Embed() (blas32.General, error)
	// Weights returns a copy of the weights alone.
	Weights() (Weights, error)
	// State returns a copy of everything that training changes.
	State() (*State, error)
	// SetState puts a copy of a state in place.
	SetState(*State) error
	// Close gives back what the backend holds.
	Close()
}

// Batch is a set of node pairs with their labels: 1 for positive pairs, 0
// for negative ones.
type Batch struct {
	I, J   []int32
	Labels []float32
}

// Weights are the encoder's parameters: W, f×d, and the bias b.
type Weights struct {
	W blas32.General
	B []float32
}

// State is what training changes: the weights and Adam's moments and step
// count.
type State struct {
	Weights       Weights
	First, Second Weights
	Steps         int
}

// NewWeights returns zero weights for f features and d dimensions.
func NewWeights(f, d int) Weights {
	return Weights{W: blas32.General{Rows: f, Cols: d, Stride: d, Data: make([]float32, f*d)}, B: make([]float32, d)}
}

// InitialState returns weights and biases drawn uniformly from ±1/√f, which
// is what the published code's linear layer starts from, and zero moments.
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

// Input is what a model encodes.
type Input struct {
	// Operator, Filter and Features are the parts of X̃ = HᵗX, for a model
	// that filters within its step.
	Operator *laplacian.Operator
	Filter   laplacian.Filter
	Features graph.Features
	// Smoothed is X̃, n×f. A model may keep it.
	Smoothed blas32.General
}

// NewModel returns a model on the chosen backend, starting from a state. The
// state's sizes must fit the input's. maxPairs is the largest batch there
// will be, in pairs.
func NewModel(choice backend.Choice, in Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
	if in.Smoothed.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("encoder: %d features for weights of %d rows", in.Smoothed.Cols, start.Weights.W.Rows))
	}
	if choice.Name == backend.Native {
		return newNative(in, start, loss, learningRate, maxPairs), nil
	}
	return newGoMLX(choice, in.Smoothed, start, loss, learningRate, maxPairs)
}

// newEmbedding returns a zero n×d matrix with the padding and the stride that
// the products of this package want: room for whole tiles, and an odd number
// of cache lines a row, so that a tile's rows spread over all of the cache.
func newEmbedding(n, d int) blas32.General {
	z := newEmbeddingShape(n, d)
	z.Data = make([]float32, n*z.Stride)
	return z
}

// newEmbeddingShape returns such a matrix without its numbers.
func newEmbeddingShape(n, d int) blas32.General {
	return blas32.General{Rows: n, Cols: d, Stride: simd.Tiles(d)*simd.TileWidth + simd.Lanes}
}

// row returns row i of z with its zero padding up to a multiple of 16.
func row(z blas32.General, i int) []float32 {
	return z.Data[i*z.Stride : i*z.Stride+simd.Padded(z.Cols)]
}

// pairDots writes the similarities of pairs of rows of z.
func pairDots(dst []float32, z blas32.General, i, j []int32) {
	simd.PairDots(dst, z.Data, z.Stride, simd.Padded(z.Cols), i, j)
}

// clampProbability keeps a similarity away from 0 and 1, where its cross
// entropy has no finite value, by ε = 10⁻⁷ (float32's resolution at 1).
const clampProbability = 1e-7

// pairLoss returns the cross entropy of a pair with similarity s and its
// derivative with respect to s.
func pairLoss(kind Loss, s, label float32) (loss float64, derivative float32) {
	if kind == Logits {
		x := float64(s)
		loss = math.Max(x, 0) - x*float64(label) + math.Log1p(math.Exp(-math.Abs(x)))
		return loss, float32(1/(1+math.Exp(-x))) - label
	}
	p := min(max(s, clampProbability), 1-clampProbability)
	x, l := float64(p), float64(label)
	loss = -l*math.Log(x) - (1-l)*math.Log1p(-x)
	if p != s {
		return loss, 0
	}
	return loss, float32((x - l) / (x * (1 - x)))
}

// normalize scales a row to length 1, unless it is zero.
func normalize(r []float32) {
	var squares float64
	for _, v := range r {
		squares += float64(v) * float64(v)
	}
	if squares == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(squares))
	for k := range r {
		r[k] *= scale
	}
}

// Normalize returns x with rows scaled to length 1; zero rows stay zero.
func Normalize(x blas32.General) blas32.General {
	out := newEmbedding(x.Rows, x.Cols)
	normalizeTo(out, x)
	return out
}

// normalizeTo does what Normalize does, to a matrix that may be x itself.
func normalizeTo(out, x blas32.General) {
	parallel.Blocks(x.Rows, rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := out.Data[i*out.Stride : i*out.Stride+x.Cols]
			copy(to, x.Data[i*x.Stride:])
			normalize(to)
		}
	})
}
