package method

import (
	"context"

	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
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
	pairs pairObjective
	// weights are those that the step changes. Nil: all.
	weights []weight
}

// pairObjective is an objective of pairs of an embedding, without parameters.
type pairObjective interface {
	objective
	// code adds what the objective needs to a trainer's constants, and returns the same
	// loss, in float64, and the same gradient as graph code.
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

	forward, backward *device.Program // the host's
	update            *device.Program // the device's
	moments           []*tensors.Tensor
}

// step adds a kind of step with a learning rate. The weight decay λ adds λW to the
// gradient of each W. All weights must exist.
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

// take takes one step and returns the loss before it.
func (s *adamStep) take(ctx context.Context, inputs ...any) (float64, error) {
	return s.t.place.take(ctx, s, inputs...)
}

// hostStep adds a kind of step that the method itself computes on the host, and its weights.
func (t *trainer) hostStep(rate float64, trained ...parameter) *adamStep {
	for _, p := range trained {
		t.weight(p.value)
	}
	s := &adamStep{t: t, rate: rate, parameters: trained}
	t.steps = append(t.steps, s)
	return s
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
