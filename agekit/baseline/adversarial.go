package baseline

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/linkpred"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/device"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

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

// draw returns encode's inputs.
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
	autoencoder, discriminate, generate *step
}

// adversary adds a discriminator with hidden layers of the given widths to a
// generator, whose weights are all weights so far.
func (m arga) adversary(t *trainer, g *graph.Graph, e generator, hidden []int, rnd *rand.Rand) (*adversary, error) {
	pairs, err := newAdjacency(g.Adjacency, 0, rnd)
	if err != nil {
		return nil, err
	}
	encoder := t.all()
	d := t.discriminator(m.Dims, hidden, rnd)
	a := &adversary{generator: e, n: g.N(), width: m.Dims}
	a.autoencoder = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, divergence := e.encode(v)
			return z, divergence
		},
		pairs: pairs, trains: encoder,
	}, m.LearningRate, 0)
	prior := len(e.draw(0, rnd))
	a.discriminate = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, _ := e.encode(v)
			return nil, d.loss(v, v.input(prior), z)
		},
		trains: t.all()[len(encoder):],
	}, m.DiscriminatorRate, 0)
	fool := loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			_, z, _ := e.encode(v)
			return z, crossEntropy(d.logits(v, z), true)
		},
		trains: encoder,
	}
	if e.reconstructs {
		fool.pairs = pairs
	}
	a.generate = t.step(fool, m.DiscriminatorRate, 0)
	return a, nil
}

// round takes five steps of the autoencoder, one of the discriminator and one of the
// generator. It returns the autoencoder's loss before the last of its steps.
func (a *adversary) round(ctx context.Context, rnd *rand.Rand) (float64, error) {
	prior := normal(a.n, a.width, rnd)
	var value float64
	for range 5 {
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

// embed returns the embedding.
func (a *adversary) embed(t *trainer, rnd *rand.Rand) (blas32.General, error) {
	return t.evaluate(func(v *nodes) *Node {
		z, _, _ := a.encode(v)
		return z
	}, a.draw(a.n, rnd)...)
}

func (m arga) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	epochs := m.Epochs
	if o.Split != nil {
		epochs = m.LinkEpochs
	}
	err := cmp.Or(atLeast("link_epochs", m.LinkEpochs, 1), atLeast("hidden", m.Hidden, 1), atLeast("dims", m.Dims, 1),
		validSchedule(m.Epochs, m.LearningRate), positive("discriminator_rate", m.DiscriminatorRate))
	if err != nil {
		return nil, err
	}
	clusters := m.Published && o.Split == nil
	if clusters {
		split, err := linkpred.NewSplit(g, o.random("split"))
		if err != nil {
			return nil, err
		}
		g = split.Train
	}
	bytes := layerBytes(g, m.Hidden) + 8*device.Floats(g.N()+g.Adjacency.NNZ(), m.Hidden+2*m.Dims)
	return o.train(ctx, g, bytes, func(t *trainer) (model, error) {
		rnd := source(o.Seed)
		a, err := m.adversary(t, g, m.generator(t, g, rnd), m.discriminatorWidths(), rnd)
		if err != nil {
			return model{}, err
		}
		embed := func() (blas32.General, error) { return a.embed(t, rnd) }
		trained := model{epochs: epochs, epoch: func(epoch int, rnd *rand.Rand) (float64, error) {
			if m.Published && epoch == epochs { // before the last round
				z, err := a.embed(t, rnd)
				if err != nil {
					return 0, err
				}
				embed = func() (blas32.General, error) { return z, nil }
			}
			return a.round(ctx, rnd)
		}}
		trained.embed = func() (blas32.General, error) { return embed() }
		if clusters {
			trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, z, 10) }
		}
		return trained, nil
	})
}

// discriminator is a perceptron with ReLU between its layers, and one logit. Each
// layer has weights and biases.
type discriminator [][2]weight

// discriminator adds a discriminator of rows with in entries.
func (t *trainer) discriminator(in int, hidden []int, rnd *rand.Rand) discriminator {
	var d discriminator
	for _, out := range append(hidden[:len(hidden):len(hidden)], 1) {
		w := normal(in, out, rnd)
		blas32.Scal(0.01, blas32.Vector{N: len(w.Data), Inc: 1, Data: w.Data})
		d = append(d, [2]weight{t.weight(w), t.weight(dense.New(1, out))})
		in = out
	}
	return d
}

// logits returns how much each row looks like a sample of the normal distribution.
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

// loss is low if the samples pass and the embedding does not.
func (d discriminator) loss(v *nodes, samples, z *Node) *Node {
	return Add(crossEntropy(d.logits(v, samples), true), crossEntropy(d.logits(v, z), false))
}

// crossEntropy is the mean of −log σ(l) if the logits l should be positive, else of
// −log(1 − σ(l)).
func crossEntropy(logits *Node, positive bool) *Node {
	if positive {
		logits = Neg(logits)
	}
	size := Abs(logits) // has derivative 0 at 0, and so the sum the correct ½
	return ReduceAllMean(Add(MulScalar(Add(logits, size), 0.5), Log1p(Exp(Neg(size)))))
}
