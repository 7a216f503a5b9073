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

// onHost is the [place] that keeps the weights and moments on the host. The host sends the weights
// with each step, multiplies with sparse matrices, computes objectives of pairs, and changes the
// weights by Adam. The device computes the rest: one execution a step, or two with an objective of pairs.
type onHost struct {
	t          *trainer
	epochStart []store.Matrix // the snapshot: the weights before the steps of an epoch
}

// add implements [place]. It makes the step's programs: forward, which returns the embedding for an
// objective of pairs, and backward, which returns the scalar and the gradients of the weights. Given
// pairs, the last input of backward is the objective's gradient with respect to the embedding.
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

// addPairs returns a node whose gradient is that of the whole loss, though its value is not the
// loss. The loss is the scalar, which may be nil, plus an objective of pairs with a known gradient
// with respect to z. With that gradient G held constant, the gradient of Σ G∘Z is the objective's.
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

// differentiate returns the loss and sets the gradients of the step's parameters, without a step. It
// needs the programs of [onHost].
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
		inputs = slices.Concat(inputs, []any{gradientZ}) // a copy: the caller keeps its slice
	}
	out, err := s.t.call(s.backward, inputs...)
	if err != nil {
		return 0, err
	}
	loss += float64(tensors.ToScalar[float32](out[0]))
	for k, computed := range out[1:] {
		gradient := s.parameters[k].gradient
		layer, isInputLayer := s.t.layers[s.weights[k]]
		if !isInputLayer {
			if err := device.CopyRows(gradient, computed); err != nil {
				return 0, err
			}
			continue
		}
		// The program got the layer's value in place of the weights, so this is the gradient with
		// respect to that value.
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

// adam changes the weights on the host by one step of Adam, given their gradients and the decay.
func (s *adamStep) adam() {
	s.count++
	rates := simd.AdamRatesAt(s.rate, s.count)
	for _, p := range s.parameters {
		if s.decay != 0 {
			addScaled(p.gradient, p.value, float32(s.decay))
		}
		linalg.Parallel(p.value.Rows, 64, func(lo, hi int) {
			rows := func(m blas32.General) []float32 { return m.Data[lo*m.Stride : hi*m.Stride] }
			simd.Adam(rows(p.value), rows(p.gradient), rows(p.first), rows(p.second), rates)
		})
	}
}

// arguments implements [place]. It sends the weights, or for those of an [inputLayer] the layer's value.
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

// reload implements [place]. There is nothing to do: the weights are the trainer's.
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

// close implements [place]. There is nothing to free.
func (h *onHost) close() {}
