package gomlx

import (
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/dense"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// On returns the encoder backend for a choice: the native one, the default, or one
// that trains on GoMLX.
func On(c backend.Choice) encoder.Backend {
	if c.Config == "" {
		return affine.Native
	}
	return gomlxBackend{c}
}

type gomlxBackend struct{ choice backend.Choice }

func (b gomlxBackend) Name() string { return b.choice.Name }

// model runs the graph code of this package on a GoMLX backend. X̃, the weights
// and Adam's moments stay on the device between steps, and Ẑ stays there until
// the next embedding. All sizes are padded so that they do not depend on the
// batch, and a training run compiles only five programs.
type model struct {
	*device
	step, gradients, embed *on.Program
	n, f, d                int
	learningRate           float64

	pairs *pairLists
	x     *tensors.Tensor
	state [6]*tensors.Tensor // W, b, first moments of both, second moments of both
	steps int
}

// NewModel returns a model that encodes all nodes in every step or, if the graph
// has more nodes than a batch can have, only the nodes of the batch.
func (b gomlxBackend) NewModel(in *affine.Input, start *affine.State, loss affine.Loss, learningRate float64, maxPairs int) (made affine.Model, err error) {
	x := in.Smoothed
	if x.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("gomlx: %d features, but weights with %d rows", x.Cols, start.Weights.W.Rows))
	}
	defer catch("backend "+b.choice.Name, &err)
	n, f, d, rows := x.Rows, x.Cols, start.Weights.W.Cols, min(x.Rows, 2*maxPairs)
	pairs := newPairLists(rows, maxPairs)
	dev, err := openDevice(b.choice, stepBytes(rows, f, d, pairs))
	if err != nil {
		return nil, err
	}
	m := &model{device: dev, n: n, f: f, d: d, learningRate: learningRate, pairs: pairs, steps: start.Steps}
	differentiate := func(in []*graph.Node) (l, gradW, gradB *graph.Node) {
		p := in[len(in)-7:]
		return lossAndGradients(loss, in[0], in[1], in[2], pairArgs{p[0], p[1], p[2], p[3], p[4], p[5], p[6]})
	}
	m.step = dev.Program(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := differentiate(in)
		stepSize, correction := in[7], in[8]
		w, mw, vw := adamStep(in[1], gradW, in[3], in[5], stepSize, correction)
		b, mb, vb := adamStep(in[2], gradB, in[4], in[6], stepSize, correction)
		return []*graph.Node{w, b, mw, mb, vw, vb, l}
	})
	m.gradients = dev.Program(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := differentiate(in)
		return []*graph.Node{l, gradW, gradB}
	})
	m.embed = dev.Program(func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{encode(in[0], in[1], in[2])}
	})
	for k, w := range []affine.Weights{start.Weights, start.First, start.Second} {
		m.state[2*k], m.state[2*k+1] = weightTensors(w)
	}
	if rows < n {
		return newGathered(m, x, rows), nil
	}
	m.x = on.Matrix(x)
	return m, nil
}

func (m *model) Step(b affine.Batch) (loss float64, err error) {
	defer catch("training step", &err)
	rates := simd.AdamRatesAt(m.learningRate, m.steps+1)
	args := []any{m.x}
	for _, t := range m.state {
		donated, err := graph.DonateTensorBuffer(t, m.Backend, 0)
		if err != nil {
			return 0, deviceError("training step", err)
		}
		args = append(args, donated)
	}
	pairs, release := m.pairTensors(b)
	defer release()
	args = append(args, rates.StepSize, rates.Correction)
	out, err := m.step.Call(append(args, pairs...)...)
	if err != nil {
		return 0, deviceError("training step", err)
	}
	copy(m.state[:], out)
	m.steps++
	loss = float64(tensors.ToScalar[float32](out[6]))
	return loss, out[6].FinalizeAll()
}

func (m *model) Gradients(b affine.Batch) (loss float64, w affine.Weights, err error) {
	defer catch("gradients", &err)
	pairs, release := m.pairTensors(b)
	defer release()
	out, err := m.gradients.Call(append([]any{m.x, m.state[0], m.state[1]}, pairs...)...)
	if err != nil {
		return 0, affine.Weights{}, deviceError("gradients", err)
	}
	w, err = m.weights(out[1], out[2])
	return float64(tensors.ToScalar[float32](out[0])), w, err
}

