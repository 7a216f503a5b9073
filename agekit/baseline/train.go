package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/blas/blas32"
)

// schedule is how long and at what rate a method trains. Every epoch is one
// step of Adam on the whole loss.
type schedule struct {
	epochs       int
	learningRate float64
}

// namedInt is a setting and its minimum.
type namedInt struct {
	name         string
	value, least int
}

// validate reports the first invalid setting.
func validate(s schedule, values ...namedInt) error {
	for _, v := range append(values, namedInt{"epochs", s.epochs, 1}) {
		if v.value < v.least {
			return fmt.Errorf("%s is %d: want %d or more", v.name, v.value, v.least)
		}
	}
	return validRate("learning_rate", s.learningRate)
}

// validRate returns an error if a learning rate is not a positive number.
func validRate(name string, rate float64) error {
	if !(rate > 0) || math.IsInf(rate, 1) {
		return fmt.Errorf("%s is %v: want a positive number", name, rate)
	}
	return nil
}

// diverged returns an error if an epoch's loss is not a finite number.
func (s schedule) diverged(epoch int, loss float64) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("epoch %d: the loss is %v: try a lower learning_rate than %v", epoch, loss, s.learningRate)
	}
	return nil
}

// objective is what a method minimizes.
type objective interface {
	// compute returns the loss of an embedding. It writes the gradients
	// with respect to z and to the objective's parameters.
	compute(ctx context.Context, z, gradient blas32.General) (float64, error)
	// parameters are the objective's own parameters.
	parameters() []*parameter
}

// train minimizes an objective and returns the final embedding.
func train(ctx context.Context, n *network, loss objective, s schedule, o Options) (blas32.General, error) {
	all := append(n.parameters(), loss.parameters()...)
	for epoch := 1; epoch <= s.epochs; epoch++ {
		z := n.forward()
		gradient := dense.New(z.Rows, z.Cols)
		value, err := loss.compute(ctx, z, gradient)
		if err != nil {
			return blas32.General{}, fmt.Errorf("epoch %d of %d: %w", epoch, s.epochs, err)
		}
		if err := s.diverged(epoch, value); err != nil {
			return blas32.General{}, err
		}
		n.backward(gradient)
		for _, p := range all {
			p.step(s.learningRate, epoch)
		}
		o.report(Event{Epoch: epoch, Epochs: s.epochs, Loss: value})
	}
	return n.forward(), ctx.Err()
}

var errNoEdges = errors.New("the graph has no edges: nothing to reconstruct")

// named says which method an error is of.
func named(m Method, err error) error { return fmt.Errorf("%s: %w", m.Name(), err) }
