package method

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/device"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// vgae is the variational graph autoencoder of Kipf and Welling (Variational Graph
// Auto-Encoders, 2016, arXiv:1611.07308). A graph convolutional network gives each node
// a normal distribution,
//
//	H = φ(ŜXW₀),  M = ŜHW₁ (means),  Λ = ŜHW₂ (logarithms of deviations),
//
// from which Z = M + exp(Λ)∘ε is drawn anew in each epoch. The training reconstructs
// the adjacency matrix as σ(ZZᵗ), as in [gae], and keeps the distributions near the
// standard normal one:
//
//	L = L_GAE(Z) − 1/(2n²) Σᵢₖ (1 + 2λᵢₖ − mᵢₖ² − exp(2λᵢₖ)).
//
// The factor 1/n² is from the authors' code. The embedding is M.
type vgae struct {
	Hidden       int     `json:"hidden"`        // width of H; default 32
	Dims         int     `json:"dims"`          // width of the embedding; default 16
	Epochs       int     `json:"epochs"`        // of one step each; default 200
	LearningRate float64 `json:"learning_rate"` // Adam's; default 0.01
}

// newVGAE returns the method's settings: those of s that apply, and defaults for the others.
func newVGAE(s Settings) vgae {
	return vgae{Hidden: 32, Dims: 16, Epochs: s.epochs(200), LearningRate: 0.01}
}

// fit implements [fitter].
func (m vgae) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := cmp.Or(checkAtLeast("hidden", m.Hidden, 1), checkAtLeast("dims", m.Dims, 1), checkSchedule(m.Epochs, m.LearningRate)); err != nil {
		return nil, err
	}
	bytes := layerBytes(g, m.Hidden) + 8*device.Floats(g.N()+g.Adjacency.NNZ(), m.Hidden+2*m.Dims)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		means, update := m.model(t, g)
		return model{
			epochs: m.Epochs,
			epoch:  func(_ int, rnd *rand.Rand) (float64, error) { return update.take(ctx, normal(g.N(), m.Dims, rnd)) },
			embed:  func() (blas32.General, error) { return t.evaluate(means) },
		}
	})
}

// model adds the network's weights to a trainer. It returns graph code of the means M, and the
// training's step, whose input is ε.
func (m vgae) model(t *trainer, g *graph.Graph) (means func(*nodes) *Node, update *adamStep) {
	rnd := source(t.o.Seed)
	distributions := t.distributions(g, m.Hidden, m.Dims, rnd)
	update = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			means, logs := distributions(v)
			sample := Add(means, Mul(Exp(logs), v.input(0)))
			return sample, MulScalar(divergence(means, logs), 1/float64(g.N()))
		},
		pairs: newAdjacency(g.Adjacency, 0),
	}, m.LearningRate, 0)
	means = func(v *nodes) *Node {
		m, _ := distributions(v)
		return m
	}
	return means, update
}

// distributions adds the weights of VGAE's encoder to a trainer and returns the encoder as graph code:
// the means M and the logarithms Λ of the standard deviations, n×dims each. hidden is the width of H.
func (t *trainer) distributions(g *graph.Graph, hidden, dims int, rnd *rand.Rand) func(v *nodes) (means, logs *Node) {
	filter := laplacian.New(g.Adjacency).FilterMatrix(1)
	w0, w1, w2 := t.firstLayer(g.Features, filter, hidden, rnd), t.glorot(hidden, dims, rnd), t.glorot(hidden, dims, rnd)
	s := t.sparse(filter)
	return func(v *nodes) (means, logs *Node) {
		h := MaxScalar(v.weight(w0), 0) // the first layer's value is ŜXW₀
		both := s.times(v, product(h, Concatenate([]*Node{v.weight(w1), v.weight(w2)}, 1)))
		return Slice(both, AxisRange(), AxisRange(0, dims)), Slice(both, AxisRange(), AxisRange(dims))
	}
}

// divergence returns the mean over the nodes of the Kullback–Leibler divergence of their normal
// distributions from the standard normal one. logs are the logarithms of the standard deviations.
//
//	means, logs: [n, d] → scalar
func divergence(means, logs *Node) *Node {
	terms := Sub(AddScalar(MulScalar(logs, 2), 1), Add(Square(means), Exp(MulScalar(logs, 2))))
	return MulScalar(ReduceAllMean(ReduceSum(terms, -1)), -0.5)
}
