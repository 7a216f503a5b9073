package method

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	. "github.com/gomlx/gomlx/core/graph"
)

// gae is the graph autoencoder of Kipf and Welling (Variational Graph Auto-Encoders,
// 2016, arXiv:1611.07308, the non-probabilistic form): a graph convolutional network
//
//	Z = Ŝ φ(Ŝ … φ(Ŝ X W₁) …) Wₗ,  Ŝ = D̃^-½(A+I)D̃^-½,  φ = ReLU,
//
// trained to reconstruct the adjacency matrix as σ(ZZᵗ), with the weighted cross
// entropy of the authors' code, no dropout and no biases. X is divided by its unit
// ([graph.FeatureUnit]).
type gae struct {
	Layers       int     `json:"layers"`        // graph convolutions, with the embedding layer; default 2
	Hidden       int     `json:"hidden"`        // width of all layers but the last; default 32, in figure 3 of the paper 64
	Dims         int     `json:"dims"`          // width of the embedding; default 16
	Epochs       int     `json:"epochs"`        // of one step each; default 200
	LearningRate float64 `json:"learning_rate"` // Adam's; default 0.01
	// Sample is the number of nodes that the loss compares every node with, drawn
	// anew in each epoch, which makes the loss and the gradient unbiased estimates. 0
	// compares with all nodes, which is GAE and takes time in proportion to n².
	Sample int `json:"sample"`

	// disentangled selects LS+RA as figure 3 of the AGE paper compares it with GAE
	// (§5.3): all filters are applied first and then the weights,
	//
	//	Z = φ(ŜᵗX W₁) W₂,
	//
	// and nothing else differs. Layers is t. Table 2 of the paper means [lsra] by
	// LS+RA.
	disentangled bool
}

// newGAE returns the settings of the authors' code.
func newGAE(s Settings) gae {
	return gae{Layers: cmp.Or(s.Layers, 2), Hidden: 32, Dims: 16, Epochs: s.epochs(200), LearningRate: 0.01}
}

// gae64 returns the settings of figure 3's networks, whose layers are 64 wide.
func gae64(s Settings, disentangled bool) gae {
	m := newGAE(s)
	m.Layers, m.Hidden, m.disentangled = cmp.Or(s.Layers, 1), 64, disentangled
	return m
}

// layers returns the shapes of the network's layers: with one filter each or, disentangled, all
// filters in the first.
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
	err := cmp.Or(checkAtLeast("layers", m.Layers, 1), checkAtLeast("hidden", m.Hidden, 1), checkAtLeast("dims", m.Dims, 1), checkAtLeast("sample", m.Sample, 0),
		checkSchedule(m.Epochs, m.LearningRate), checkEdges(g))
	if err != nil {
		return nil, err
	}
	rnd := source(o.Seed)
	n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(1), m.layers(), rnd)
	pairs := newAdjacency(g.Adjacency, m.Sample)
	a := autoencoder{network: n, loss: pairs, epochs: m.Epochs, learningRate: m.LearningRate}
	if o.Backend.Config == "" {
		return a.fit(ctx, g, o)
	}
	return a.fitOnDevice(ctx, g, o, func(_ *trainer, embedding func(v *nodes) *Node) loss {
		return loss{graph: func(v *nodes) (z, scalar *Node) { return embedding(v), nil }, pairs: pairs}
	})
}
