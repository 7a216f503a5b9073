package baseline

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/blas/blas32"
)

// reconstruction is the mean squared error of a linear decoder of the
// features, L = |ZUᵗ − X|²/(n·f), whose U, f×d, is trained with the encoder.
// ZUᵗ is never formed: with G = ZᵗZ and H = UᵗU, the identities
//
//	n·f·L = tr(GH) − 2⟨XᵗZ, U⟩ + |X|²,  ½n·f·∂L/∂U = UG − XᵗZ,  ½n·f·∂L/∂Z = ZH − XU
//
// need 1½(n+f)·d² multiply-adds instead of 3·n·f·d.
type reconstruction struct {
	x       features
	squares float64 // |X|²
	decoder parameter
}

func newReconstruction(x features, dims int, rnd *rand.Rand) *reconstruction {
	return &reconstruction{x, x.squares(), newParameter(x.f, dims, rnd)}
}

func (r *reconstruction) parameters() []*parameter { return []*parameter{&r.decoder} }

func (r *reconstruction) compute(ctx context.Context, z, gradient blas32.General) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	u, f, d := r.decoder.value, r.x.f, z.Cols
	scale := 2 / (float64(z.Rows) * float64(f))

	g, xz, ug := dense.New(d, d), dense.New(f, d), r.decoder.gradient
	gram(g, z)
	r.x.mulT(xz, z)
	mulDense(ug, u, g)
	loss := inner(ug, u) - 2*inner(xz, u) + r.squares
	subtract(ug, xz, float32(scale))

	h, xu := dense.New(d, d), dense.New(z.Rows, d)
	gram(h, u)
	r.x.mul(xu, u)
	mulDense(gradient, z, h)
	subtract(gradient, xu, float32(scale))
	return loss * scale / 2, nil
}

// subtract sets a = (a − b)·scale.
func subtract(a, b blas32.General, scale float32) {
	eachRow(a, func(r []float32, i int) {
		for c, v := range dense.Row(b, i) {
			r[c] = (r[c] - v) * scale
		}
	})
}
