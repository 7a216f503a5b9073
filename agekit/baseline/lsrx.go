package baseline

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
)

var methodLSRX = declare(Info{
	Name: "LS+RX", Sees: Features | Edges, Gives: Embedding, Trained: true, Variant: true, Tables: []string{"table3"},
	Source: agePaper,
}, newLSRX)

// lsrx is the paper's LS+RX (§4.2): a linear encoder of the smoothed features,
// trained to reconstruct the features. The paper does not specify the decoder
// or the loss; here the encoder is Z = X̃W, the decoder is ZUᵗ ≈ X, and the
// loss is the mean squared error, which makes it a linear autoencoder. X is
// divided by its unit (units.Of). The zero value of a field means
// its default.
type lsrx struct {
	// Filter is the smoothing filter. The paper's is that of paper.Settings.
	Filter laplacian.Filter `json:"filter"`
	// Dims is the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims"`
	// Epochs is the number of epochs, of one step each. Default 400
	// (§4.3).
	Epochs int `json:"epochs"`
	// LearningRate is Adam's learning rate. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate"`
}

func newLSRX(s Settings) lsrx {
	return lsrx{Filter: s.Filter, Dims: 500, Epochs: s.epochs(400), LearningRate: 0.001}
}
func (m lsrx) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	dims, s := cmp.Or(m.Dims, 500), schedule{cmp.Or(m.Epochs, 400), cmp.Or(m.LearningRate, 0.001)}
	if err := validate(s, namedInt{"dims", dims, 1}); err != nil {
		return nil, err
	}
	op := laplacian.New(g.Adjacency)
	f, err := spectrum.ResolveFilter(ctx, op, m.Filter)
	if err != nil {
		return nil, err
	}
	rnd := source(o.Seed)
	n := newNetwork(g, op.FilterMatrix(f.K), []layerShape{{width: dims, filters: f.Layers}}, rnd)
	return train(ctx, g, n, newReconstruction(n.x, dims, rnd), s, o)
}
