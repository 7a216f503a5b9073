package gomlx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// On returns the encoder backend for a choice: the native one, the default, or one
// that trains on GoMLX.
func On(c backend.Choice) encoder.Backend {
	if c.Config == "" {
		return step.Native
	}
	return gomlxBackend{choice: c, gpu: c.OnGPU(), tiles: c.Plugin != "" && !c.OnGPU()}
}

// gomlxBackend makes models on a GoMLX backend. Tests set gpu on a processor, too, which can run
// the same code.
type gomlxBackend struct {
	choice backend.Choice
	gpu    bool // models add up pairs, and select them, in the way that suits a GPU
	tiles  bool // models use sparse products in tiles where those are faster
}

func (b gomlxBackend) Name() string { return b.choice.Name }

// model runs the graph code of this package on a GoMLX backend. X̃, the weights and Adam's
// moments stay on the device, and Ẑ stays there until the next embedding. All sizes are
// padded so that they do not depend on the batch, and each program is compiled once.
type model struct {
	*on.Device
	form         form
	loop         *on.Program // see trainingLoop
	difference   *on.Program // a batch's loss and gradients
	embed        *on.Program
	selector     *selector // nil if the host selects pairs
	n            int       // nodes
	learningRate float64
	constants    []*tensors.Tensor
	state        [6]*tensors.Tensor // W, b, first moments of both, second moments of both
	steps        int
	rows         *tensors.Tensor // Ẑ of the last embedding, or nil
	rowsOf       *float32        // the first element of the matrix on the host that has the same rows
	idle         chan *stack     // has room for both stacks: one is filled while the device works on the other
	atOnce       int             // steps of an execution: as many as take about longestCall
	loops        bool            // an execution can take several steps
	timed        bool            // the next execution tells how long a step takes: nothing waits for the compiler
}

const (
	// longestCall is about how long an execution takes at most, so that a training stops
	// and reports within a second.
	longestCall = 100 * time.Millisecond
	// mostStacked is the most bytes of a stack's lists, unless a single step has more.
	mostStacked = 32 << 20
)

// NewModel returns a model that encodes all nodes in every step or, if the graph has more
// nodes than a batch can have, only the nodes of the batch.
func (b gomlxBackend) NewModel(input *step.Input, start *step.State, s step.Steps) (step.Model, error) {
	return b.model(input, start, s, false)
}

// model returns a model that starts from the given state. If a batch can have all nodes, X̃ stays
// on the device. Otherwise the host sends the rows of X̃ of the batch's nodes with every batch, if
// sent is true or if X̃ does not fit on the device.
func (b gomlxBackend) model(input *step.Input, start *step.State, s step.Steps, sent bool) (made step.Model, err error) {
	x := input.Smoothed
	if x.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("gomlx: %d features, but weights with %d rows", x.Cols, start.Weights.W.Rows))
	}
	defer catch("backend "+b.choice.Name, &err)
	d := newDense(x, start.Weights.W.Cols, s.Pairs, b.gpu)
	d.resident = d.places == nil || !sent
	var f form = d
	if b.tiles && d.places == nil && tileable(input) {
		f = newTiledForm(input, d.d, s.Pairs)
	}
	opened, err := on.Open(b.choice, on.Need{What: "training", Bytes: f.bytes(), Less: lessMemory})
	if err != nil && d.places != nil && !sent {
		return b.model(input, start, s, true) // sent
	}
	if err != nil {
		return nil, err
	}
	d.device = opened
	// GoMLX's Go backend (compute v0.1.2) rewrites broadcasts in the body of a loop after it
	// has counted the uses of their results, which it then frees too early.
	loops := b.choice.Plugin != ""
	m := &model{Device: opened, form: f, n: x.Rows, learningRate: s.LearningRate, steps: start.Steps, atOnce: 1, loops: loops}
	if err := m.send(start); err != nil {
		m.Close()
		return nil, deviceError("backend "+b.choice.Name, err)
	}
	m.programs(s, start.Weights.W.Cols, b.gpu)
	return m, nil
}

