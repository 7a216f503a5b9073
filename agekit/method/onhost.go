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
	t          *trainer
	epochStart []store.Matrix
}

// add compiles the step's programs: forward returns the embedding for an objective of pairs, and
// backward the scalar and the gradients of the weights.
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
			total = addPairs(scalar, z, v.arguments[len(v.arguments)-1])
		}
		if scalar == nil {
			scalar = ScalarZero(total.Graph(), total.DType())
		}
		var trained []*Node
		for _, w := range s.weights {
			trained = append(trained, v.weight(w))
		}
		return append([]*Node{scalar}, Gradient(total, trained...)...)
	})
}

// addPairs returns a scalar whose gradient is that of the whole loss: of the given scalar, which
// may be nil, and of an objective of pairs whose gradient with respect to z is known. With that
// gradient G held constant, the gradient of Σ G∘Z is the objective's.
func addPairs(scalar, z, gradient *Node) *Node {
	total := ReduceAllSum(Mul(gradient, z))
	if scalar != nil {
		total = Add(total, scalar)
	}
	return total
}

// take implements [place].
func (h *onHost) take(ctx context.Context, s *adamStep, inputs ...any) (float64, error) {
	value, err := s.differentiate(ctx, inputs...)
	if err == nil {
		s.adam()
	}
	return value, err
}

// differentiate returns the loss and sets the gradients of the step's parameters.
func (s *adamStep) differentiate(ctx context.Context, inputs ...any) (float64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var loss float64
	if s.pairs != nil {
		out, err := s.t.call(s.forward, inputs...)
		if err != nil {
			return 0, err
		}
		z, err := received(out[0])
		if err != nil {
			return 0, err
		}
		gradientZ := linalg.New(z.Rows, z.Cols)
		if loss, err = s.pairs.compute(ctx, z, gradientZ); err != nil {
			return 0, err
		}
		inputs = append(inputs[:len(inputs):len(inputs)], gradientZ)
	}
	out, err := s.t.call(s.backward, inputs...)
	if err != nil {
		return 0, err
	}
	loss += float64(tensors.ToScalar[float32](out[0]))
	for k, computed := range out[1:] {
		gradient := s.parameters[k].gradient
		layer, isLayer := s.t.layers[s.weights[k]]
		if !isLayer {
			if err := device.CopyRows(gradient, computed); err != nil {
				return 0, err
			}
			continue
		}
		// What the program knows of a first layer is its value, and so is this gradient.
		gradientValue := linalg.New(computed.Shape().Dim(0), computed.Shape().Dim(1))
		if err := device.CopyRows(gradientValue, computed); err != nil {
			return 0, err
		}
		layer.mulT(gradient, gradientValue)
	}
	for _, o := range out {
		o.MustFinalizeAll()
	}
	return loss, nil
}

// adam changes the weights by their gradients, as Adam does.
func (s *adamStep) adam() {
	s.count++
	rates := simd.AdamRatesAt(s.rate, s.count)
	for _, p := range s.parameters {
		if s.decay != 0 {
			addScaled(p.gradient, p.value, float32(s.decay))
		}
		linalg.Parallel(p.value.Rows, 64, func(lo, hi int) {
			part := func(m blas32.General) []float32 { return m.Data[lo*m.Stride : hi*m.Stride] }
			simd.Adam(part(p.value), part(p.gradient), part(p.first), part(p.second), rates)
		})
	}
}

// arguments sends the weights, or the values of the layers that they belong to.
func (h *onHost) arguments() (weights []any, release func()) {
	var sent []*tensors.Tensor
	for k, value := range h.t.weights {
		if layer, ok := h.t.layers[weight(k)]; ok {
			value = layer.mul(value)
		}
		tensor := device.Matrix(value)
		sent = append(sent, tensor)
		weights = append(weights, tensor)
	}
	return weights, func() {
		for _, s := range sent {
			s.MustFinalizeAll()
		}
	}
}

// reload has nothing to do: the weights are the trainer's.
func (h *onHost) reload(weight) {}

// snapshot implements [place].
func (h *onHost) snapshot() {
	h.epochStart, _ = h.t.state()
	for k := range h.epochStart {
		h.epochStart[k].Data = slices.Clone(h.epochStart[k].Data)
	}
}

// keepSnapshot implements [place].
func (h *onHost) keepSnapshot() { h.t.lowest.Weights = h.epochStart }

// restoreSnapshot implements [place].
func (h *onHost) restoreSnapshot() {
	for k, m := range h.t.lowest.Weights {
		copy(h.t.weights[k].Data, m.Data)
	}
}

// close has nothing to free.
func (h *onHost) close() {}
