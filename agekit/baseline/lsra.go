package baseline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// LSRA is the paper's LS+RA (§4.2): AGE's encoder, in every respect but one,
// trained to reconstruct the adjacency matrix. Its positive pairs are the
// entries of A + I, and its negative ones as many pairs drawn uniformly from
// the others, anew for each epoch, which is one step. The paper leaves loss
// and negatives open; this is AGE's own loss, balanced as there. The zero value
// of a field means its default.
type LSRA struct {
	// K is the filter's k. Default 2/3 (§4.3).
	K float64 `json:"k"`
	// Layers is t, the number of times the filter is applied. Default 8
	// (table 6, Cora).
	Layers int `json:"layers"`
	// Dims is the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims"`
	// Epochs of one step each. Default 400 (§4.3).
	Epochs int `json:"epochs"`
	// LearningRate of Adam. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate"`
	// Loss is Probability by default.
	Loss encoder.Loss `json:"loss"`
}

// Name returns "LS+RA".
func (m LSRA) Name() string { return "LS+RA" }

// Embed implements [Method]. Rows of the embedding have length 1, as AGE's.
func (m LSRA) Embed(ctx context.Context, g *graph.Graph, seed uint64, o Options) (blas32.General, error) {
	z, err := m.embed(ctx, g, source(seed), o)
	if err != nil {
		return blas32.General{}, fmt.Errorf("LS+RA: %w", err)
	}
	return z, nil
}

func (m LSRA) embed(ctx context.Context, g *graph.Graph, rnd *rand.Rand, o Options) (blas32.General, error) {
	f := laplacian.Filter{K: fallback(m.K, 2.0/3), Layers: fallback(m.Layers, 8)}
	dims := fallback(m.Dims, 500)
	s := schedule{fallback(m.Epochs, 400), fallback(m.LearningRate, 0.001)}
	if err := validate(s, namedInt{"layers", f.Layers, 1}, namedInt{"dims", dims, 1}); err != nil {
		return blas32.General{}, err
	}
	batch, err := newEdgeBatch(g.Adjacency)
	if err != nil {
		return blas32.General{}, err
	}
	input := encoder.Input{Operator: laplacian.New(g.Adjacency), Filter: f, Features: g.Features}
	if input.Smoothed, err = f.Smooth(ctx, input.Operator, g.Features); err != nil {
		return blas32.General{}, err
	}
	_, features := g.Features.Dims()
	model, err := encoder.NewModel(backend.Choice{Name: backend.Native}, input, encoder.InitialState(features, dims, rnd), m.Loss, s.learningRate, len(batch.Labels))
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
		o.report(Event{Epoch: epoch, Epochs: s.epochs, Loss: loss})
	}
	return model.Embed()
}

// newEdgeBatch returns the entries of A + I as positive pairs, and room for as
// many negative ones.
func newEdgeBatch(a *graph.CSR) (encoder.Batch, error) {
	count, pairs := a.NNZ()+a.Rows, a.Rows*a.Rows
	switch {
	case a.NNZ() == 0:
		return encoder.Batch{}, errNoEdges
	case pairs-count < count:
		return encoder.Batch{}, fmt.Errorf("%d of %d pairs of nodes are edges: want half of them at most", count, pairs)
	}
	b := encoder.Batch{I: make([]int32, 0, 2*count), J: make([]int32, 0, 2*count), Labels: make([]float32, 2*count)}
	for i := range a.Rows {
		neighbours, _ := a.Row(i)
		for _, j := range append([]int32{int32(i)}, neighbours...) {
			b.I, b.J = append(b.I, int32(i)), append(b.J, j)
		}
	}
	for k := range count {
		b.Labels[k] = 1
	}
	b.I, b.J = b.I[:2*count], b.J[:2*count]
	return b, nil
}

// drawNonEdges fills the second half of a batch with ordered pairs that are no
// entries of A + I, with replacement.
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

var errNoEdges = errors.New("the graph has no edges: nothing to reconstruct")
