package method

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// arga is the adversarially regularized graph autoencoder of Pan et al. (Adversarially
// Regularized Graph Autoencoder for Graph Embedding, IJCAI 2018, arXiv:1802.04407). Its
// encoder is [gae]'s, Z = Ŝ φ(ŜXW₀) W₁, trained with GAE's reconstruction loss against
// a discriminator D, a perceptron with two hidden layers, which learns to tell the rows
// of Z from samples n of the standard normal distribution, while the encoder learns to
// be mistaken for it. A round has
//
//	five steps of the autoencoder on L_GAE(Z),
//	one of the discriminator on mean softplus(−D(n)) + mean softplus(D(Z)),
//	one of the generator, the encoder again, on mean softplus(−D(Z)) + L_GAE(Z),
//
// each kind with its own state of Adam. The embedding is Z.
//
// The paper and the authors' code differ. Fair mode takes the paper's widths (hidden
// layers of 16 and 64 in the discriminator), rates and 200 rounds for all graphs (the
// paper has 2,000 for Pubmed), and all edges. Both modes take the code's round, because
// the paper does not say how many steps the discriminator has in its own, and the
// code's initial values: N(0, 0.01²) for the discriminator's weights, 0 for its biases.
//
// Published mode is the code's: it adds normal noise of deviation 0.1 to the hidden
// layer, also for the embedding, has hidden layers of 64 and 32 in the discriminator,
// and returns the embedding before the last round. For clustering it holds out 15 % of
// the edges as for link prediction, and runs k-means with ten starts. The code prints
// scores every second round; which one the paper prints is not known.
type arga struct {
	Hidden            int     `json:"hidden"`             // width of the encoder's hidden layer; default 32
	Dims              int     `json:"dims"`               // width of the embedding; default 16, published 32
	Epochs            int     `json:"epochs"`             // rounds; default 200, published 50
	LinkEpochs        int     `json:"link_epochs"`        // rounds for link prediction; default 200
	LearningRate      float64 `json:"learning_rate"`      // Adam's for the autoencoder; default 0.001, published 0.0005
	DiscriminatorRate float64 `json:"discriminator_rate"` // Adam's for the discriminator and the generator; default 0.001
	Published         bool    `json:"published"`          // published mode

	variational bool // ARVGA
}

// newARGA returns the settings of ARGA or, if variational, of ARVGA: those of s that apply, and defaults
// for the others.
func newARGA(s Settings, variational bool) arga {
	m := arga{
		Hidden: 32, Dims: 16, Epochs: s.epochs(200), LinkEpochs: s.epochs(200), LearningRate: 0.001, DiscriminatorRate: 0.001,
		Published: s.Published, variational: variational,
	}
	if m.Published {
		m.Dims, m.Epochs, m.LearningRate = 32, s.epochs(50), 0.0005
	}
	return m
}

// fit implements [fitter].
func (m arga) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	epochs := m.Epochs
	if o.Split != nil {
		epochs = m.LinkEpochs
	}
	err := cmp.Or(checkAtLeast("link_epochs", m.LinkEpochs, 1), checkAtLeast("hidden", m.Hidden, 1), checkAtLeast("dims", m.Dims, 1),
		checkSchedule(m.Epochs, m.LearningRate), checkPositive("discriminator_rate", m.DiscriminatorRate))
	if err != nil {
		return nil, err
	}
	clusters := m.Published && o.Split == nil // the method finds clusters itself
	if clusters {
		split, err := graph.NewSplit(g, o.random("split"))
		if err != nil {
			return nil, err
		}
		g = split.Train
	}
	bytes := layerBytes(g, m.Hidden) + 8*device.Floats(g.N()+g.Adjacency.NNZ(), m.Hidden+2*m.Dims)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		rnd := source(o.Seed)
		hidden := []int{16, 64} // widths in the discriminator
		if m.Published {
			hidden = []int{64, 32}
		}
		a := m.adversary(t, g, m.generator(t, g, rnd), hidden, rnd)
		embed := func() (blas32.General, error) { return a.embed(t, rnd) }
		trained := model{epochs: epochs, epoch: func(epoch int, rnd *rand.Rand) (float64, error) {
			if m.Published && epoch == epochs { // the embedding is that before the last round
				z, err := a.embed(t, rnd)
				if err != nil {
					return 0, err
				}
				embed = func() (blas32.General, error) { return z, nil }
			}
			return a.round(ctx, rnd)
		}}
		trained.embed = func() (blas32.General, error) { return embed() } // as the last epoch has set it
		if clusters {
			const starts = 10
			trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, z, starts) }
		}
		return trained
	})
}

