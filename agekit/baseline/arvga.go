package baseline

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	. "github.com/gomlx/gomlx/core/graph"
)

var methodARVGA = declare(Info{
	Name: "ARVGA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true, Tables: []string{"table3", "table4"},
	Source: "Pan, Hu, Long, Jiang, Yao and Zhang, IJCAI 2018, arXiv:1802.04407",
}, func(s Settings) arga { return newARGA(s, true) })

// variationalEncoder is the encoder of ARVGA, the variational form of [arga], by the
// same authors in the same paper: it is VGAE's, the autoencoder's steps are on VGAE's
// loss, and the generator's are on the mean of softplus(−D(Z)) alone, where Z is drawn
// anew in each step. The embedding is M, the means. Its settings are ARGA's. Published
// mode differs as ARGA's does, without the noise.
func (m arga) variationalEncoder(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
	distributions := t.distributions(g, m.Hidden, m.Dims, rnd)
	return generator{noise: m.Dims, encode: func(v *nodes) (*Node, *Node, *Node) {
		means, logs := distributions(v)
		return means, Add(means, Mul(Exp(logs), v.input(0))), MulScalar(divergence(means, logs), 1/float64(g.N()))
	}}
}
