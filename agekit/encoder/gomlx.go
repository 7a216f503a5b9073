package encoder

import (
	"fmt"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/simd"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// gomlx runs the graph code of this package on a GoMLX backend. X̃, the
// weights and Adam's moments stay on the device between steps; batches are
// padded to one size, so that a whole training compiles two programs: the
// step and the embedding.
type gomlx struct {
	backend                compute.Backend
	step, gradients, embed *graph.Exec
	n, f, d, capacity      int
	learningRate           float64

	x     *tensors.Tensor
	state [6]*tensors.Tensor // W, b, first moments of both, second moments of both
	steps int
}

func newGoMLX(choice backend.Choice, x blas32.General, start *State, loss Loss, learningRate float64, maxPairs int) (model Model, err error) {
	defer catch(choice.Name, &err)
	b, err := backend.Open(choice)
	if err != nil {
		return nil, err
	}
	m := &gomlx{
		backend: b, n: x.Rows, f: x.Cols, d: start.Weights.W.Cols, learningRate: learningRate,
		capacity: (maxPairs + pairMultiple - 1) / pairMultiple * pairMultiple,
		x:        matrixTensor(x),
	}
	lossAndGradients := func(in []*graph.Node) (l *graph.Node, gradients []*graph.Node) {
		x, w, b, pairs := in[0], in[1], in[2], in[len(in)-4:]
		z := Encode(x, w, b)
		l = CrossEntropy(loss, Similarities(z, pairs[0], pairs[1]), pairs[2], pairs[3])
		return l, graph.Gradient(l, w, b)
	}
	m.step, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		l, g := lossAndGradients(in)
		stepSize, correction := in[7], in[8]
		w, mw, vw := adamStep(in[1], g[0], in[3], in[5], stepSize, correction)
		b, mb, vb := adamStep(in[2], g[1], in[4], in[6], stepSize, correction)
		return []*graph.Node{w, b, mw, mb, vw, vb, l}
	})
	if err != nil {
		return nil, err
	}
	m.gradients, err = graph.NewExec(b, func(in []*graph.Node) []*graph.Node {
		l, g := lossAndGradients(in)
		return []*graph.Node{l, g[0], g[1]}
	})
	if err != nil {
		return nil, err
	}
	m.embed, err = graph.NewExec(b, Encode)
	if err != nil {
		return nil, err
	}
	return m, m.SetState(start)
}

func (m *gomlx) Step(b Batch) (loss float64, err error) {
	defer catch("training step", &err)
	rates := simd.AdamRatesAt(m.learningRate, m.steps+1)
	args := []any{m.x}
	for _, t := range m.state {
		donated, err := graph.DonateTensorBuffer(t, m.backend, 0)
		if err != nil {
			return 0, err
		}
		args = append(args, donated)
	}
	pairs, release := m.pairTensors(b)
	defer release()
	args = append(args, rates.StepSize, rates.Correction)
	out, err := m.step.Call(append(args, pairs...)...)
	if err != nil {
		return 0, fmt.Errorf("training step: %w", err)
	}
	copy(m.state[:], out)
	m.steps++
	loss = float64(tensors.ToScalar[float32](out[6]))
	return loss, out[6].FinalizeAll()
}

func (m *gomlx) Gradients(b Batch) (loss float64, w Weights, err error) {
	defer catch("gradients", &err)
	pairs, release := m.pairTensors(b)
	defer release()
	out, err := m.gradients.Call(append([]any{m.x, m.state[0], m.state[1]}, pairs...)...)
	if err != nil {
		return 0, Weights{}, fmt.Errorf("gradients: %w", err)
	}
	w, err = m.weights(out[1], out[2])
	return float64(tensors.ToScalar[float32](out[0])), w, err
}

func (m *gomlx) Embed() (z blas32.General, err error) {
	defer catch("embedding", &err)
	out, err := m.embed.Call(m.x, m.state[0], m.state[1])
	if err != nil {
		return z, fmt.Errorf("embedding: %w", err)
	}
	defer out[0].FinalizeAll()
	z = newEmbedding(m.n, m.d)
	err = tensors.ConstFlatData(out[0], func(flat []float32) {
		for i := range m.n {
			copy(z.Data[i*z.Stride:], flat[i*m.d:(i+1)*m.d])
		}
	})
	return z, err
}

func (m *gomlx) State() (s *State, err error) {
	defer catch("state", &err)
	s = &State{Steps: m.steps}
	for k, dst := range []*Weights{&s.Weights, &s.First, &s.Second} {
		if *dst, err = m.weights(m.state[2*k], m.state[2*k+1]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (m *gomlx) SetState(s *State) (err error) {
	defer catch("state", &err)
	m.release()
	for k, w := range []Weights{s.Weights, s.First, s.Second} {
		m.state[2*k] = matrixTensor(w.W)
		m.state[2*k+1] = tensors.FromFlatDataAndDimensions(w.B, m.d)
	}
	m.steps = s.Steps
	return nil
}

func (m *gomlx) Close() {
	m.release()
	m.x.MustFinalizeAll()
	for _, e := range []*graph.Exec{m.step, m.gradients, m.embed} {
		e.Finalize()
	}
	m.backend.Finalize()
}

// release gives back the device's memory of the state.
func (m *gomlx) release() {
	for _, t := range m.state {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
}

// weights copies a matrix and a bias back from the device.
func (m *gomlx) weights(w, b *tensors.Tensor) (Weights, error) {
	out := NewWeights(m.f, m.d)
	err := tensors.ConstFlatData(w, func(flat []float32) { copy(out.W.Data, flat) })
	if err == nil {
		err = tensors.ConstFlatData(b, func(flat []float32) { copy(out.B, flat) })
	}
	return out, err
}

// pairTensors returns a batch as tensors of the size that the programs were
// compiled for; pairs of weight 0 fill it up.
func (m *gomlx) pairTensors(b Batch) (args []any, release func()) {
	if len(b.I) > m.capacity {
		panic(fmt.Sprintf("encoder: %d pairs in a batch, made for %d", len(b.I), m.capacity))
	}
	i, j := make([]int32, m.capacity), make([]int32, m.capacity)
	labels, weights := make([]float32, m.capacity), make([]float32, m.capacity)
	copy(i, b.I)
	copy(j, b.J)
	copy(labels, b.Labels)
	for k := range b.I {
		weights[k] = 1
	}
	all := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(i, m.capacity), tensors.FromFlatDataAndDimensions(j, m.capacity),
		tensors.FromFlatDataAndDimensions(labels, m.capacity), tensors.FromFlatDataAndDimensions(weights, m.capacity),
	}
	for _, t := range all {
		args = append(args, t)
	}
	return args, func() {
		for _, t := range all {
			t.MustFinalizeAll()
		}
	}
}

// matrixTensor copies a matrix without its padding.
func matrixTensor(a blas32.General) *tensors.Tensor {
	flat := make([]float32, 0, a.Rows*a.Cols)
	for i := range a.Rows {
		flat = append(flat, a.Data[i*a.Stride:i*a.Stride+a.Cols]...)
	}
	return tensors.FromFlatDataAndDimensions(flat, a.Rows, a.Cols)
}

// catch turns a panic, which is how GoMLX reports errors while it builds a
// graph, into an error.
func catch(what string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %v", what, r)
	}
}