// send sends what stays on the device: the form's constants, and the weights and moments of start.
func (m *model) send(start *step.State) (err error) {
	if m.constants, err = m.form.constants(); err != nil {
		return err
	}
	for k, w := range []step.Weights{start.Weights, start.First, start.Second} {
		if m.state[2*k], m.state[2*k+1], err = m.form.pack(w); err != nil {
			return err
		}
	}
	return nil
}

// programs sets up the stacks and the programs, and begins to compile the programs that a training
// of d dimensions needs: the loop, the embedding and, on a GPU that ranks all pairs, the selection.
func (m *model) programs(s step.Steps, d int, gpu bool) {
	lists, bytes := m.form.lists(), 0 // bytes of one batch
	for _, list := range lists {
		bytes += int(list.ByteSize())
	}
	capacity := max(1, min(s.Epoch, mostStacked/bytes))
	m.idle = make(chan *stack, 2)
	for range cap(m.idle) {
		m.idle <- newStack(lists, capacity)
	}

	c := len(m.constants) // which come first in all inputs, followed by W and b
	m.loop = m.Program(trainingLoop(m.form, s.Loss, c, m.loops))
	m.difference = m.Program(func(inputs []*graph.Node) []*graph.Node {
		lists, total := inputs[c+2:len(inputs)-1], inputs[len(inputs)-1]
		loss, gradW, gradB := m.form.gradients(s.Loss, inputs[:c], inputs[c], inputs[c+1], lists, total)
		return []*graph.Node{loss, gradW, gradB}
	})
	m.embed = m.Program(func(inputs []*graph.Node) []*graph.Node {
		return []*graph.Node{m.form.encode(inputs[:c], inputs[c], inputs[c+1], inputs[c+2:])}
	})

	var args []shapes.Shape
	for _, t := range append(m.constants[:c:c], m.state[:]...) {
		args = append(args, t.Shape())
	}
	m.embed.Compile(append(args[:c+2:c+2], m.form.partShapes()...)...)
	for _, list := range lists {
		args = append(args, stacked(list, capacity))
	}
	rates, span := shapes.Make(dtypes.Float32, capacity, 3), shapes.Make(dtypes.Int32, 2)
	m.loop.Compile(append(args, rates, span)...)
	if gpu && s.Positives > 0 {
		m.selector = newSelector(m.Device, m.n, d, s.Positives, s.Candidates)
		m.selector.compile()
	}
}

// Train fills a stack with the next batches while the device takes the steps of the last one.
func (m *model) Train(batches iter.Seq2[step.Batch, error], done func([]float64) error) (err error) {
	defer catch("training step", &err)
	filled, stop := make(chan *stack), make(chan struct{})
	ended := make(chan struct{})
	go func() {
		debug.SetPanicOnFault(true) // batches may be of a mapped file
		defer close(ended)
		m.fill(batches, filled, stop)
	}()
	defer func() { // waits until fill has ended, because the batches' source may change afterward
		close(stop)
		for s := range filled {
			m.idle <- s
		}
		<-ended
	}()
	for s := range filled {
		err := m.take(s, done)
		m.idle <- s
		if err != nil {
			return err
		}
	}
	return nil
}

// fill writes the batches into idle stacks and passes the stacks on through filled, until the
// batches end or stop is closed. An error in place of a batch, or a panic of the batches, is the
// err of the last stack. In the end fill closes filled, and a stack that was not passed on is idle
// again.
func (m *model) fill(batches iter.Seq2[step.Batch, error], filled chan<- *stack, stop <-chan struct{}) {
	defer close(filled)
	s, number := <-m.idle, m.steps
	s.reset()
	pass := func() bool { // reports whether the stack was passed on
		select {
		case filled <- s:
			s = nil
			return true
		case <-stop:
			return false
		}
	}
	defer func() {
		if s != nil {
			m.idle <- s
		}
	}()
	defer func() {
		if err := on.Recovered(recover()); err != nil {
			s.err = err
			pass()
		}
	}()
	for b, err := range batches {
		select {
		case <-stop:
			return
		default:
		}
		if err != nil {
			s.err = err
			break
		}
		number++
		s.add(m.form, b, m.learningRate, number)
		if s.count < s.capacity() {
			continue
		}
		if !pass() {
			return
		}
		s = <-m.idle
		s.reset()
	}
	if s.count > 0 || s.err != nil {
		pass()
	}
}

