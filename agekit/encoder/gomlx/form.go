package gomlx

import (
	"github.com/agekit/age/agekit/encoder/step"
	on "github.com/agekit/age/internal/device"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
	"github.com/gomlx/gomlx/core/tensors"
)

// form is the graph code of a training step for one kind of input and device, with the layout
// of what it computes with.
type form interface {
	// constants are sent once and stay on the device, such as X̃.
	constants() ([]*tensors.Tensor, error)
	// pack returns W and b, or one of their moments, as the step's tensors, and unpack turns
	// them back.
	pack(step.Weights) (w, b *tensors.Tensor, err error)
	unpack(w, b *tensors.Tensor) (step.Weights, error)
	// lists are the shapes of what a step takes of a batch, numbers of type int32 or float32.
	// fill writes a batch into lists of these shapes.
	lists() []shapes.Shape
	fill(lists []any, b step.Batch)
	// gradients returns the loss of a batch of total pairs and its gradients with respect to
	// W and b.
	gradients(kind step.Loss, constants []*Node, w, b *Node, lists []*Node, total *Node) (loss, gradW, gradB *Node)
	// encode returns blockRows rows of Ẑ, from the row with which part was called. The argument
	// part has the node of what part returned, or none.
	encode(constants []*Node, w, b *Node, part []*Node) *Node
	blockRows() int
	// part returns what a program needs to encode the blockRows rows from the first one on, as its
	// argument: nil if these are all nodes. partShapes are the shapes of that argument.
	part(first int) (any, error)
	partShapes() []shapes.Shape
	// bytes estimates the memory that a step takes, with its lists.
	bytes() int64
	// String describes how X̃W is computed, for the log.
	String() string
}

// trainingLoop returns the graph code that takes the steps from span[0] to span[1] of the
// batches whose lists are stacked, in one execution. It returns W, b and their moments after
// these steps, and the losses of all batches, 0 for other steps. As span is an argument, the
// same program serves a whole epoch, a part of one and the rest, with the same bytes.
//
//	arguments: the form's constants; W, b, m_W, m_b, v_W, v_b; the form's lists, each with an
//	axis of k steps before its own; rates: [k, 3], for each step lr/(1−β₁ᵗ), 1/√(1−β₂ᵗ) and
//	the number of pairs; span: [2] → the new state, losses: [k]
//
// constants is the number of the form's constants. If loops is false, because the backend has none,
// the program takes one step, span[0].
func trainingLoop(f form, kind step.Loss, constants int, loops bool) func(inputs []*Node) []*Node {
	return func(inputs []*Node) []*Node {
		constant, rest := inputs[:constants], inputs[constants:]
		weights, stacked := rest[:6], rest[6:len(rest)-2] // W and b with their moments, and the lists
		rates, span := rest[len(rest)-2], rest[len(rest)-1]
		g, steps := span.Graph(), rates.Shape().Dim(0)
		// Zeros, as a difference: the body could not use a constant 0 that was first made outside of it.
		pairs := Reshape(Slice(rates, AxisRange(), AxisElem(2)), steps)
		zeros := Sub(pairs, pairs)
		initial := append([]*Node{element(span, 0), element(span, 1)}, weights...)
		initial = append(initial, zeros) // the losses; stateNames has the order
		takeStep := func(s []*Node) []*Node {
			now, end, w, b, losses := s[0], s[1], s[2], s[3], s[8]
			mw, mb, vw, vb := s[4], s[5], s[6], s[7] // Adam's moments
			var lists []*Node
			for _, list := range stacked {
				lists = append(lists, element(list, now))
			}
			rate := element(rates, now)
			loss, gradW, gradB := f.gradients(kind, constant, w, b, lists, element(rate, 2))
			stepSize, correction := element(rate, 0), element(rate, 1)
			w, mw, vw = on.AdamStep(w, gradW, mw, vw, stepSize, correction)
			b, mb, vb = on.AdamStep(b, gradB, mb, vb, stepSize, correction)
			// Only the element of this step becomes the loss.
			here := Equal(Iota(now.Graph(), shapes.Make(now.DType(), steps), 0), BroadcastToDims(now, steps))
			losses = Where(here, BroadcastToDims(loss, steps), losses)
			return []*Node{AddScalar(now, 1), end, w, b, mw, mb, vw, vb, losses}
		}
		if !loops {
			return takeStep(initial)[2:]
		}
		state := func(g *Graph) (all []*Node) {
			for k, s := range initial {
				all = append(all, Parameter(g, stateNames[k], s.Shape()))
			}
			return all
		}
		more := NewClosure(g, func(g *Graph) []*Node {
			s := state(g)
			return []*Node{LessThan(s[0], s[1])}
		})
		body := NewClosure(g, func(g *Graph) []*Node { return takeStep(state(g)) })
		return While(more, body, initial...)[2:]
	}
}

// stateNames are the names of what a step of the loop receives and returns, in order.
var stateNames = []string{"step", "end", "w", "b", "mw", "mb", "vw", "vb", "losses"}

// element returns element i of x along its first axis. The index i is an int, or a scalar node.
func element(x *Node, i any) *Node {
	index, ok := i.(*Node)
	if !ok {
		index = Const(x.Graph(), int32(i.(int)))
	}
	return Gather(x, InsertAxes(index, -1))
}
