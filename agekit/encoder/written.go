package encoder

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/affine"
	"gonum.org/v1/gonum/blas/blas32"
)

// RandomStreams has the random choices of a training with exact ranking and one step per
// epoch, for a program that implements algorithm 1 itself and wants the embedding of [Fit].
type RandomStreams struct{ c Config }

// RandomStreams returns the random choices of the first member of a training on g.
func (o Options) RandomStreams(g *graph.Graph) RandomStreams {
	return RandomStreams{o.ForGraph(g).members()[0]}
}

// Weights returns the weights with which the training begins.
func (r RandomStreams) Weights(features int) Weights {
	return affine.InitialState(features, r.c.Dims, r.c.random(streamWeights, 0)).Weights
}

// Negatives returns the negative pairs of the epoch after the given number of epochs. The
// rows of z, of length 1, are those that the last selection ranked.
func (r RandomStreams) Negatives(ctx context.Context, z blas32.General, epoch int) (i, j []int32, err error) {
	s := source{c: r.c}
	if err := s.choose(ctx, z, epoch-s.sinceSelection(epoch)); err != nil {
		return nil, nil, err
	}
	err = s.batches(ctx, epoch, 0, func(b affine.Batch) error {
		half := len(b.I) / 2
		i, j = append(i, b.I[half:]...), append(j, b.J[half:]...)
		return nil
	})
	return i, j, err
}