// take takes a stack's steps, m.atOnce in an execution, and passes their losses to done. It returns
// the first error of the device or of done, or else the error that came in place of another batch.
func (m *model) take(s *stack, done func([]float64) error) error {
	lists, err := s.send(m.Device)
	defer func() {
		for _, t := range lists {
			t.MustFinalizeAll()
		}
	}()
	if err != nil {
		return deviceError("training step", err)
	}
	for from := 0; from < s.count; {
		end := min(s.count, from+m.atOnce)
		start := time.Now()
		losses, err := m.run(lists, from, end)
		if err != nil {
			return deviceError("training step", err)
		}
		if m.loops && m.timed {
			perStep := time.Since(start) / time.Duration(end-from)
			m.atOnce = max(1, int(longestCall/max(1, perStep)))
		}
		m.timed = true // only the first execution waits for the compiler
		if err := done(losses); err != nil {
			return err
		}
		from = end
	}
	return s.err
}

// run takes the steps [from, end) of the lists that were sent, and returns their losses. It replaces
// m.state, whose memory the execution takes over.
func (m *model) run(lists []*tensors.Tensor, from, end int) ([]float64, error) {
	var args []any
	for _, t := range m.constants {
		args = append(args, t)
	}
	for _, t := range m.state {
		donated, err := m.Donate(t)
		if err != nil {
			return nil, err
		}
		args = append(args, donated)
	}
	for _, t := range lists {
		args = append(args, t)
	}
	out, err := m.loop.Call(append(args, []int32{int32(from), int32(end)})...)
	if err != nil {
		return nil, err
	}
	copy(m.state[:], out)
	m.steps += end - from
	losses := make([]float64, 0, end-from)
	err = tensors.ConstFlatData(out[6], func(flat []float32) {
		for _, loss := range flat[from:end] {
			losses = append(losses, float64(loss))
		}
	})
	return losses, errors.Join(err, out[6].FinalizeAll())
}

// Gradients runs m.difference on the constants, W and b on the device, and the batch's lists.
func (m *model) Gradients(b step.Batch) (loss float64, w step.Weights, err error) {
	defer catch("gradients", &err)
	var args []any
	for _, t := range append(m.constants[:len(m.constants):len(m.constants)], m.state[:2]...) {
		args = append(args, t)
	}
	lists := m.form.lists()
	flat := buffers(lists, 1)
	m.form.fill(flat, b)
	for k, list := range lists {
		t, err := sendFlat(m.Device, flat[k], list.Dimensions)
		if err != nil {
			return 0, w, deviceError("gradients", err)
		}
		defer t.MustFinalizeAll()
		args = append(args, t)
	}
	out, err := m.difference.Call(append(args, float32(len(b.I)))...)
	if err != nil {
		return 0, w, deviceError("gradients", err)
	}
	w, err = m.form.unpack(out[1], out[2])
	return float64(tensors.ToScalar[float32](out[0])), w, err
}

