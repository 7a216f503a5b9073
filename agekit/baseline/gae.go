package baseline

import (
	"cmp"
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// GAE is the graph autoencoder of Kipf and Welling (Variational Graph
// Auto-Encoders, 2016, arXiv:1611.07308, the non-probabilistic form): a graph
// convolutional network
//
//	Z = Ŝ φ(Ŝ … φ(Ŝ X W₁) …) Wₗ,  Ŝ = D̃^-½(A+I)D̃^-½,  φ = ReLU,
//
// trained to reconstruct the adjacency matrix as σ(ZZᵗ), with the weighted
// cross entropy of the authors' code, no dropout and no biases. X is divided by
// its unit ([graph.Features.Unit]). The zero value of a field means its default.
type GAE struct {
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
}

// newGAE returns the settings of the authors' code.
func newGAE(s Settings) Method {
	return GAE{Layers: s.Layers, Epochs: s.epochs(200)}.withDefaults()
}

// gae64 returns the settings of figure 3 (§5.3): widths 64 and 16.
func gae64(s Settings) GAE {
	return GAE{Layers: cmp.Or(s.Layers, 1), Hidden: 64, Dims: 16, Epochs: s.epochs(200), LearningRate: 0.01}
}

func newGAE64(s Settings) Method { return gae64(s) }

// Name returns "GAE".
func (m GAE) Name() string { return "GAE" }

// Sees implements [Method].
func (m GAE) Sees() Parts { return Features | Edges }

// Gives implements [Method].
func (m GAE) Gives() Outputs { return Embedding | Links }

// Fit implements [Method].
func (m GAE) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	m = m.withDefaults()
	var shapes []layerShape
	for range m.Layers - 1 {
		shapes = append(shapes, layerShape{width: m.Hidden, filters: 1, relu: true})
	}
	shapes = append(shapes, layerShape{width: m.Dims, filters: 1})
	return m.fit(ctx, m, g, shapes, o)
}

// DisentangledGAE is LS+RA as figure 3 of the paper compares it with GAE
// (§5.3): all filters are applied first and then the weights,
//
//	Z = φ(ŜᵗX W₁) W₂,
//
// and nothing else differs. Its fields are GAE's: Layers is t; Hidden and Dims
// are the widths. [LSRA] is what table 3 of the paper calls LS+RA.
type DisentangledGAE GAE

func newDisentangledGAE(s Settings) Method {
	return DisentangledGAE(gae64(s))
}

// Name returns "disentangled GAE".
func (m DisentangledGAE) Name() string { return "disentangled GAE" }

// Sees implements [Method].
func (m DisentangledGAE) Sees() Parts { return Features | Edges }

// Gives implements [Method].
func (m DisentangledGAE) Gives() Outputs { return Embedding | Links }

// Fit implements [Method].
func (m DisentangledGAE) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	c := GAE(m).withDefaults()
	shapes := []layerShape{{width: c.Hidden, filters: c.Layers, relu: true}, {width: c.Dims}}
	return c.fit(ctx, m, g, shapes, o)
}

func (m GAE) withDefaults() GAE {
	m.Layers, m.Hidden, m.Dims = cmp.Or(m.Layers, 2), cmp.Or(m.Hidden, 32), cmp.Or(m.Dims, 16)
	m.Epochs, m.LearningRate = cmp.Or(m.Epochs, 200), cmp.Or(m.LearningRate, 0.01)
	return m
}

// fit trains a network of the given layers to reconstruct the adjacency matrix:
// natively, or on a GoMLX backend if one is chosen. It is for the method as.
func (m GAE) fit(ctx context.Context, as Method, g *graph.Graph, shapes []layerShape, o Options) (*Output, error) {
	if err := checkFeatures(as, g); err != nil {
		return nil, err
	}
	s := schedule{m.Epochs, m.LearningRate}
	err := validate(s, namedInt{"layers", m.Layers, 1}, namedInt{"hidden", m.Hidden, 1}, namedInt{"dims", m.Dims, 1}, namedInt{"sample", m.Sample, 0})
	if err != nil {
		return nil, named(as, err)
	}
	rnd := source(o.Seed)
	n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(1), shapes, rnd)
	loss, err := newAdjacency(g.Adjacency, m.Sample, rnd)
	if err != nil {
		return nil, named(as, err)
	}
	var out *Output
	if o.Backend.Config == "" {
		out, err = train(ctx, as, g, n, loss, s, o)
	} else {
		out, err = trainOnDevice(ctx, as, g, n, loss, s, o)
	}
	if err != nil {
		return nil, named(as, err)
	}
	return out, nil
}
