package method

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// adversaries runs test, as a subtest, for a small model of ARGA and of ARVGA in fair and in published
// mode on the graph twelve. tr is the trainer, and a the model. The discriminators have random weights
// from −1 to 1, so that their gradients are well above the rounding of a float32 loss.
func adversaries(t *testing.T, test func(t *testing.T, tr *trainer, a *adversary)) {
	g := twelve(t)
	for _, published := range []bool{false, true} {
		for _, variational := range []bool{false, true} {
			m := filled(arga{Hidden: 5, Dims: 3, Published: published, variational: variational})
			t.Run(fmt.Sprintf("%s, published %v", asMethod(m).Name(), published), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(3, 3))
				tr := trainerFor(t, asMethod(m), g)
				hidden := []int{6, 4} // widths in the discriminator
				a := m.adversary(tr, g, m.generator(tr, g, rnd), hidden, rnd)
				for _, p := range a.discriminate.parameters {
					copy(p.value.Data, randomMatrix(p.value.Rows, p.value.Cols, 1, rnd).Data)
				}
				test(t, tr, a)
			})
		}
	}
}

// TestAdversarialGradients compares the gradients of the three kinds of steps with finite differences
// of their losses.
func TestAdversarialGradients(t *testing.T) {
	adversaries(t, func(t *testing.T, _ *trainer, a *adversary) {
		rnd := rand.New(rand.NewPCG(1, 1))
		inputs := a.draw(a.n, rnd)
		wantGradients(t, a.autoencoder, inputs...)
		wantGradients(t, a.generate, inputs...)
		wantGradients(t, a.discriminate, append(inputs, normal(a.n, a.width, rnd))...)
	})
}

// TestAdversarialSteps: a step of the discriminator changes the discriminator's weights and leaves the
// encoder's as they are, and the other two kinds of steps do the reverse. Each step lowers its own loss
// for the same inputs: so the generator's makes the discriminator less sure that Z is not a sample.
func TestAdversarialSteps(t *testing.T) {
	adversaries(t, func(t *testing.T, _ *trainer, a *adversary) {
		rnd := rand.New(rand.NewPCG(1, 1))
		inputs := a.draw(a.n, rnd)
		withPrior := slices.Concat(inputs, []any{normal(a.n, a.width, rnd)}) // samples for the discriminator
		for _, c := range []struct {
			name           string
			step           *adamStep
			inputs         []any
			changes, stays []parameter
		}{
			{name: "autoencoder", step: a.autoencoder, inputs: inputs, changes: a.autoencoder.parameters, stays: a.discriminate.parameters},
			{name: "discriminator", step: a.discriminate, inputs: withPrior, changes: a.discriminate.parameters, stays: a.autoencoder.parameters},
			{name: "generator", step: a.generate, inputs: inputs, changes: a.generate.parameters, stays: a.discriminate.parameters},
		} {
			changesBefore, staysBefore := flat(t, c.changes), flat(t, c.stays)
			before := testutil.Value(c.step.take(t.Context(), c.inputs...)).OrFatal(t)
			if bytes.Equal(changesBefore, flat(t, c.changes)) {
				t.Errorf("a step of the %s does not change its weights", c.name)
			}
			if !bytes.Equal(staysBefore, flat(t, c.stays)) {
				t.Errorf("a step of the %s changes the other's weights", c.name)
			}
			if after, err := c.step.differentiate(t.Context(), c.inputs...); err != nil || !(after < before) {
				t.Errorf("a step of the %s takes its loss from %v to %v, error %v", c.name, before, after, err)
			}
		}
	})
}

// flat returns the bytes of all parameters' values.
func flat(t *testing.T, parameters []parameter) []byte {
	var b []byte
	for _, p := range parameters {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, p.value.Data); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestDiscriminatorLoss compares the discriminator's loss with the mean logarithms of its probabilities,
// computed in float64 ([meanLog]), to 1e-5: for weights of 0, with which all logits are 0, and for
// random ones up to 1 and 2.
func TestDiscriminatorLoss(t *testing.T) {
	tr := trainerFor(t, asMethod(arga{}), twelve(t))
	rnd := rand.New(rand.NewPCG(2, 2))
	const rows, width = 9, 4
	d := tr.discriminator(width, []int{7, 6}, rnd)
	samples, z := normal(rows, width, rnd), normal(rows, width, rnd)
	p := tr.program(func(v *nodes) []*Node { return []*Node{d.loss(v, v.input(0), v.input(1))} })
	for _, size := range []float32{0, 1, 2} {
		for _, w := range tr.weights {
			copy(w.Data, randomMatrix(w.Rows, w.Cols, size, rnd).Data)
		}
		out := testutil.Value(tr.call(p, samples, z)).OrFatal(t)
		want := -meanLog(tr.weights, samples, 1) - meanLog(tr.weights, z, -1)
		if got := float64(tensors.ToScalar[float32](out[0])); !scalar.EqualWithinRel(got, want, 1e-5) {
			t.Errorf("weights of size %v: loss %v, want %v", size, got, want)
		}
	}
}

// meanLog returns the mean of log σ(sign·l) over the logits l of the rows of input, by a perceptron with
// ReLU. weights has each layer's weights and then its biases.
func meanLog(weights []blas32.General, input blas32.General, sign float64) float64 {
	y := linalg.Float64(input)
	for k := 0; k < len(weights); k += 2 {
		var next mat.Dense
		next.Mul(y, linalg.Float64(weights[k]))
		bias := linalg.Float64(weights[k+1])
		next.Apply(func(_, j int, v float64) float64 {
			v += bias.At(0, j)
			if isLast := k+2 == len(weights); !isLast {
				v = max(v, 0)
			}
			return v
		}, &next)
		y = &next
	}
	sum, n := 0.0, input.Rows
	for i := range n {
		sum += math.Log(1 / (1 + math.Exp(-sign*y.At(i, 0))))
	}
	return sum / float64(n)
}
