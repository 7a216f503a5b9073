package gomlx

import (
	"slices"

	"github.com/agekit/age/agekit/encoder/step"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/simd"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// stack holds the lists of several batches, as arguments of the training loop.
type stack struct {
	shapes []shapes.Shape // of one batch's lists
	flat   []any          // []int32 or []float32: the batches' lists, one after the other
	rates  []float32      // see trainingLoop
	count  int            // batches so far
	err    error          // that came in place of another batch, after these
}

// newStack returns an empty stack for up to capacity batches with lists of these shapes.
func newStack(lists []shapes.Shape, capacity int) *stack {
	return &stack{shapes: lists, flat: buffers(lists, capacity), rates: make([]float32, 3*capacity)}
}

// buffers returns a slice for each list, []int32 or []float32, with room for that list of a number
// of batches.
func buffers(lists []shapes.Shape, batches int) []any {
	var all []any
	for _, list := range lists {
		if list.DType == dtypes.Int32 {
			all = append(all, make([]int32, batches*list.Size()))
		} else {
			all = append(all, make([]float32, batches*list.Size()))
		}
	}
	return all
}

// stacked returns the shape of a list of a number of batches: with an axis for them before its own.
func stacked(list shapes.Shape, batches int) shapes.Shape {
	return shapes.Make(list.DType, slices.Concat([]int{batches}, list.Dimensions)...)
}

func (s *stack) capacity() int { return len(s.rates) / 3 }

func (s *stack) reset() { s.count, s.err = 0, nil }

// add writes a batch into the lists, in the layout of the form, with the rates of the step of Adam
// with that number, counted from 1.
func (s *stack) add(f form, b step.Batch, learningRate float64, number int) {
	lists := make([]any, len(s.flat)) // the part of each list for this batch
	for k, flat := range s.flat {
		size := s.shapes[k].Size()
		switch all := flat.(type) {
		case []int32:
			lists[k] = all[s.count*size:][:size]
		case []float32:
			lists[k] = all[s.count*size:][:size]
		}
	}
	f.fill(lists, b)
	r := simd.AdamRatesAt(learningRate, number)
	copy(s.rates[3*s.count:], []float32{r.StepSize, r.Correction, float32(len(b.I))})
	s.count++
}

// send sends the lists and then the rates to the device. With an error, it returns what was sent
// before, which the caller must free in any case.
func (s *stack) send(d *on.Device) (sent []*tensors.Tensor, err error) {
	for k, flat := range s.flat {
		t, err := sendFlat(d, flat, stacked(s.shapes[k], s.capacity()).Dimensions)
		if err != nil {
			return sent, err
		}
		sent = append(sent, t)
	}
	rates, err := on.Send(d, s.rates, s.capacity(), 3)
	if err != nil {
		return sent, err
	}
	return append(sent, rates), nil
}

// sendFlat sends flat, which is []int32 or []float32, as a tensor of these dimensions.
func sendFlat(d *on.Device, flat any, dims []int) (*tensors.Tensor, error) {
	if integers, ok := flat.([]int32); ok {
		return on.Send(d, integers, dims...)
	}
	return on.Send(d, flat.([]float32), dims...)
}