func (m *model) EmbedTo(ctx context.Context, z blas32.General, w affine.Weights) (err error) {
	defer catch("embedding", &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	m.forget()
	weights, bias := weightTensors(w)
	defer weights.MustFinalizeAll()
	defer bias.MustFinalizeAll()
	out, err := m.embed.Call(m.x, weights, bias)
	if err != nil {
		return deviceError("embedding", err)
	}
	m.keep(z, out[0])
	return on.CopyRows(z, out[0])
}

func (m *model) Weights() (w affine.Weights, err error) {
	defer catch("weights", &err)
	return m.weights(m.state[0], m.state[1])
}

func (m *model) State() (s *affine.State, err error) {
	defer catch("state", &err)
	s = &affine.State{Steps: m.steps}
	for k, dst := range []*affine.Weights{&s.Weights, &s.First, &s.Second} {
		if *dst, err = m.weights(m.state[2*k], m.state[2*k+1]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func weightTensors(w affine.Weights) (weights, bias *tensors.Tensor) {
	return on.Matrix(w.W), tensors.FromFlatDataAndDimensions(w.B, len(w.B))
}

func (m *model) Product() string { return "smoothed beforehand" }

func (m *model) Close() {
	for _, t := range append(m.state[:], m.x) {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
	m.device.close()
}

// weights copies a matrix and a bias back from the device.
func (m *model) weights(w, b *tensors.Tensor) (affine.Weights, error) {
	out := affine.NewWeights(m.f, m.d)
	return out, errors.Join(
		tensors.ConstFlatData(w, func(flat []float32) { copy(out.W.Data, flat) }),
		tensors.ConstFlatData(b, func(flat []float32) { copy(out.B, flat) }))
}

// pairTensors returns a batch as arguments of the training step.
func (m *model) pairTensors(b affine.Batch) (args []any, release func()) {
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

// gathered encodes only the nodes of a batch: the host sends their rows of X̃ to
// the device with every batch. The device memory for training does not depend on
// n.
type gathered struct {
	*model
	all    blas32.General // X̃, n×f
	places *affine.Placement
	rows   blas32.General // rows of the batch, padded to a fixed number
}

func newGathered(m *model, x blas32.General, rows int) *gathered {
	return &gathered{m, x, affine.NewPlacement(x.Rows, rows), affine.NewWeights(rows, x.Cols).W}
}

func (m *gathered) Product() string { return "smoothed beforehand, gathered for each batch" }

func (m *gathered) Step(b affine.Batch) (float64, error) {
	local, release := m.gather(b)
	defer release()
	return m.model.Step(local)
}

func (m *gathered) Gradients(b affine.Batch) (float64, affine.Weights, error) {
	local, release := m.gather(b)
	defer release()
	return m.model.Gradients(local)
}

// EmbedTo embeds as many nodes at a time as a batch can have. The last block
// starts early enough to have the same size.
func (m *gathered) EmbedTo(ctx context.Context, out blas32.General, w affine.Weights) (err error) {
	defer catch("embedding", &err)
	m.forget()
	weights, bias := weightTensors(w)
	defer weights.MustFinalizeAll()
	defer bias.MustFinalizeAll()
	count := m.rows.Rows
	for lo := 0; lo < m.n; lo += count {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := min(lo, m.n-count)
		x := on.Matrix(dense.Rows(m.all, from, count))
		z, err := m.embed.Call(x, weights, bias)
		x.MustFinalizeAll()
		if err != nil {
			return deviceError("embedding", err)
		}
		if err := on.CopyRows(dense.Rows(out, from, count), z[0]); err != nil {
			return err
		}
		z[0].MustFinalizeAll()
	}
	return nil
}

// gather sends the batch nodes' rows of X̃ to the device and returns the batch
// with its nodes renumbered as indices of these rows.
func (m *gathered) gather(b affine.Batch) (local affine.Batch, release func()) {
	local, nodes := m.places.Local(b)
	parallel.Blocks(len(nodes), 256, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			from := int(nodes[r]) * m.all.Stride
			copy(m.rows.Data[r*m.f:(r+1)*m.f], m.all.Data[from:])
		}
	})
	m.x = on.Matrix(m.rows)
	return local, func() {
		m.x.MustFinalizeAll()
		m.x = nil
	}
}
