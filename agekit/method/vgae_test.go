package method

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/agekit/age/internal/testutil"
)

// TestVGAEGradients compares the gradients of all weights with finite differences of the loss, for a
// fixed noise.
func TestVGAEGradients(t *testing.T) {
	g := twelve(t)
	m := filled(vgae{Hidden: 5, Dims: 3})
	tr := trainerFor(t, asMethod(m), g)
	_, update := m.model(tr, g)
	noise := normal(g.N(), m.Dims, rand.New(rand.NewPCG(1, 1)))
	wantGradients(t, update, noise)
}

// TestDivergence compares the mean divergence with its definition ∫ p log(p/q), by numerical integration,
// to 1e-5: p is a node's distribution in a dimension, and q is the standard normal one. The sum is over
// the dimensions, the mean over the nodes.
func TestDivergence(t *testing.T) {
	const n, dims = 7, 3
	tr := trainerFor(t, asMethod(vgae{}), twelve(t))
	rnd := rand.New(rand.NewPCG(2, 2))
	means, logs := randomMatrix(n, dims, 2, rnd), randomMatrix(n, dims, 1, rnd)
	p := tr.program(func(v *nodes) []*Node { return []*Node{divergence(v.input(0), v.input(1))} })
	out := testutil.Value(tr.call(p, means, logs)).OrFatal(t)
	want := 0.0
	standard := distuv.Normal{Mu: 0, Sigma: 1}
	for i := range n {
		for k := range dims {
			p := distuv.Normal{Mu: float64(means.Data[i*means.Stride+k]), Sigma: math.Exp(float64(logs.Data[i*logs.Stride+k]))}
			integrand := func(x float64) float64 { return p.Prob(x) * (p.LogProb(x) - standard.LogProb(x)) }
			const bound, points = 30, 2000 // p is 0 beyond ±30
			want += quad.Fixed(integrand, -bound, bound, points, nil, 0) / n
		}
	}
	if got := float64(tensors.ToScalar[float32](out[0])); !scalar.EqualWithinRel(got, want, 1e-5) {
		t.Errorf("divergence %v, want %v", got, want)
	}
}