// generator adds the encoder's weights to a trainer and returns the encoder: ARGA's, or ARVGA's.
func (m arga) generator(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
	if m.variational {
		return m.variationalEncoder(t, g, rnd)
	}
	filter := laplacian.New(g.Adjacency).FilterMatrix(1)
	w0, w1 := t.firstLayer(g.Features, filter, m.Hidden, rnd), t.glorot(m.Hidden, m.Dims, rnd)
	s := t.sparse(filter)
	e := generator{reconstructs: true}
	if m.Published {
		e.noise = m.Hidden
	}
	e.encode = func(v *nodes) (*Node, *Node, *Node) {
		h := MaxScalar(v.weight(w0), 0)
		if m.Published {
			h = Add(h, MulScalar(v.input(0), 0.1))
		}
		z := s.times(v, product(h, v.weight(w1)))
		return z, z, nil
	}
	return e
}

// variationalEncoder is the encoder of ARVGA, the variational form of [arga], by the
// same authors in the same paper: it is VGAE's, the autoencoder's steps are on VGAE's
// loss, and the generator's are on the mean of softplus(−D(Z)) alone, where Z is drawn
// anew in each step. The embedding is M, the means. Its settings are ARGA's. Published
// mode differs as ARGA's does, without the noise.
func (m arga) variationalEncoder(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
	distributions := t.distributions(g, m.Hidden, m.Dims, rnd)
	return generator{noise: m.Dims, encode: func(v *nodes) (*Node, *Node, *Node) {
		means, logs := distributions(v)
		sample := Add(means, Mul(Exp(logs), v.input(0)))
		return means, sample, MulScalar(divergence(means, logs), 1/float64(g.N()))
	}}
}

// generator is an encoder in graph code.
type generator struct {
	// encode returns the embedding, a sample of it, and the part of the
	// autoencoder's loss besides the reconstruction; nil if there is none.
	encode func(v *nodes) (embedding, sample, divergence *Node)
	// noise is the width of encode's input 0, a matrix of standard normal
	// numbers. 0: it has no input.
	noise int
	// reconstructs says that the generator's step also lowers the
	// reconstruction loss.
	reconstructs bool
}

// draw draws the inputs of encode for n nodes: none, or the noise, an n×noise matrix.
func (e generator) draw(n int, rnd *rand.Rand) []any {
	if e.noise == 0 {
		return nil
	}
	return []any{normal(n, e.noise, rnd)}
}

// adversary is an adversarial training: the generator's embeddings are to pass for
// samples of the standard normal distribution.
type adversary struct {
	generator
	n, width int // of the embedding
	// The three kinds of steps. Their inputs are the generator's, of the
	// discriminator's step also samples of the normal distribution.
	autoencoder, discriminate, generate *adamStep
}

