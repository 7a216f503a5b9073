package baseline

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// LSRX is the paper's LS+RX (§4.2): a linear encoder of the smoothed features,
// trained to reconstruct the features. The paper leaves decoder and loss open;
// here they are Z = X̃W, ZUᵗ ≈ X and the mean squared error, a linear
// autoencoder. The zero value of a field means its default.
type LSRX struct {
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
}

// Name returns "LS+RX".
func (m LSRX) Name() string { return "LS+RX" }

// Embed implements [Method].
func (m LSRX) Embed(ctx context.Context, g *graph.Graph, seed uint64, o Options) (blas32.General, error) {
	f := laplacian.Filter{K: fallback(m.K, 2.0/3), Layers: fallback(m.Layers, 8)}
	dims := fallback(m.Dims, 500)
	s := schedule{fallback(m.Epochs, 400), fallback(m.LearningRate, 0.001)}
	if err := validate(s, namedInt{"layers", f.Layers, 1}, namedInt{"dims", dims, 1}); err != nil {
		return blas32.General{}, fmt.Errorf("LS+RX: %w", err)
	}
	if err := f.Validate(); err != nil {
		return blas32.General{}, fmt.Errorf("LS+RX: %w", err)
	}
	rnd := source(seed)
	n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(f.K), []layerShape{{width: dims, filters: f.Layers}}, rnd)
	z, err := train(ctx, n, newReconstruction(n.x, dims, rnd), s, o)
	if err != nil {
		return blas32.General{}, fmt.Errorf("LS+RX: %w", err)
	}
	return z, nil
}
