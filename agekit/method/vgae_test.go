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

// TestVGAEGradients compares with finite differences.
func TestVGAEGradients(t *testing.T) {
	g := twelve(t)
	m := filled(vgae{Hidden: 5, Dims: 3})
	tr := trainerFor(t, asMethod(m), g)
	_, update := m.model(tr, g)
	wantGradients(t, update, normal(12, 3, rand.New(rand.NewPCG(1, 1))))
}

// TestDivergence compares with ∫ p log(p/q), to 1e-5.
func TestDivergence(t *testing.T) {
	tr := trainerFor(t, asMethod(vgae{}), twelve(t))
	rnd := rand.New(rand.NewPCG(2, 2))
	means, logs := randomMatrix(7, 3, 2, rnd), randomMatrix(7, 3, 1, rnd)
	p := tr.program(func(v *nodes) []*Node { return []*Node{divergence(v.input(0), v.input(1))} })
	out := testutil.Value(tr.call(p, means, logs)).OrFatal(t)
	want := 0.0
	standard := distuv.Normal{Mu: 0, Sigma: 1}
	for i := range 7 {
		for k := range 3 {
			p := distuv.Normal{Mu: float64(means.Data[i*means.Stride+k]), Sigma: math.Exp(float64(logs.Data[i*logs.Stride+k]))}
			want += quad.Fixed(func(x float64) float64 { return p.Prob(x) * (p.LogProb(x) - standard.LogProb(x)) }, -30, 30, 2000, nil, 0) / 7
		}
	}
	if got := float64(tensors.ToScalar[float32](out[0])); !scalar.EqualWithinRel(got, want, 1e-5) {
		t.Errorf("divergence %v, want %v", got, want)
	}
}
