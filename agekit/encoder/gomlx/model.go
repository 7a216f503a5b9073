package gomlx

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// On returns the encoder backend for a choice: the native one, the default, or one
// that trains on GoMLX. On several devices, each encodes its share of a batch's pairs with
// its own copy of the weights, the gradients are added up over the devices, and all take the
// same step: the function is that of one device, except for the order of its sums.
func On(c backend.Choice) encoder.Backend {
	if c.Config == "" && c.Devices <= 1 {
		return affine.Native
	}
	return gomlxBackend{c}
}

type gomlxBackend struct{ choice backend.Choice }

func (b gomlxBackend) Name() string { return b.choice.Name }

// model runs the graph code of this package on a GoMLX backend. X̃, the weights
// and Adam's moments stay on the devices between steps, and Ẑ stays on the first until
// the next embedding. All sizes are padded so that they do not depend on the
// batch, and a training run compiles only five programs.
type model struct {
	*device
	step, gradients, embed *on.Program
	n, f, d                int
	learningRate           float64

	replicas []*replica // one per device
	steps    int
	// gather returns a share of a batch with its nodes renumbered as rows of X̃ that it
	// sends to the replica's device; nil if X̃ is there.
	gather func(*replica, affine.Batch) affine.Batch
}

// replica is what a device has of a model.
type replica struct {
	pairs *pairLists // its share of the batch
	x     *tensors.Tensor
	state [6]*tensors.Tensor // W, b, first moments of both, second moments of both
}

// NewModel returns a model that encodes all nodes in every step or, if the graph has more
// nodes than a device's share of a batch can have, only the nodes of that share.
func (b gomlxBackend) NewModel(in *affine.Input, start *affine.State, loss affine.Loss, learningRate float64, maxPairs int) (made affine.Model, err error) {
	x := in.Smoothed
	if x.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("gomlx: %d features, but weights with %d rows", x.Cols, start.Weights.W.Rows))
	}
	defer catch("backend "+b.choice.Name, &err)
	devices := max(1, b.choice.Devices)
	share := (maxPairs + devices - 1) / devices
	n, f, d, rows := x.Rows, x.Cols, start.Weights.W.Cols, min(x.Rows, 2*share)
	m := &model{n: n, f: f, d: d, learningRate: learningRate, steps: start.Steps}
	for range devices {
		m.replicas = append(m.replicas, &replica{pairs: newPairLists(rows, share)})
	}
	if m.device, err = openDevice(b.choice, stepBytes(rows, f, d, m.replicas[0].pairs)); err != nil {
		return nil, err
	}
	if err := m.programs(loss); err != nil {
		m.device.close()
		return nil, err
	}
	for _, r := range m.replicas {
		for k, w := range []affine.Weights{start.Weights, start.First, start.Second} {
			r.state[2*k], r.state[2*k+1] = weightTensors(w)
		}
		if rows == n {
			r.x = on.Matrix(x)
		}
	}
	if rows < n {
		return newGathered(m, x, rows), nil
	}
	return m, nil
}

// programs sets the model's programs up. They are compiled at their first call.
func (m *model) programs(loss affine.Loss) (err error) {
	differentiate := func(in []*graph.Node) (l, gradW, gradB *graph.Node) {
		p := in[len(in)-8:]
		sums := m.Sum(lossAndGradients(loss, in[0], in[1], in[2], pairArgs{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]}))
		return sums[0], sums[1], sums[2]
	}
	m.step, err = m.Spread(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := differentiate(in)
		stepSize, correction := in[7], in[8]
		w, mw, vw := adamStep(in[1], gradW, in[3], in[5], stepSize, correction)
		b, mb, vb := adamStep(in[2], gradB, in[4], in[6], stepSize, correction)
		return []*graph.Node{w, b, mw, mb, vw, vb, l}
	})
	if err != nil {
		return err
	}
	m.gradients, err = m.Spread(func(in []*graph.Node) []*graph.Node {
		l, gradW, gradB := differentiate(in)
		return []*graph.Node{l, gradW, gradB}
	})
	m.embed = m.Program(func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{encode(in[0], in[1], in[2])}
	})
	return err
}

