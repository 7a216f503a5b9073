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

// onDevice is the [place] that keeps the weights and moments on the device. All of a step is one
// program: the host sends Adam's two rates and the step's inputs, and gets the loss. The host gets
// the weights only for a checkpoint.
type onDevice struct {
	t          *trainer
	weights    []*tensors.Tensor // by weight; nil: the trainer's value is to be sent
	epochStart []*tensors.Tensor // the snapshot: the weights before the steps of an epoch
	lowest     []*tensors.Tensor // the weights before the steps of the lowest loss; nil: none, or the trainer has them
	failed     error             // of a step, which has lost the weights; nil: none
}

// residentBytes is about the memory of what the device has of a training besides its layers:
// X, the lists of sums, and tiles of similarities.
func residentBytes(g *graph.Graph) int64 {
	// About how many numbers there are for an entry: its ends, its value, the lists of its sums both
	// by row and by column, and what a step computes with them.
	const (
		perEntry   = 40 // of A, for a filter and the edges
		perFeature = 6  // of a sparse X
		tiles      = 4  // in use at a time
	)
	n, f := g.Features.Dims()
	numbers := perEntry * (g.Adjacency.NNZ() + n)
	if isDense(g.Features) {
		numbers += n * f
	} else {
		numbers += perFeature * g.Features.NNZ()
	}
	return device.Floats(1, numbers) + tiles*device.Floats(tileRows(n, n), n)
}

// add implements [place]. It makes the step's one program, s.update. Its arguments are those of
// [nodes], and among the inputs, after the step's own, each weight's first and second moment and
// then Adam's two rates. Its results are the loss, the new weights and the new moments.
func (d *onDevice) add(s *adamStep) {
	var pairs func(v *nodes, z *Node) (value, gradient *Node)
	if s.pairs != nil {
		pairs = s.pairs.code(d.t)
	}
	s.moments = make([]*tensors.Tensor, 2*len(s.parameters))
	s.update = d.t.program(func(v *nodes) []*Node {
		z, total := s.graph(v) // total gets the gradient of the whole loss, and value is its value
		var value *Node
		if total != nil {
			value = ConvertDType(total, dtypes.Float64)
		}
		if pairs != nil {
			pairsValue, gradient := pairs(v, StopGradient(z))
			total = addPairs(total, z, StopGradient(gradient))
			if value == nil {
				value = pairsValue
			} else {
				value = Add(pairsValue, value)
			}
		}
		var trained []*Node
		for _, w := range s.weights {
			trained = append(trained, v.argument(w))
		}
		gradients := Gradient(total, trained...)
		last := len(v.arguments) - 1
		rates, moments := v.arguments[last], v.arguments[last-2*len(trained):last]
		size, correction := Reshape(Slice(rates, AxisRange(0, 1))), Reshape(Slice(rates, AxisRange(1, 2)))
		var weights, next []*Node
		for k, w := range trained { // Adam's step for each weight
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

// take implements [place]. It lets the program reuse the memory of the weights and moments that the
// step replaces (a donation), so that a step that fails has lost them. All later steps then fail, too.
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
	var donations []*tensors.Tensor
	donate := func(t *tensors.Tensor) any {
		donated, err := DonateTensorBuffer(t, d.t.device.Backend, compute.DeviceNum(0))
		if err != nil {
			panic(err)
		}
		donations = append(donations, t)
		return donated
	}
	if d.t.patience == 0 { // with patience, snapshots share these tensors
		for _, w := range s.weights {
			weights[w] = donate(d.weights[w])
		}
	}
	for k, p := range s.parameters {
		d.send(&s.moments[2*k], p.first)
		d.send(&s.moments[2*k+1], p.second)
	}
	inputs = slices.Clone(inputs) // the caller keeps its slice
	for _, m := range s.moments {
		inputs = append(inputs, donate(m))
	}
	rates := simd.AdamRatesAt(s.rate, s.count+1)
	out, err := d.t.execute(s.update, weights, append(inputs, []float32{rates.StepSize, rates.Correction}))
	if err != nil {
		return 0, err
	}
	s.count++
	finalize(donations) // what they still have on the host
	// out has the loss, the new weights and the new moments: see add.
	value = tensors.ToScalar[float64](out[0])
	finalize(out[:1])
	for k, w := range s.weights {
		d.weights[w] = out[1+k]
	}
	copy(s.moments, out[1+len(s.weights):])
	return value, nil
}

// send sets *t to a tensor of m on the device, unless *t is one already.
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

// sendAll sends the trainer's weights that are not on the device yet, and keeps their tensors in d.weights.
func (d *onDevice) sendAll() {
	// The trainer may have more weights than at the last call: nil stands for each new one, not sent yet.
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
	// get copies a tensor to the matrix m.
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
			if err := get(p.first, s.moments[2*k]); err != nil {
				return err
			}
			if err := get(p.second, s.moments[2*k+1]); err != nil {
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

// restoreSnapshot implements [place]. If the training went on from a checkpoint and found no lower
// loss since, the weights of the lowest loss are still in the trainer.
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

// release frees those of the replaced tensors that are no longer in use: neither weights nor in a
// snapshot.
func (d *onDevice) release(replaced ...*tensors.Tensor) {
	isUsed := func(t *tensors.Tensor) bool {
		return slices.Contains(d.weights, t) || slices.Contains(d.epochStart, t) || slices.Contains(d.lowest, t)
	}
	finalize(slices.DeleteFunc(slices.Clone(replaced), isUsed))
}

// close implements [place]: it frees all tensors. Some may be in several of the lists.
func (d *onDevice) close() {
	for _, s := range d.t.steps {
		finalize(s.moments)
	}
	for _, all := range [][]*tensors.Tensor{d.weights, d.epochStart, d.lowest} {
		finalize(all)
	}
}

// finalize frees tensors, which may be nil. Freeing one again does nothing.
func finalize(all []*tensors.Tensor) {
	for _, t := range all {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
}
