package method

import (
	"context"

	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// loss is what a step lowers: a scalar that graph code computes, plus an objective of all pairs
// of rows of an embedding that the same code computes. There is one of the two or both.
type loss struct {
	// graph returns the embedding for pairs, and the scalar. The scalar may be nil if there are
	// pairs. Without pairs, the embedding is not used.
	graph func(v *nodes) (embedding, scalar *Node)
	// pairs is the objective of the embedding. Nil: none.
	pairs pairObjective
	// weights are those that the step changes. Nil: all.
	weights []weight
}

// pairObjective is an objective of all pairs of rows of an embedding, without weights of its own.
type pairObjective interface {
	objective
	// code adds what the objective needs to a trainer's constants. It returns graph code that does
	// what compute does: its results are the loss, in float64, and the gradient with respect to z.
	//
	//	z: [n, d] → scalar, [n, d]
	code(t *trainer) func(v *nodes, z *Node) (value, gradient *Node)
}

// adamStep is a kind of step of Adam, with the state of its own optimizer.
type adamStep struct {
	loss
	t           *trainer
	rate, decay float64
	parameters  []parameter // the weights that it changes
	count       int         // of steps taken

	forward, backward *device.Program   // of onHost
	update            *device.Program   // of onDevice
	moments           []*tensors.Tensor // of onDevice: first and second of each parameter
}

// step adds a kind of step that lowers l to the trainer: Adam with a learning rate, which adds
// decay·W to the gradient of each weight matrix W. The trainer must have all weights already.
func (t *trainer) step(l loss, rate, decay float64) *adamStep {
	if l.weights == nil {
		l.weights = t.allWeights()
	}
	s := &adamStep{loss: l, t: t, rate: rate, decay: decay}
	for _, w := range l.weights {
		s.parameters = append(s.parameters, newParameter(t.weights[w]))
	}
	t.place.add(s)
	t.steps = append(t.steps, s)
	return s
}

// take takes one step with its inputs (see [nodes.input]) and returns the loss before it.
func (s *adamStep) take(ctx context.Context, inputs ...any) (float64, error) {
	return s.t.place.take(ctx, s, inputs...)
}

// hostStep adds weights, and a kind of step that the method itself computes from their gradients
// on the host.
func (t *trainer) hostStep(rate float64, trained ...parameter) *adamStep {
	for _, p := range trained {
		t.weight(p.value)
	}
	s := &adamStep{t: t, rate: rate, parameters: trained}
	t.steps = append(t.steps, s)
	return s
}

// addScaled adds scale·b to a, in place. a and b may be the same matrix.
func addScaled(a, b blas32.General, scale float32) {
	eachRow(a, func(r []float32, i int) {
		for c, v := range linalg.Row(b, i) {
			r[c] += scale * v
		}
	})
}

// product returns a·b.
func product(a, b *Node) *Node { return Dot(a, b).Product() }