// adversary adds a discriminator with hidden layers of the given widths, and the three kinds of
// steps, to a trainer whose weights are those of the generator e and no others.
func (m arga) adversary(t *trainer, g *graph.Graph, e generator, hidden []int, rnd *rand.Rand) *adversary {
	pairs, encoder := newAdjacency(g.Adjacency, 0), t.allWeights()
	d := t.discriminator(m.Dims, hidden, rnd)
	a := &adversary{generator: e, n: g.N(), width: m.Dims}
	a.autoencoder = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, divergence := e.encode(v)
			return z, divergence
		},
		pairs: pairs, weights: encoder,
	}, m.LearningRate, 0)
	prior := len(e.draw(0, rnd)) // how many inputs the generator has: the prior's samples come next
	a.discriminate = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, _ := e.encode(v)
			return nil, d.loss(v, v.input(prior), z)
		},
		weights: t.allWeights()[len(encoder):],
	}, m.DiscriminatorRate, 0)
	fool := loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, _ := e.encode(v)
			return z, crossEntropy(d.logits(v, z), true)
		},
		weights: encoder,
	}
	if e.reconstructs {
		fool.pairs = pairs
	}
	a.generate = t.step(fool, m.DiscriminatorRate, 0)
	return a
}

// autoencoderSteps is the number of the autoencoder's steps in a round, as in the authors' code.
const autoencoderSteps = 5

// round takes autoencoderSteps of the autoencoder, one of the discriminator and one of the
// generator. It returns the autoencoder's loss before the last of its steps.
func (a *adversary) round(ctx context.Context, rnd *rand.Rand) (float64, error) {
	prior := normal(a.n, a.width, rnd)
	var value float64
	for range autoencoderSteps {
		var err error
		if value, err = a.autoencoder.take(ctx, a.draw(a.n, rnd)...); err != nil {
			return 0, err
		}
	}
	if _, err := a.discriminate.take(ctx, append(a.draw(a.n, rnd), prior)...); err != nil {
		return 0, err
	}
	_, err := a.generate.take(ctx, a.draw(a.n, rnd)...)
	return value, err
}

// embed returns the embedding. In published mode ARGA's has noise, drawn from rnd.
func (a *adversary) embed(t *trainer, rnd *rand.Rand) (blas32.General, error) {
	return t.evaluate(func(v *nodes) *Node {
		z, _, _ := a.encode(v)
		return z
	}, a.draw(a.n, rnd)...)
}

// discriminator is a perceptron with ReLU between its layers, and one logit. It has, for each
// layer, the weights and the biases.
type discriminator [][2]weight

// discriminator adds the weights of a discriminator of rows of the given width to the trainer.
// hidden are the widths of its hidden layers.
func (t *trainer) discriminator(width int, hidden []int, rnd *rand.Rand) discriminator {
	var d discriminator
	for _, out := range append(hidden[:len(hidden):len(hidden)], 1) {
		w := normal(width, out, rnd)
		const deviation = 0.01 // the authors'
		blas32.Scal(deviation, blas32.Vector{N: len(w.Data), Inc: 1, Data: w.Data})
		d = append(d, [2]weight{t.weight(w), t.weight(linalg.New(1, out))})
		width = out
	}
	return d
}

// logits returns D of each row: the larger, the more the row looks like a sample of the normal
// distribution.
//
//	y: [n, width] → [n, 1]
func (d discriminator) logits(v *nodes, y *Node) *Node {
	for k, layer := range d {
		if k > 0 {
			y = MaxScalar(y, 0)
		}
		y = Add(product(y, v.weight(layer[0])), v.weight(layer[1]))
	}
	return y
}

// loss returns the discriminator's loss, which is low if the samples pass for such and the rows of
// z do not.
func (d discriminator) loss(v *nodes, samples, z *Node) *Node {
	return Add(crossEntropy(d.logits(v, samples), true), crossEntropy(d.logits(v, z), false))
}

// crossEntropy returns the mean over the logits l of −log σ(l) if they should be positive, else of
// −log(1 − σ(l)).
func crossEntropy(logits *Node, positive bool) *Node {
	if positive {
		logits = Neg(logits)
	}
	// softplus(l) = (l + |l|)/2 + log(1 + e^−|l|). GoMLX's |l| has derivative 0 at 0, and so the sum has
	// the correct ½ there.
	size := Abs(logits)
	return ReduceAllMean(Add(MulScalar(Add(logits, size), 0.5), Log1p(Exp(Neg(size)))))
}
