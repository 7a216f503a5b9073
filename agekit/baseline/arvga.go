package baseline

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	. "github.com/gomlx/gomlx/core/graph"
)

// ARVGA is the variational form of [ARGA], by the same authors in the same paper:
// its encoder is [VGAE]'s, the autoencoder's steps are on VGAE's loss, and the
// generator's are on the mean of softplus(−D(Z)) alone, where Z is drawn anew in
// each step. The embedding is M, the means. Its fields are ARGA's. The published
// reading differs as that of ARGA does, without the noise.
type ARVGA ARGA

func newARVGA(s Settings) Method { return ARVGA(argaOf(s)) }

// Name returns "ARVGA".
func (m ARVGA) Name() string { return "ARVGA" }

// Sees implements [Method].
func (m ARVGA) Sees() Parts { return Features | Edges }

// Gives implements [Method].
func (m ARVGA) Gives() Outputs { return ARGA(m).Gives() }

// Fit implements [Method].
func (m ARVGA) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	c := ARGA(m).withDefaults()
	return c.fit(ctx, ARVGA(c), g, o, ARGA.variationalEncoder)
}

func (m ARGA) variationalEncoder(t *trainer, g *graph.Graph, rnd *rand.Rand) generator {
	distributions := t.distributions(g, m.Hidden, m.Dims, rnd)
	return generator{noise: m.Dims, encode: func(v *nodes) (*Node, *Node, *Node) {
		means, logs := distributions(v)
		return means, Add(means, Mul(Exp(logs), v.input(0))), MulScalar(divergence(means, logs), 1/float64(g.N()))
	}}
}