func (m *model) Step(b affine.Batch) (loss float64, err error) {
	defer catch("training step", &err)
	rates := simd.AdamRatesAt(m.learningRate, m.steps+1)
	pairs, release := m.share(b)
	defer release()
	var args []any
	for k, r := range m.replicas {
		args = append(args, r.x)
		for _, t := range r.state {
			donated, err := graph.DonateTensorBuffer(t, m.Backend, compute.DeviceNum(k))
			if err != nil {
				return 0, deviceError("training step", err)
			}
			args = append(args, donated)
		}
		args = append(args, rates.StepSize, rates.Correction)
		args = append(args, pairs[k]...)
	}
	out, err := m.step.Call(args...)
	if err != nil {
		return 0, deviceError("training step", err)
	}
	m.steps++
	for k, results := range slices.Collect(slices.Chunk(out, 7)) {
		copy(m.replicas[k].state[:], results)
		loss = float64(tensors.ToScalar[float32](results[6])) // the same on all devices
		err = errors.Join(err, results[6].FinalizeAll())
	}
	return loss, err
}

func (m *model) Gradients(b affine.Batch) (loss float64, w affine.Weights, err error) {
	defer catch("gradients", &err)
	pairs, release := m.share(b)
	defer release()
	var args []any
	for k, r := range m.replicas {
		args = append(args, r.x, r.state[0], r.state[1])
		args = append(args, pairs[k]...)
	}
	out, err := m.gradients.Call(args...)
	if err != nil {
		return 0, affine.Weights{}, deviceError("gradients", err)
	}
	w, err = m.weights(out[1], out[2])
	return float64(tensors.ToScalar[float32](out[0])), w, err
}

// share divides a batch among the devices, as evenly as possible, and returns the shares as
// arguments of the training step.
func (m *model) share(b affine.Batch) (args [][]any, release func()) {
	var sent []*tensors.Tensor
	devices := len(m.replicas)
	for k, r := range m.replicas {
		lo, hi := k*len(b.I)/devices, (k+1)*len(b.I)/devices
		part := affine.Batch{I: b.I[lo:hi], J: b.J[lo:hi], Labels: b.Labels[lo:hi]}
		if m.gather != nil {
			part = m.gather(r, part)
			sent = append(sent, r.x)
		}
		r.pairs.fill(part)
		list := []any{float32(len(b.I))}
		for _, t := range r.pairs.tensors() {
			list, sent = append(list, t), append(sent, t)
		}
		args = append(args, list)
	}
	return args, func() {
		for _, t := range sent {
			t.MustFinalizeAll()
		}
		if m.gather != nil {
			for _, r := range m.replicas {
				r.x = nil
			}
		}
	}
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
	out, err := m.embed.Call(m.replicas[0].x, weights, bias)
	if err != nil {
		return deviceError("embedding", err)
	}
	m.keep(z, out[0])
	return on.CopyRows(z, out[0])
}

func (m *model) Weights() (w affine.Weights, err error) {
	defer catch("weights", &err)
	return m.weights(m.replicas[0].state[0], m.replicas[0].state[1])
}

func (m *model) State() (s *affine.State, err error) {
	defer catch("state", &err)
	state := m.replicas[0].state // as on all devices
	s = &affine.State{Steps: m.steps}
	for k, dst := range []*affine.Weights{&s.Weights, &s.First, &s.Second} {
		if *dst, err = m.weights(state[2*k], state[2*k+1]); err != nil {
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
	for _, r := range m.replicas {
		for _, t := range append(r.state[:], r.x) {
			if t != nil {
				t.MustFinalizeAll()
			}
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

// gathered encodes only the nodes of a device's share of a batch: the host sends their rows
// of X̃ to the device with every batch. The device memory for training does not depend on
// n.
type gathered struct {
	*model
	all    blas32.General // X̃, n×f
	places *affine.Placement
	rows   blas32.General // rows of a share, padded to a fixed number
}

func newGathered(m *model, x blas32.General, rows int) *gathered {
	g := &gathered{m, x, affine.NewPlacement(x.Rows, rows), affine.NewWeights(rows, x.Cols).W}
	m.gather = g.send
	return g
}

func (m *gathered) Product() string { return "smoothed beforehand, gathered for each batch" }

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
		x := on.Matrix(linalg.RowRange(m.all, from, count))
		z, err := m.embed.Call(x, weights, bias)
		x.MustFinalizeAll()
		if err != nil {
			return deviceError("embedding", err)
		}
		if err := on.CopyRows(linalg.RowRange(out, from, count), z[0]); err != nil {
			return err
		}
		z[0].MustFinalizeAll()
	}
	return nil
}

// send sends the rows of X̃ of a share's nodes to the replica's device and returns the share
// with its nodes renumbered as indices of these rows.
func (m *gathered) send(r *replica, share affine.Batch) affine.Batch {
	local, nodes := m.places.Local(share)
	linalg.Parallel(len(nodes), 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from := int(nodes[i]) * m.all.Stride
			copy(m.rows.Data[i*m.f:(i+1)*m.f], m.all.Data[from:])
		}
	})
	r.x = on.Matrix(m.rows)
	return local
}
