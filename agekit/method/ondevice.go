package method

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// onDevice keeps the weights and moments on the device and has all of a step in one program.
// A step is one execution; the host sends Adam's two rates and the step's inputs, and gets the
// loss. It gets the weights for a checkpoint only.
type onDevice struct {
	t          *trainer
	weights    []*tensors.Tensor // nil: the trainer's value is to be sent
	epochStart []*tensors.Tensor // the weights before the steps of an epoch
	lowest     []*tensors.Tensor // those before the steps of the lowest loss; nil: none, or the trainer has them
	failed     error             // a step that failed has taken the weights with it
}

// residentBytes is about the memory of what the device has of a training besides its layers:
// X, the lists of sums, and tiles of similarities.
func residentBytes(g *graph.Graph) int64 {
	n, f := g.Features.Dims()
	numbers := 40 * (g.Adjacency.NNZ() + n) // of a filter's and the edges' entries
	if isDense(g.Features) {
		numbers += n * f
	} else {
		numbers += 6 * g.Features.NNZ()
	}
	return device.Floats(1, numbers) + 4*device.Floats(tileRows(n, n), n)
}

// add compiles the step's one program, with arguments in the order of [nodes] and then the
// moments and Adam's rates. It returns the loss, the new weights and the new moments.
func (d *onDevice) add(s *adamStep) {
	var pairs func(v *nodes, z *Node) (value, gradient *Node)
	if s.pairs != nil {
		pairs = s.pairs.code(d.t)
	}
	s.moments = make([]*tensors.Tensor, 2*len(s.parameters))
	s.update = d.t.program(func(v *nodes) []*Node {
		z, total := s.graph(v)
		var value *Node
		if total != nil {
			value = ConvertDType(total, dtypes.Float64)
		}
		if pairs != nil {
			objective, gradient := pairs(v, StopGradient(z))
			total = addPairs(total, z, StopGradient(gradient))
			if value != nil {
				objective = Add(objective, value)
			}
			value = objective
		}
		var trained []*Node
		for _, w := range s.weights {
			trained = append(trained, v.argument(w))
		}
		gradients := Gradient(total, trained...)
		rates := v.arguments[len(v.arguments)-1]
		size, correction := Reshape(Slice(rates, AxisRange(0, 1))), Reshape(Slice(rates, AxisRange(1, 2)))
		moments := v.arguments[len(v.arguments)-1-2*len(trained):]
		var weights, next []*Node
		for k, w := range trained {
			g := gradients[k]
			if s.decay != 0 {
				g = Add(g, MulScalar(w, s.decay))
			}
			changed, first, second := device.AdamStep(w, g, moments[2*k], moments[2*k+1], size, correction)
			weights, next = append(weights, changed), append(next, first, second)
		}
		return slices.Concat([]*Node{value}, weights, next)
	})
}

// take implements [place]. The program may reuse the memory of the weights and moments that it
// replaces (a donation); a step that fails has lost them.
func (d *onDevice) take(ctx context.Context, s *adamStep, inputs ...any) (value float64, err error) {
	if err := cmp.Or(ctx.Err(), d.failed); err != nil {
		return 0, err
	}
	defer func() {
		if r := device.Recovered(recover()); r != nil {
			err = device.Error("training", lessMemory, r)
		}
		if err != nil {
			d.failed = err
		}
	}()
	weights, _ := d.arguments()
	var used []*tensors.Tensor
	donate := func(t *tensors.Tensor) any {
		donated, err := DonateTensorBuffer(t, d.t.device.Backend, compute.DeviceNum(0))
		if err != nil {
			panic(err)
		}
		used = append(used, t)
		return donated
	}
	if d.t.patience == 0 { // with patience, these may be the snapshot of the lowest loss
		for _, w := range s.weights {
			weights[w] = donate(d.weights[w])
		}
	}
	for k, p := range s.parameters {
		d.send(&s.moments[2*k], p.first)
		d.send(&s.moments[2*k+1], p.second)
	}
	for _, m := range s.moments {
		inputs = append(inputs[:len(inputs):len(inputs)], donate(m))
	}
	rates := simd.AdamRatesAt(s.rate, s.count+1)
	out, err := d.t.execute(s.update, weights, append(inputs, []float32{rates.StepSize, rates.Correction}))
	if err != nil {
		return 0, err
	}
	s.count++
	finalize(used) // what the donated tensors still have on the host
	value = tensors.ToScalar[float64](out[0])
	finalize(out[:1])
	for k, w := range s.weights {
		d.weights[w] = out[1+k]
	}
	copy(s.moments, out[1+len(s.weights):])
	return value, nil
}

