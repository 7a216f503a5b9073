package baseline

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// network is a stack of layers on a graph's features,
//
//	Y₀ = X,  Yₗ = φ(Fˢ Yₗ₋₁ Wₗ),
//
// with a symmetric filter F applied s times in each layer, and φ either ReLU
// or the identity. A GCN has s = 1 in every layer. An encoder of smoothed
// features applies all filters in the first layer, since FˢX·W = Fˢ(XW).
type network struct {
	x      features
	filter *graph.CSR
	layers []*layer
}

type layer struct {
	parameter
	filters int
	relu    bool
	out     blas32.General // Yₗ
	spare   blas32.General // the same size as out
}

// layerShape describes a layer to newNetwork.
type layerShape struct {
	width, filters int
	relu           bool
}

// newNetwork returns a network without biases with Glorot's initial weights, as in GAE.
func newNetwork(g *graph.Graph, filter *graph.CSR, shapes []layerShape, rnd *rand.Rand) *network {
	n := &network{x: newFeatures(g.Features), filter: filter}
	in := n.x.f
	for _, s := range shapes {
		n.layers = append(n.layers, &layer{
			parameter: newParameter(glorot(in, s.width, rnd)), filters: s.filters, relu: s.relu,
			out: dense.New(g.N(), s.width), spare: dense.New(g.N(), s.width),
		})
		in = s.width
	}
	return n
}

func (n *network) parameters() []*parameter {
	var all []*parameter
	for _, l := range n.layers {
		all = append(all, &l.parameter)
	}
	return all
}

// forward returns the last layer's output. The network keeps ownership of it.
func (n *network) forward() blas32.General {
	for k, l := range n.layers {
		if k == 0 {
			n.x.mul(l.out, l.value)
		} else {
			mulDense(l.out, n.layers[k-1].out, l.value)
		}
		l.out, l.spare = n.applyFilter(l.filters, l.out, l.spare)
		if l.relu {
			eachRow(l.out, func(y []float32, _ int) {
				for c, v := range y {
					y[c] = max(v, 0)
				}
			})
		}
	}
	return n.layers[len(n.layers)-1].out
}

// backward computes the gradients with respect to all weights from the
// gradient with respect to the output, which it takes over as scratch space.
func (n *network) backward(gradient blas32.General) {
	for k := len(n.layers) - 1; k >= 0; k-- {
		l := n.layers[k]
		if l.relu {
			eachRow(gradient, func(g []float32, i int) {
				for c, y := range dense.Row(l.out, i) {
					if y <= 0 {
						g[c] = 0
					}
				}
			})
		}
		gradient, l.spare = n.applyFilter(l.filters, gradient, l.spare)
		if k == 0 {
			n.x.mulT(l.gradient, gradient)
			break
		}
		before := n.layers[k-1].out
		mulDense(l.gradient, transposed(before), gradient)
		next := dense.New(before.Rows, before.Cols)
		mulDense(next, gradient, transposed(l.value))
		gradient = next
	}
}

// applyFilter applies F the given number of times to y. It returns the result
// and the other one of the two matrices.
func (n *network) applyFilter(times int, y, spare blas32.General) (result, other blas32.General) {
	for range times {
		mulSparse(spare, n.filter, y)
		y, spare = spare, y
	}
	return y, spare
}

// eachRow calls f with each row and its index, on all cores.
func eachRow(m blas32.General, f func(r []float32, i int)) {
	parallel.Blocks(m.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(dense.Row(m, i), i)
		}
	})
}

// parameter is a trainable matrix, its gradient and Adam's moments.
type parameter struct{ value, gradient, first, second blas32.General }

func newParameter(value blas32.General) parameter {
	zero := func() blas32.General { return dense.New(value.Rows, value.Cols) }
	return parameter{value, zero(), zero(), zero()}
}

// step takes one step of Adam, counted from 1.
func (p *parameter) step(learningRate float64, count int) {
	rates := simd.AdamRatesAt(learningRate, count)
	parallel.Blocks(p.value.Rows, 64, func(lo, hi int) {
		part := func(m blas32.General) []float32 { return m.Data[lo*m.Stride : hi*m.Stride] }
		simd.Adam(part(p.value), part(p.gradient), part(p.first), part(p.second), rates)
	})
}