// EmbedTo embeds as many nodes at a time as a step encodes. The last block starts early enough to
// have the same size. If there is only one block, it stays on the device as m.rows, for a
// selection.
func (m *model) EmbedTo(ctx context.Context, z blas32.General, w step.Weights) (err error) {
	defer catch("embedding", &err)
	m.forget()
	weights, bias, err := m.form.pack(w)
	if err != nil {
		return deviceError("embedding", err)
	}
	defer weights.MustFinalizeAll()
	defer bias.MustFinalizeAll()
	rows := m.form.blockRows()
	for lo := 0; lo < m.n; lo += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := min(lo, m.n-rows)
		block, err := m.embedRows(weights, bias, first)
		if err != nil {
			return deviceError("embedding", err)
		}
		if err := on.CopyRows(linalg.RowRange(z, first, rows), block); err != nil {
			return err
		}
		if rows == m.n {
			m.rows, m.rowsOf = block, &z.Data[0]
			return nil
		}
		block.MustFinalizeAll()
	}
	return nil
}

// embedRows returns the block of Ẑ, for weights on the device, that starts at row first.
func (m *model) embedRows(weights, bias *tensors.Tensor, first int) (*tensors.Tensor, error) {
	var args []any
	for _, t := range m.constants {
		args = append(args, t)
	}
	args = append(args, weights, bias)
	part, err := m.form.part(first)
	if err != nil {
		return nil, err
	}
	if part != nil {
		args = append(args, part)
	}
	if t, ok := part.(*tensors.Tensor); ok {
		defer t.MustFinalizeAll()
	}
	out, err := m.embed.Call(args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Weights fetches W and b from the device.
func (m *model) Weights() (w step.Weights, err error) {
	defer catch("weights", &err)
	return m.form.unpack(m.state[0], m.state[1])
}

// State fetches the weights, Adam's first moments and its second moments from the device.
func (m *model) State() (s *step.State, err error) {
	defer catch("state", &err)
	s = &step.State{Steps: m.steps}
	for k, dst := range []*step.Weights{&s.Weights, &s.First, &s.Second} {
		// Each has two tensors in m.state: first the one for W, then the one for b.
		if *dst, err = m.form.unpack(m.state[2*k], m.state[2*k+1]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// forget frees m.rows, the Ẑ on the device, if there is one: the host's matrix is about to differ from it.
func (m *model) forget() {
	if m.rows != nil {
		m.rows.MustFinalizeAll()
	}
	m.rows, m.rowsOf = nil, nil
}

// Select ranks the pairs of an embedding on the device if the model has a selector, as on a GPU. A
// processor ranks them faster without GoMLX. The smoothed features, whose rows have another length
// than the selector's, are ranked by the host, because they would need another program.
func (m *model) Select(ctx context.Context, z blas32.General, positives, negatives float64, o pairs.Options) (s *pairs.Selection, err error) {
	defer catch("selection", &err)
	if m.selector == nil || z.Cols != m.selector.dims {
		return pairs.Select(ctx, z, positives, negatives, o)
	}
	if m.rowsOf != &z.Data[0] { // z is not what the device has
		m.forget()
		if m.rows, err = m.SendMatrix(z); err != nil {
			return nil, deviceError("selection", err)
		}
		m.rowsOf = &z.Data[0]
	}
	return m.selector.choose(ctx, z, m.rows, positives, negatives, o)
}

func (m *model) Product() string { return m.form.String() }

// Usage counts the programs, and names the selection if it ran on the host.
func (m *model) Usage() step.Usage {
	programs, took := m.Compiled()
	u := step.Usage{Programs: programs, Compile: took}
	if m.selector != nil && m.selector.onHost {
		u.OnHost = []string{"selection"}
	}
	return u
}

// Close frees all tensors and the device.
func (m *model) Close() {
	for _, t := range append(m.state[:], m.constants...) {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
	m.forget()
	m.Device.Close()
}

// lessMemory says what to do when a training does not fit.
const lessMemory = "use smaller batches, fewer dimensions, or the native backend"

// catch, deferred, sets err to a deviceError of that stage if there is a panic.
func catch(what string, err *error) {
	if r := on.Recovered(recover()); r != nil {
		*err = deviceError(what, r)
	}
}

// deviceError returns err with the stage and, if the device lacks memory, with advice.
func deviceError(what string, err error) error { return on.Error(what, lessMemory, err) }
