package encoder

// This part has the random choices of a training with exact ranking and one step per epoch,
// for a program that implements algorithm 1 itself and wants the embedding of Fit.

import (
	"context"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// FirstWeights returns the weights with which the training of the first member on g begins.
func (o Options) FirstWeights(g *graph.Graph) Weights {
	_, features := g.Features.Dims()
	c := o.ForGraph(g).members()[0]
	return step.InitialState(features, c.Dims, c.random(rng.Weights, 0)).Weights
}

// DrawNegatives returns the ends of the negative pairs of the first member's epoch after that many
// epochs. The rows of z, of length 1, are those by which the pairs of this epoch were selected.
func (o Options) DrawNegatives(ctx context.Context, g *graph.Graph, z blas32.General, epoch int) (i, j []int32, err error) {
	s := source{c: o.ForGraph(g).members()[0], selectAll: pairs.Select}
	if err := s.choose(ctx, z, epoch-s.sinceSelection(epoch)); err != nil {
		return nil, nil, err
	}
	for b, err := range s.batches(ctx, epoch, 0, epoch+1) {
		if err != nil {
			return nil, nil, err
		}
		half := len(b.I) / 2
		i, j = append(i, b.I[half:]...), append(j, b.J[half:]...)
	}
	return i, j, nil
}
