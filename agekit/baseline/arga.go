package baseline

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	. "github.com/gomlx/gomlx/core/graph"
)

var methodARGA = declare(Info{
	Name: "ARGA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true, Tables: []string{"table3", "table4"},
	Source: "Pan, Hu, Long, Jiang, Yao and Zhang, IJCAI 2018, arXiv:1802.04407",
}, func(s Settings) arga { return newARGA(s, false) })

// arga is the adversarially regularized graph autoencoder of Pan et al.
// (Adversarially Regularized Graph Autoencoder for Graph Embedding, IJCAI 2018,
// arXiv:1802.04407). Its encoder is [gae]'s, Z = Ŝ φ(ŜXW₀) W₁, trained with GAE's
// reconstruction loss against a discriminator D, a perceptron with two hidden
// layers, which learns to tell the rows of Z from samples n of the standard normal
// distribution, while the encoder learns to be mistaken for it. A round has
//
//	five steps of the autoencoder on L_GAE(Z),
//	one of the discriminator on mean softplus(−D(n)) + mean softplus(D(Z)),
//	one of the generator, the encoder again, on mean softplus(−D(Z)) + L_GAE(Z),
//
// each kind with its own state of Adam. The embedding is Z.
//
// The paper and the authors' code differ. Fair mode takes the paper's widths
// (hidden layers of 16 and 64 in the discriminator), rates and 200 rounds for all
// graphs (the paper has 2,000 for Pubmed), and all edges. The round is the code's in
// both, because the paper's has one step of the autoencoder after a number of steps
// of the discriminator that it does not give, and so are the initial values: N(0,
// 0.01²) for the discriminator's weights, 0 for its biases.
//
// Published mode is the code's: it adds normal noise of deviation 0.1 to the
// hidden layer, also for the embedding, has hidden layers of 64 and 32 in the
// discriminator, and returns the embedding before the last round. For clustering it
// holds out 15 % of the edges as for link prediction, and finds the clusters by
// k-means with ten starts. The authors' code prints scores every second round and
// does not say which one the paper prints.
type arga struct {
	// Hidden is the width of the encoder's hidden layer. Default 32.
	Hidden int `json:"hidden"`
	// Dims is the width of the embedding. Default 16; published 32.
	Dims int `json:"dims"`
	// Epochs is the number of rounds. Default 200; published 50.
	Epochs int `json:"epochs"`
	// LinkEpochs is the number of rounds for link prediction. Default 200.
	LinkEpochs int `json:"link_epochs"`
	// LearningRate is Adam's learning rate for the autoencoder. Default
	// 0.001; published 0.0005.
	LearningRate float64 `json:"learning_rate"`
	// DiscriminatorRate is that for the discriminator and the generator.
	// Default 0.001.
	DiscriminatorRate float64 `json:"discriminator_rate"`
	// Published selects published mode.
	Published bool `json:"published"`

	variational bool // ARVGA
}

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

// discriminatorWidths are those of the discriminator's hidden layers.
func (m arga) discriminatorWidths() []int {
	if m.Published {
		return []int{64, 32}
	}
	return []int{16, 64}
}

// generator adds the encoder to a trainer.
func (m arga) generator(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
	if m.variational {
		return m.variationalEncoder(t, g, rnd)
	}
	return m.encoder(t, g, rnd)
}

func (m arga) encoder(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
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
