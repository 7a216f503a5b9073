package baseline

import (
	"context"

	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// loss is what a step lowers: the sum of a scalar that graph code computes, and
// an objective of pairs of an embedding that the same code computes.
type loss struct {
	// graph returns the embedding and the scalar. Either may be nil.
	graph func(v *nodes) (embedding, scalar *Node)
	// pairs is the objective of the embedding; nil if there is no embedding.
	pairs objective
	// trains are the weights that the step changes. Nil: all.
	trains []weight
}

// step is a kind of step of Adam, with the state of its own optimizer.
type step struct {
	loss
	t                 *trainer
	rate, decay       float64
	forward, backward *device.Program
	trained           []parameter // the weights that it changes
	count             int         // of steps taken
}

// step adds a kind of step with a learning rate. The weight decay λ adds λW to the
// gradient of each W. All weights must exist.
func (t *trainer) step(l loss, rate, decay float64) *step {
	if l.trains == nil {
		l.trains = t.all()
	}
	s := &step{loss: l, t: t, rate: rate, decay: decay}
	for _, w := range l.trains {
		s.trained = append(s.trained, newParameter(t.weights[w]))
	}
	if l.pairs != nil {
		s.forward = t.program(func(v *nodes) []*Node {
			z, _ := l.graph(v)
			return []*Node{z}
		})
	}
	// With the objective's gradient G held constant, the gradient of Σ G∘Z is
	// that of the objective.
	s.backward = t.program(func(v *nodes) []*Node {
		z, scalar := l.graph(v)
		total := scalar
		if l.pairs != nil {
			total = ReduceAllSum(Mul(v.all[len(v.all)-1], z))
			if scalar != nil {
				total = Add(total, scalar)
			}
		}
		if scalar == nil {
			scalar = ScalarZero(total.Graph(), total.DType())
		}
		var of []*Node
		for _, w := range l.trains {
			of = append(of, v.weight(w))
		}
		return append([]*Node{scalar}, Gradient(total, of...)...)
	})
	t.steps = append(t.steps, s)
	return s
}

// ownStep adds a kind of step that the method takes itself, and its weights.
func (t *trainer) ownStep(rate float64, trained ...parameter) *step {
	for _, p := range trained {
		t.weight(p.value)
	}
	s := &step{t: t, rate: rate, trained: trained}
	t.steps = append(t.steps, s)
	return s
}

// differentiate returns the loss and computes its gradients.
func (s *step) differentiate(ctx context.Context, inputs ...any) (float64, error) {
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
		to := s.trained[k].gradient
		layer, first := s.t.layers[s.trains[k]]
		if first {
			to = linalg.New(g.Shape().Dim(0), g.Shape().Dim(1))
		}
		if err := device.CopyRows(to, g); err != nil {
			return 0, err
		}
		if first {
			layer.mulT(s.trained[k].gradient, to)
		}
	}
	for _, o := range out {
		o.MustFinalizeAll()
	}
	return value, nil
}

// take takes one step and returns the loss before it.
func (s *step) take(ctx context.Context, inputs ...any) (float64, error) {
	value, err := s.differentiate(ctx, inputs...)
	if err == nil {
		s.adam()
	}
	return value, err
}

// adam changes the weights by their gradients.
func (s *step) adam() {
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

// addScaled sets a = a + scale·b.
func addScaled(a, b blas32.General, scale float32) {
	eachRow(a, func(r []float32, i int) {
		for c, v := range linalg.Row(b, i) {
			r[c] += scale * v
		}
	})
}

// product returns a·b.
func product(a, b *Node) *Node { return Dot(a, b).Product() }
