package method

import (
	"context"
	"slices"

	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// onHost keeps the weights and moments on the host, which sends the weights with each step,
// multiplies with sparse matrices, compares all pairs, and makes Adam's step. A step is one
// execution, or two with an objective of pairs.
type onHost struct {
	t      *trainer
	marked []store.Matrix
}

func (h *onHost) add(s *adamStep) {
	t := h.t
	if s.pairs != nil {
		s.forward = t.program(func(v *nodes) []*Node {
			z, _ := s.graph(v)
			return []*Node{z}
		})
	}
	s.backward = t.program(func(v *nodes) []*Node {
		z, scalar := s.graph(v)
		total := scalar
		if s.pairs != nil {
			total = withPairs(scalar, z, v.all[len(v.all)-1])
		}
		if scalar == nil {
			scalar = ScalarZero(total.Graph(), total.DType())
		}
		var trained []*Node
		for _, w := range s.trains {
			trained = append(trained, v.weight(w))
		}
		return append([]*Node{scalar}, Gradient(total, trained...)...)
	})
}

// withPairs returns a scalar with the gradient of a loss: the sum of one, which may be nil,
// and of an objective of pairs, given its gradient. With that gradient G held constant, the
// gradient of Σ G∘Z is that of the objective.
func withPairs(scalar, z, gradient *Node) *Node {
	total := ReduceAllSum(Mul(gradient, z))
	if scalar != nil {
		total = Add(total, scalar)
	}
	return total
}

func (h *onHost) take(ctx context.Context, s *adamStep, inputs ...any) (float64, error) {
	value, err := s.differentiate(ctx, inputs...)
	if err == nil {
		s.adam()
	}
	return value, err
}

// differentiate returns the loss and computes its gradients.
func (s *adamStep) differentiate(ctx context.Context, inputs ...any) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var value float64
	if s.pairs != nil {
		out, err := s.t.call(s.forward, inputs...)
		if err != nil {
			return 0, err
		}
		z, err := received(out[0])
		if err != nil {
			return 0, err
		}
		g := linalg.New(z.Rows, z.Cols)
		if value, err = s.pairs.compute(ctx, z, g); err != nil {
			return 0, err
		}
		inputs = append(inputs[:len(inputs):len(inputs)], g)
	}
	out, err := s.t.call(s.backward, inputs...)
	if err != nil {
		return 0, err
	}
	value += float64(tensors.ToScalar[float32](out[0]))
	for k, g := range out[1:] {
		gradient := s.trained[k].gradient
		layer, first := s.t.layers[s.trains[k]]
		if first {
			gradient = linalg.New(g.Shape().Dim(0), g.Shape().Dim(1))
		}
		if err := device.CopyRows(gradient, g); err != nil {
			return 0, err
		}
		if first {
			layer.mulT(s.trained[k].gradient, gradient)
		}
	}
	for _, o := range out {
		o.MustFinalizeAll()
	}
	return value, nil
}

// adam changes the weights by their gradients.
func (s *adamStep) adam() {
	s.count++
	rates := simd.AdamRatesAt(s.rate, s.count)
	for _, p := range s.trained {
		if s.decay != 0 {
			addScaled(p.gradient, p.value, float32(s.decay))
		}
		linalg.Parallel(p.value.Rows, 64, func(lo, hi int) {
			part := func(m blas32.General) []float32 { return m.Data[lo*m.Stride : hi*m.Stride] }
			simd.Adam(part(p.value), part(p.gradient), part(p.first), part(p.second), rates)
		})
	}
}

func (h *onHost) arguments() (weights []any, release func()) {
	var sent []*tensors.Tensor
	for k, w := range h.t.weights {
		if l, ok := h.t.layers[weight(k)]; ok {
			w = l.mul(w)
		}
		s := device.Matrix(w)
		sent, weights = append(sent, s), append(weights, s)
	}
	return weights, func() {
		for _, s := range sent {
			s.MustFinalizeAll()
		}
	}
}

func (h *onHost) put(weight) {}

func (h *onHost) mark() {
	h.marked, _ = h.t.state()
	for k := range h.marked {
		h.marked[k].Data = slices.Clone(h.marked[k].Data)
	}
}

func (h *onHost) keep() { h.t.lowest.Weights = h.marked }

func (h *onHost) goBack() {
	for k, m := range h.t.lowest.Weights {
		copy(h.t.weights[k].Data, m.Data)
	}
}

func (h *onHost) close() {}
