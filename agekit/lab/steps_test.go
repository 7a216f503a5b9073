package lab_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/internal/testutil"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// Below, between lines of dashes, are the texts of two cells of notebook 03.

// ----------------------------------------------------------------------------

// encode returns the embeddings: x is [n, f], w is [f, d], b is [d].
func encode(x, w, b *Node) *Node {
	z := Add(Dot(x, w).Product(), InsertAxes(b, 0))
	low := ReduceAndKeep(z, ReduceMin, 1)
	z = Div(Sub(z, low), Sub(ReduceAndKeep(z, ReduceMax, 1), low)) // to [0, 1]
	return Div(z, Sqrt(ReduceAndKeep(Square(z), ReduceSum, 1)))    // to length 1
}

// loss returns the mean cross entropy of the pairs (i, j).
func loss(x, w, b, i, j, labels *Node) *Node {
	z := encode(x, w, b)
	s := ReduceSum(Mul(Gather(z, InsertAxes(i, -1)), Gather(z, InsertAxes(j, -1))), -1)
	s = ClipScalar(s, 1e-7, 1-1e-7)
	return Neg(ReduceAllMean(Add(Mul(labels, Log(s)), Mul(OneMinus(labels), Log(OneMinus(s))))))
}

// ----------------------------------------------------------------------------

const rate = 0.001 // Adam's learning rate

// adam returns the weights w and their moments m and v after step t of Adam
// (Kingma and Ba, 2015).
func adam(w, gradient, m, v *Node, t float64) (*Node, *Node, *Node) {
	m = Add(MulScalar(m, 0.9), MulScalar(gradient, 0.1))
	v = Add(MulScalar(v, 0.999), MulScalar(Square(gradient), 0.001))
	mean := DivScalar(m, 1-math.Pow(0.9, t))
	size := Sqrt(DivScalar(v, 1-math.Pow(0.999, t)))
	change := Div(mean, AddScalar(size, 1e-8))
	return Sub(w, MulScalar(change, rate)), m, v
}

// step returns W, b and their moments after training step t on the pairs (i, j).
func step(state []*Node, x, i, j, labels *Node, t float64) []*Node {
	w, b := state[0], state[1]
	gradients := Gradient(loss(x, w, b, i, j, labels), w, b)
	w, mw, vw := adam(w, gradients[0], state[2], state[3], t)
	b, mb, vb := adam(b, gradients[1], state[4], state[5], t)
	return []*Node{w, b, mw, vw, mb, vb}
}

// trained returns the loss after three steps.
func trained(x, w, b, i, j, labels *Node) *Node {
	zerosW, zerosB := ZerosLike(w), ZerosLike(b) // the moments at first
	state := []*Node{w, b, zerosW, zerosW, zerosB, zerosB}
	for t := range 3 {
		state = step(state, x, i, j, labels, float64(t+1))
	}
	return loss(x, state[0], state[1], i, j, labels)
}

// ----------------------------------------------------------------------------

// TestStepTimes: each backend has the losses of the notebook's graph code, whose gradients
// are GoMLX's own, to 1e-5, or says that it is not here. Notebook 03 has that code.
func TestStepTimes(t *testing.T) {
	g := testutil.Value(agekit.Load("planted:n=250,f=80,classes=3,degree=6,words=10,topic=0.5")).OrFatal(t)
	c := agekit.Settings(g)
	c.LearningRate = rate
	input := testutil.Value(encoder.Prepare(t.Context(), g, c)).OrFatal(t)
	rnd := rand.New(rand.NewPCG(1, 0))
	start := encoder.InitialWeights(input.Smoothed.Cols, 20, rnd)
	var i, j []int32
	var labels []float32
	for k := range 200 {
		first, distance := rnd.Int32N(250), 1+rnd.Int32N(249)
		i, j, labels = append(i, first), append(j, (first+distance)%250), append(labels, float32(k%2))
	}
	want := map[int]float32{
		0: testutil.Value(lab.Evaluate(loss, input.Smoothed, start.W, start.B, i, j, labels)).OrFatal(t),
		3: testutil.Value(lab.Evaluate(trained, input.Smoothed, start.W, start.B, i, j, labels)).OrFatal(t),
	}
	var names []string
	for _, s := range testutil.Value(lab.StepTimes(input, c, start, i, j, labels)).OrFatal(t) {
		names = append(names, s.Backend)
		if strings.HasPrefix(s.Backend, "xla:") && errors.Is(s.Err, backend.ErrUnavailable) {
			continue
		}
		if s.Err != nil || !(s.Seconds > 0) || math.IsInf(s.Seconds, 0) {
			t.Errorf("%s: %v s a step, error %v", s.Backend, s.Seconds, s.Err)
			continue
		}
		for steps, loss := range want {
			if got := s.Losses[steps]; math.Abs(got-float64(loss)) > 1e-5 {
				t.Errorf("%s: loss %.6f after %d steps, the notebook's code has %.6f", s.Backend, got, steps, loss)
			}
		}
	}
	if want := []string{"native", "go", "xla:cpu", "xla:cuda"}; !slices.Equal(names, want) {
		t.Errorf("backends %q, want %q", names, want)
	}

	source := string(testutil.Value(os.ReadFile("steps_test.go")).OrFatal(t))
	for _, text := range strings.Split(source, "\n// "+strings.Repeat("-", 76)+"\n")[1:3] {
		inNotebook03(t, text)
	}
}

// inNotebook03 reports a text that no cell of notebook 03 has.
func inNotebook03(t *testing.T, text string) {
	t.Helper()
	if !slices.ContainsFunc(testutil.NotebookCells(t, "../../notebooks/03_*.ipynb", "code"), func(cell string) bool {
		return strings.Contains(cell, strings.TrimSpace(text))
	}) {
		t.Errorf("notebook 03 has no cell with this text: write the changed one there, too:\n%s", text)
	}
}
