package baseline

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

var methodGAE = declare(Info{
	Name: "GAE", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Tables: []string{"table3", "table4"},
}, newGAE)

// methodGAE64 and methodLSRA64 have the settings of figure 3 of the AGE paper
// (§5.3): widths 64 and 16.
var methodGAE64 = declare(Info{
	Name: "GAE-64", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Tables: []string{"fig3"},
}, func(s Settings) gae { return gae64(s, false) })

var methodLSRA64 = declare(Info{
	Name: "LS+RA-64", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Variant: true, Tables: []string{"fig3"},
}, func(s Settings) gae { return gae64(s, true) })

// gae is the graph autoencoder of Kipf and Welling (Variational Graph
// Auto-Encoders, 2016, arXiv:1611.07308, the non-probabilistic form): a graph
// convolutional network
//
//	Z = Ŝ φ(Ŝ … φ(Ŝ X W₁) …) Wₗ,  Ŝ = D̃^-½(A+I)D̃^-½,  φ = ReLU,
//
// trained to reconstruct the adjacency matrix as σ(ZZᵗ), with the weighted
// cross entropy of the authors' code, no dropout and no biases. X is divided by
// its unit ([units.Of]).
type gae struct {
	// Layers is the number of graph convolutions, including the embedding
	// layer. Default 2.
	Layers int `json:"layers"`
	// Hidden is the width of all layers but the last. Default 32; figure 3
	// of the paper uses 64.
	Hidden int `json:"hidden"`
	// Dims is the width of the embedding. Default 16.
	Dims int `json:"dims"`
	// Epochs is the number of epochs, of one step each. Default 200.
	Epochs int `json:"epochs"`
	// LearningRate is Adam's learning rate. Default 0.01.
	LearningRate float64 `json:"learning_rate"`
	// Sample is the number of nodes that the loss compares every node
	// with, redrawn in each epoch. 0 compares each node with all nodes,
	// which is GAE and takes time in proportion to n². With a sample, the
	// loss and the gradient are unbiased estimates.
	Sample int `json:"sample"`

	// disentangled selects LS+RA as figure 3 of the AGE paper compares it with GAE
	// (§5.3): all filters are applied first and then the weights,
	//
	//	Z = φ(ŜᵗX W₁) W₂,
	//
	// and nothing else differs. Layers is t. Table 3 of the paper means [lsra] by
	// LS+RA.
	disentangled bool
}

// newGAE returns the settings of the authors' code.
func newGAE(s Settings) gae {
	return gae{Layers: cmp.Or(s.Layers, 2), Hidden: 32, Dims: 16, Epochs: s.epochs(200), LearningRate: 0.01}
}

func gae64(s Settings, disentangled bool) gae {
	m := newGAE(s)
	m.Layers, m.Hidden, m.disentangled = cmp.Or(s.Layers, 1), 64, disentangled
	return m
}

// layers returns the layers of the network.
func (m gae) layers() (shapes []layerShape) {
	if m.disentangled {
		return []layerShape{{width: m.Hidden, filters: m.Layers, relu: true}, {width: m.Dims}}
	}
	for range m.Layers - 1 {
		shapes = append(shapes, layerShape{width: m.Hidden, filters: 1, relu: true})
	}
	return append(shapes, layerShape{width: m.Dims, filters: 1})
}

// fit trains the network natively, or on a GoMLX backend if one is chosen.
func (m gae) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	err := cmp.Or(atLeast("layers", m.Layers, 1), atLeast("hidden", m.Hidden, 1), atLeast("dims", m.Dims, 1), atLeast("sample", m.Sample, 0),
		validSchedule(m.Epochs, m.LearningRate))
	if err != nil {
		return nil, err
	}
	rnd := source(o.Seed)
	n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(1), m.layers(), rnd)
	loss, err := newAdjacency(g.Adjacency, m.Sample, rnd)
	if err != nil {
		return nil, err
	}
	a := autoencoder{network: n, loss: loss, epochs: m.Epochs, learningRate: m.LearningRate}
	if o.Backend.Config == "" {
		return a.fit(ctx, g, o)
	}
	return a.fitOnDevice(ctx, g, o)
}
