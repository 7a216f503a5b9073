package encoder

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// gomlx runs the graph code of this package on a GoMLX backend. X̃, the
// weights and Adam's moments stay on the device between steps, and Ẑ does
// between an embedding and the next. Everything is padded to sizes that do not
// depend on the batch, so that a whole training compiles five programs.
type gomlx struct {
	*device
	step, gradients, embed *program
	n, f, d                int
	learningRate           float64

	pairs *pairLists
	x     *tensors.Tensor
	state [6]*tensors.Tensor // W, b, first moments of both, second moments of both
	steps int
}

// newGoMLX returns a model that encodes all nodes in every step, or for a
// graph with more nodes than a batch can have, one that encodes these alone.
func newGoMLX(choice backend.Choice, x blas32.General, start *State, loss Loss, learningRate float64, maxPairs int) (model Model, err error) {
	defer catch("backend "+choice.Name, &err)
	n, f, d, rows := x.Rows, x.Cols, start.Weights.W.Cols, min(x.Rows, 2*maxPairs)
	pairs := newPairLists(rows, maxPairs)
	dev, err := openDevice(choice, stepBytes(rows, f, d, pairs))
	if err != nil {
		return nil, err
	}
	m := &gomlx{device: dev, n: n, f: f, d: d, learningRate: learningRate, pairs: pairs}
	lossAndGradients := func(in []*graph.Node) (l, gradW, gradB *graph.Node) {
		p := in[len(in)-7:]
		return LossAndGradients(loss, in[0], in[1], in[2], Pairs{p[0], p[1], p[2], p[3], p[4], p[5], p[6]})
	}
	m.step = dev.program(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := lossAndGradients(in)
		stepSize, correction := in[7], in[8]
		w, mw, vw := adamStep(in[1], gradW, in[3], in[5], stepSize, correction)
		b, mb, vb := adamStep(in[2], gradB, in[4], in[6], stepSize, correction)
		return []*graph.Node{w, b, mw, mb, vw, vb, l}
	})
	m.gradients = dev.program(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := lossAndGradients(in)
		return []*graph.Node{l, gradW, gradB}
	})
	m.embed = dev.program(func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{Encode(in[0], in[1], in[2])}
	})
	if err := m.SetState(start); err != nil {
		m.Close()
		return nil, err
	}
	if rows < n {
		return newGatheredGoMLX(m, x, rows), nil
	}
	m.x = matrixTensor(x)
	return m, nil
}

func (m *gomlx) Step(b Batch) (loss float64, err error) {
	defer catch("training step", &err)
	rates := simd.AdamRatesAt(m.learningRate, m.steps+1)
	args := []any{m.x}
	for _, t := range m.state {
		donated, err := graph.DonateTensorBuffer(t, m.backend, 0)
		if err != nil {
			return 0, deviceError("training step", err)
		}
		args = append(args, donated)
	}
	pairs, release := m.pairTensors(b)
	defer release()
	args = append(args, rates.StepSize, rates.Correction)
	out, err := m.step.call(append(args, pairs...)...)
	if err != nil {
		return 0, deviceError("training step", err)
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
	out, err := m.gradients.call(append([]any{m.x, m.state[0], m.state[1]}, pairs...)...)
	if err != nil {
		return 0, Weights{}, deviceError("gradients", err)
	}
	w, err = m.weights(out[1], out[2])
	return float64(tensors.ToScalar[float32](out[0])), w, err
}

func (m *gomlx) Embed() (z blas32.General, err error) {
	defer catch("embedding", &err)
	m.forget()
	out, err := m.embed.call(m.x, m.state[0], m.state[1])
	if err != nil {
		return z, deviceError("embedding", err)
	}
	z = newEmbedding(m.n, m.d)
	m.keep(z, out[0])
	return z, copyRows(z, out[0])
}

func (m *gomlx) Weights() (w Weights, err error) {
	defer catch("weights", &err)
	return m.weights(m.state[0], m.state[1])
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
	if m.x != nil {
		m.x.MustFinalizeAll()
	}
	m.device.close()
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

// pairTensors returns a batch as the step's arguments.
func (m *gomlx) pairTensors(b Batch) (args []any, release func()) {
	m.pairs.fill(b)
	all := m.pairs.tensors()
	for _, t := range all {
		args = append(args, t)
	}
	return args, func() {
		for _, t := range all {
			t.MustFinalizeAll()
		}
	}
}

// gatheredGoMLX encodes the nodes of a batch alone, as gathered does: the
// host sends their rows of X̃ to the device with every batch. The device's
// memory for training does not depend on n.
type gatheredGoMLX struct {
	*gomlx
	all    blas32.General // X̃, n×f
	places *placement
	rows   blas32.General // of the batch, padded to a fixed number
}

func newGatheredGoMLX(m *gomlx, x blas32.General, rows int) *gatheredGoMLX {
	return &gatheredGoMLX{m, x, newPlacement(x.Rows, rows), NewWeights(rows, x.Cols).W}
}

func (m *gatheredGoMLX) Step(b Batch) (float64, error) {
	local, release := m.gather(b)
	defer release()
	return m.gomlx.Step(local)
}

func (m *gatheredGoMLX) Gradients(b Batch) (float64, Weights, error) {
	local, release := m.gather(b)
	defer release()
	return m.gomlx.Gradients(local)
}

func (m *gatheredGoMLX) Embed() (blas32.General, error) {
	out := newEmbedding(m.n, m.d)
	return out, m.embedInto(context.Background(), out)
}

// embedInto writes the embeddings of all nodes, as many at a time as a batch
// has. The last block begins where it has that many, too.
func (m *gatheredGoMLX) embedInto(ctx context.Context, out blas32.General) (err error) {
	defer catch("embedding", &err)
	m.forget()
	count := m.rows.Rows
	for lo := 0; lo < m.n; lo += count {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := min(lo, m.n-count)
		x := matrixTensor(rowsOf(m.all, from, count))
		z, err := m.embed.call(x, m.state[0], m.state[1])
		x.MustFinalizeAll()
		if err != nil {
			return deviceError("embedding", err)
		}
		if err := copyRows(rowsOf(out, from, count), z[0]); err != nil {
			return err
		}
		z[0].MustFinalizeAll()
	}
	return nil
}

// gather sends the rows of X̃ of the batch's nodes to the device and returns
// the batch with the nodes' places among them.
func (m *gatheredGoMLX) gather(b Batch) (local Batch, release func()) {
	local, nodes := m.places.local(b)
	parallel.Blocks(len(nodes), rowGrain, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			from := int(nodes[r]) * m.all.Stride
			copy(m.rows.Data[r*m.f:(r+1)*m.f], m.all.Data[from:])
		}
	})
	m.x = matrixTensor(m.rows)
	return local, func() {
		m.x.MustFinalizeAll()
		m.x = nil
	}
}
