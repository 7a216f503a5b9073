package method

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// lsrx is the paper's LS+RX (§4.2): a linear encoder of the smoothed features, trained
// to reconstruct the features. The paper does not specify the decoder or the loss; here
// the encoder is Z = X̃W, the decoder is ZUᵗ ≈ X, and the loss is the mean squared
// error, which makes it a linear autoencoder. X is divided by its unit ([graph.FeatureUnit]).
type lsrx struct {
	Filter       laplacian.Filter `json:"filter"`        // the paper's is that of encoder.PaperOptions
	Dims         int              `json:"dims"`          // width of the embedding; default 500 (§4.3)
	Epochs       int              `json:"epochs"`        // of one step each; default 400 (§4.3)
	LearningRate float64          `json:"learning_rate"` // Adam's; default 0.001 (§4.3)
}

// newLSRX returns the method's settings: those of s that apply, and defaults for the others.
func newLSRX(s Settings) lsrx {
	return lsrx{Filter: s.Filter, Dims: 500, Epochs: s.epochs(400), LearningRate: 0.001}
}

// fit implements [fitter].
func (m lsrx) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := cmp.Or(checkAtLeast("dims", m.Dims, 1), checkSchedule(m.Epochs, m.LearningRate)); err != nil {
		return nil, err
	}
	op := laplacian.New(g.Adjacency)
	f, err := laplacian.ResolveFilter(ctx, op, m.Filter)
	if err != nil {
		return nil, err
	}
	rnd := source(o.Seed)
	n := newNetwork(g, op.FilterMatrix(f.K), []layerShape{{width: m.Dims, filters: f.Layers}}, rnd)
	loss := newReconstruction(n.x, m.Dims, rnd)
	a := autoencoder{network: n, loss: loss, decoder: []parameter{loss.decoder}, epochs: m.Epochs, learningRate: m.LearningRate}
	if !isResident(o.Backend) { // the host's products with sparse features are faster
		return a.fit(ctx, g, o)
	}
	return a.fitOnDevice(ctx, g, o, loss.code)
}

// reconstruction is the mean squared error of a linear decoder of the features, L =
// |ZUᵗ − X|²/(n·f), whose U, f×d, is trained with the encoder. ZUᵗ is never formed:
// with G = ZᵗZ and H = UᵗU, the identities
//
//	n·f·L = tr(GH) − 2⟨XᵗZ, U⟩ + |X|²,  ½n·f·∂L/∂U = UG − XᵗZ,  ½n·f·∂L/∂Z = ZH − XU
//
// need 1½(n+f)·d² multiply-adds instead of 3·n·f·d.
type reconstruction struct {
	x       features
	squares float64 // |X|²
	decoder parameter
}

// newReconstruction returns the loss of an embedding of dims columns as a reconstruction of x, and
// draws U.
func newReconstruction(x features, dims int, rnd *rand.Rand) *reconstruction {
	r := &reconstruction{x: x, decoder: newParameter(glorot(x.f, dims, rnd))}
	for i := range x.n {
		x.EachInRow(i, func(_ int, v float32) { r.squares += float64(v) * float64(v) })
	}
	return r
}

// compute implements [objective] by the identities of [reconstruction]: g and h are G and H. It also
// sets the gradient of the decoder, U.
func (r *reconstruction) compute(ctx context.Context, z, gradient blas32.General) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	u, f, d := r.decoder.value, r.x.f, z.Cols
	scale := 2 / (float64(z.Rows) * float64(f))

	g, xz, ug := linalg.New(d, d), linalg.New(f, d), r.decoder.gradient // ug first has UG
	gram(g, z)
	r.x.mulT(xz, z)
	mulDense(ug, u, g)
	loss := inner(ug, u) - 2*inner(xz, u) + r.squares
	subtractScaled(ug, xz, float32(scale))

	h, xu := linalg.New(d, d), linalg.New(z.Rows, d)
	gram(h, u)
	r.x.mul(xu, u)
	mulDense(gradient, z, h) // ZH, at first
	subtractScaled(gradient, xu, float32(scale))
	return loss * scale / 2, nil
}

// code adds the decoder's weights to a trainer and returns the same loss as graph code, given that
// of the embedding.
func (r *reconstruction) code(t *trainer, embedding func(v *nodes) *Node) loss {
	decoder, x := t.weight(r.decoder.value), t.features(r.x)
	return loss{graph: func(v *nodes) (_, scalar *Node) {
		z, u := embedding(v), v.weight(decoder)
		gram := func(y *Node) *Node { return product(Transpose(y, 0, 1), y) }
		squares := ReduceAllSum(Mul(gram(z), gram(u)))   // tr(GH)
		products := ReduceAllSum(Mul(x.timesT(v, z), u)) // ⟨XᵗZ, U⟩
		sum := AddScalar(Sub(squares, MulScalar(products, 2)), r.squares)
		return nil, MulScalar(sum, 1/(float64(r.x.n)*float64(r.x.f)))
	}}
}

// subtractScaled sets a = (a − b)·scale, in place.
func subtractScaled(a, b blas32.General, scale float32) {
	eachRow(a, func(r []float32, i int) {
		for c, v := range linalg.Row(b, i) {
			r[c] = (r[c] - v) * scale
		}
	})
}
