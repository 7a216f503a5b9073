package method

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// lsra is the paper's LS+RA (§4.2): AGE's encoder, but trained to reconstruct the
// adjacency matrix. Its positive pairs are the entries of A + I, and for each epoch,
// which is one step, it draws as many negative pairs uniformly from all others. The
// paper does not specify the loss or the negatives; this is AGE's own loss, with the
// same balance.
type lsra struct {
	Filter       laplacian.Filter `json:"filter"`        // the paper's is that of encoder.PaperOptions
	Dims         int              `json:"dims"`          // width of the embedding; default 500 (§4.3)
	Epochs       int              `json:"epochs"`        // of one step each; default 400 (§4.3)
	LearningRate float64          `json:"learning_rate"` // Adam's; default 0.001 (§4.3)
	Loss         encoder.Loss     `json:"loss"`          // of a pair; default encoder.Probability
}

// newLSRA returns the method's settings: those of s that apply, and defaults for the others.
func newLSRA(s Settings) lsra {
	return lsra{Filter: s.Filter, Dims: 500, Epochs: s.epochs(400), LearningRate: 0.001, Loss: cmp.Or(s.Loss, encoder.Probability)}
}

// fit returns an embedding whose rows have length 1, as in AGE.
func (m lsra) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := cmp.Or(checkAtLeast("dims", m.Dims, 1), checkSchedule(m.Epochs, m.LearningRate), checkEdges(g)); err != nil {
		return nil, err
	}
	batch, err := newEdgeBatch(g.Adjacency)
	if err != nil {
		return nil, err
	}
	prepared, err := encoder.Prepare(ctx, g, encoder.Options{Filter: m.Filter})
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	input := &step.Input{
		Smoothed: prepared.Smoothed,
		Features: g.Features,
		Unit:     prepared.Unit,
		Operator: prepared.Operator,
		Filter:   prepared.Filter,
	}
	rnd, on := source(o.Seed), gomlx.On(o.Backend)
	// The encoder's own steps train. The trainer has their state, weights and moments, for checkpoints.
	state := step.InitialState(prepared.Smoothed.Cols, m.Dims, rnd)
	t := newHostTrainer(g, o, on.Name())
	optimizer := t.hostStep(0,
		parameter{value: state.Weights.W, first: state.First.W, second: state.Second.W},
		parameter{value: oneRow(state.Weights.B), first: oneRow(state.First.B), second: oneRow(state.Second.B)})
	t.restore() // into state, so that the encoder starts with the last checkpoint
	state.Steps = optimizer.count
	steps, err := on.NewModel(input, state, step.Steps{Loss: m.Loss, LearningRate: m.LearningRate, Pairs: len(batch.Labels)})
	if err != nil {
		return nil, err
	}
	defer steps.Close()
	t.fetch = func() error {
		now, err := steps.State()
		if err != nil {
			return err
		}
		for _, pair := range []struct{ dst, src step.Weights }{
			{dst: state.Weights, src: now.Weights},
			{dst: state.First, src: now.First},
			{dst: state.Second, src: now.Second},
		} {
			copy(pair.dst.W.Data, pair.src.W.Data)
			copy(pair.dst.B, pair.src.B)
		}
		return nil
	}
	drawn := 0 // epochs whose pairs were drawn
	return t.run(ctx, model{
		epochs: m.Epochs,
		// All epochs draw from one source, so a training that goes on from a
		// checkpoint repeats the draws of the epochs before it.
		epoch: func(epoch int, _ *rand.Rand) (float64, error) {
			for ; drawn < epoch; drawn++ {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				drawNonEdges(batch, g.Adjacency, rnd)
			}
			optimizer.count++
			return step.Step(steps, batch)
		},
		embed: func() (blas32.General, error) {
			weights, err := steps.Weights()
			if err != nil {
				return blas32.General{}, err
			}
			return step.Embed(ctx, steps, g.N(), weights)
		},
	})
}

// oneRow returns b as a matrix of one row, with the same numbers and not a copy.
func oneRow(b []float32) blas32.General {
	return blas32.General{Rows: 1, Cols: len(b), Stride: len(b), Data: b}
}

// newEdgeBatch returns a batch whose first half has the entries of A + I as pairs with the label 1. The
// second half is for as many pairs with the label 0 ([drawNonEdges]). It returns an error if there are
// fewer such pairs of nodes.
func newEdgeBatch(a *graph.CSR) (step.Batch, error) {
	count, pairs := a.NNZ()+a.Rows, a.Rows*a.Rows // entries of A + I, and of any n×n matrix
	if pairs-count < count {
		return step.Batch{}, fmt.Errorf("%d of %d pairs of nodes are edges: want at most half", count, pairs)
	}
	b := step.Batch{I: make([]int32, 0, 2*count), J: make([]int32, 0, 2*count), Labels: make([]float32, 2*count)}
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

// drawNonEdges fills the second half of b with ordered pairs of nodes that are not entries of A + I,
// drawn uniformly and with replacement.
func drawNonEdges(b step.Batch, a *graph.CSR, rnd *rand.Rand) {
	n := int32(a.Rows)
	for k := len(b.I) / 2; k < len(b.I); {
		i, j := rnd.Int32N(n), rnd.Int32N(n)
		if i != j && a.At(int(i), int(j)) == 0 {
			b.I[k], b.J[k] = i, j
			k++
		}
	}
}