// send sends a matrix unless the tensor exists.
func (d *onDevice) send(t **tensors.Tensor, m blas32.General) {
	if *t == nil {
		*t = device.Matrix(m)
	}
}

// arguments implements [place]. There is nothing to release.
func (d *onDevice) arguments() (weights []any, release func()) {
	d.sendAll()
	for _, w := range d.weights {
		weights = append(weights, w)
	}
	return weights, func() {}
}

// sendAll sends the weights that are not on the device.
func (d *onDevice) sendAll() {
	d.weights = append(d.weights, make([]*tensors.Tensor, len(d.t.weights)-len(d.weights))...)
	for k, w := range d.t.weights {
		d.send(&d.weights[k], w)
	}
}

// fetch copies the weights, the moments and the weights of the lowest loss to the trainer.
func (d *onDevice) fetch() error {
	if d.failed != nil {
		return fmt.Errorf("the weights are lost: %w", d.failed)
	}
	get := func(m blas32.General, t *tensors.Tensor) error {
		if t == nil { // not sent yet: m is the value
			return nil
		}
		return device.CopyRows(m, t)
	}
	for k, w := range d.weights {
		if err := get(d.t.weights[k], w); err != nil {
			return err
		}
	}
	for _, s := range d.t.steps {
		for k, p := range s.parameters {
			if err := cmp.Or(get(p.first, s.moments[2*k]), get(p.second, s.moments[2*k+1])); err != nil {
				return err
			}
		}
	}
	if d.lowest == nil {
		return nil
	}
	d.t.lowest.Weights = nil
	for k, w := range d.lowest {
		m := store.Matrix{General: linalg.New(d.t.weights[k].Rows, d.t.weights[k].Cols)}
		if err := device.CopyRows(m.General, w); err != nil {
			return err
		}
		d.t.lowest.Weights = append(d.t.lowest.Weights, m)
	}
	return nil
}

// reload implements [place]: the weight is sent again before the next step.
func (d *onDevice) reload(w weight) {
	if int(w) < len(d.weights) {
		before := d.weights[w]
		d.weights[w] = nil
		d.release(before)
	}
}

// snapshot implements [place].
func (d *onDevice) snapshot() {
	d.sendAll()
	before := d.epochStart
	d.epochStart = slices.Clone(d.weights)
	d.release(before...)
}

// keepSnapshot implements [place].
func (d *onDevice) keepSnapshot() {
	before := d.lowest
	d.lowest = d.epochStart
	d.release(before...)
}

// restoreSnapshot implements [place]. A training that went on from a checkpoint, without a lower loss
// since, has the snapshot in the trainer.
func (d *onDevice) restoreSnapshot() {
	if d.lowest != nil {
		before := d.weights
		d.weights = d.lowest
		d.release(before...)
		return
	}
	for k, m := range d.t.lowest.Weights {
		copy(d.t.weights[k].Data, m.Data)
		d.reload(weight(k))
	}
}

// release frees those of the tensors that are neither weights nor in a snapshot any more.
func (d *onDevice) release(replaced ...*tensors.Tensor) {
	finalize(slices.DeleteFunc(slices.Clone(replaced), func(t *tensors.Tensor) bool {
		return t == nil || slices.Contains(d.weights, t) || slices.Contains(d.epochStart, t) || slices.Contains(d.lowest, t)
	}))
}

// close frees all tensors.
func (d *onDevice) close() {
	for _, s := range d.t.steps {
		finalize(s.moments)
	}
	for _, all := range [][]*tensors.Tensor{d.weights, d.epochStart, d.lowest} {
		finalize(all)
	}
}

// finalize frees tensors. Freeing one again does nothing.
func finalize(all []*tensors.Tensor) {
	for _, t := range all {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
}
