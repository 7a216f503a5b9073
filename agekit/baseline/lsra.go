package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// LSRA is the paper's LS+RA (§4.2): AGE's encoder, unchanged except that it is
// trained to reconstruct the adjacency matrix. Its positive pairs are the
// entries of A + I. An equal number of negative pairs is drawn uniformly from
// all other pairs, anew for each epoch, which is one step. The paper does not
// specify the loss or the negatives; this is AGE's own loss, with the same
// balance. The zero value of a field means its default.
type LSRA struct {
	// Filter is the smoothing filter. The paper's is encoder.PaperFilter.
	Filter laplacian.Filter `json:"filter"`
	// Dims is the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims"`
	// Epochs is the number of epochs, of one step each. Default 400
	// (§4.3).
	Epochs int `json:"epochs"`
	// LearningRate is Adam's learning rate. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate"`
	// Loss is the loss of a pair. Default encoder.Probability.
	Loss encoder.Loss `json:"loss"`
}

func newLSRA(s Settings) Method {
	return LSRA{Filter: s.Filter, Dims: 500, Epochs: s.epochs(400), LearningRate: 0.001, Loss: s.Loss}
}

// Name returns "LS+RA".
func (m LSRA) Name() string { return "LS+RA" }

// Sees implements [Method].
func (m LSRA) Sees() Parts { return Features | Edges }

// Gives implements [Method].
func (m LSRA) Gives() Outputs { return Embedding | Links }

// Fit implements [Method]. Rows of the embedding have length 1, as in AGE.
func (m LSRA) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	z, err := m.embed(ctx, g, source(o.Seed), o)
	if err != nil {
		return nil, fmt.Errorf("LS+RA: %w", err)
	}
	return &Output{Embedding: z, Backend: gomlx.On(o.Backend).Name()}, nil
}

func (m LSRA) embed(ctx context.Context, g *graph.Graph, rnd *rand.Rand, o Options) (blas32.General, error) {
	dims, s := cmp.Or(m.Dims, 500), schedule{cmp.Or(m.Epochs, 400), cmp.Or(m.LearningRate, 0.001)}
	if err := validate(s, namedInt{"dims", dims, 1}); err != nil {
		return blas32.General{}, err
	}
	batch, err := newEdgeBatch(g.Adjacency)
	if err != nil {
		return blas32.General{}, err
	}
	input, err := encoder.Prepare(ctx, g, m.Filter)
	if err != nil {
		return blas32.General{}, err
	}
	defer input.Close()
	_, features := g.Features.Dims()
	model, err := gomlx.On(o.Backend).NewModel(input, encoder.InitialState(features, dims, rnd), m.Loss, s.learningRate, len(batch.Labels))
	if err != nil {
		return blas32.General{}, err
	}
	defer model.Close()
	for epoch := 1; epoch <= s.epochs; epoch++ {
		if err := ctx.Err(); err != nil {
			return blas32.General{}, fmt.Errorf("epoch %d of %d: %w", epoch, s.epochs, err)
		}
		drawNonEdges(batch, g.Adjacency, rnd)
		loss, err := model.Step(batch)
		if err != nil {
			return blas32.General{}, fmt.Errorf("epoch %d of %d: %w", epoch, s.epochs, err)
		}
		if err := s.diverged(epoch, loss); err != nil {
			return blas32.General{}, err
		}
		o.report(Event{Epoch: epoch, Epochs: s.epochs, Loss: loss})
	}
	weights, err := model.Weights()
	if err != nil {
		return blas32.General{}, err
	}
	return encoder.Embed(ctx, model, g.N(), weights)
}

// newEdgeBatch returns the entries of A + I as positive pairs, with room for
// an equal number of negative pairs.
func newEdgeBatch(a *graph.CSR) (encoder.Batch, error) {
	count, pairs := a.NNZ()+a.Rows, a.Rows*a.Rows
	switch {
	case a.NNZ() == 0:
		return encoder.Batch{}, errNoEdges
	case pairs-count < count:
		return encoder.Batch{}, fmt.Errorf("%d of %d pairs of nodes are edges: want at most half", count, pairs)
	}
	b := encoder.Batch{I: make([]int32, 0, 2*count), J: make([]int32, 0, 2*count), Labels: make([]float32, 2*count)}
	for i := range a.Rows {
		neighbors, _ := a.Row(i)
		for _, j := range append([]int32{int32(i)}, neighbors...) {
			b.I, b.J = append(b.I, int32(i)), append(b.J, j)
		}
	}
	for k := range count {
		b.Labels[k] = 1
	}
	b.I, b.J = b.I[:2*count], b.J[:2*count]
	return b, nil
}

// drawNonEdges fills the second half of a batch with ordered pairs that are
// not entries of A + I, drawn with replacement.
func drawNonEdges(b encoder.Batch, a *graph.CSR, rnd *rand.Rand) {
	n := int32(a.Rows)
	for k := len(b.I) / 2; k < len(b.I); {
		i, j := rnd.Int32N(n), rnd.Int32N(n)
		if i != j && a.At(int(i), int(j)) == 0 {
			b.I[k], b.J[k] = i, j
			k++
		}
	}
}
