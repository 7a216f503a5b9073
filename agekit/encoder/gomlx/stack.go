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
	count  int            // of batches
	err    error          // what came in place of another batch
}

func newStack(lists []shapes.Shape, capacity int) *stack {
	return &stack{shapes: lists, flat: buffers(lists, capacity), rates: make([]float32, 3*capacity)}
}

// buffers returns room for a number of batches' lists.
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

// stacked is the shape of a number of lists.
func stacked(list shapes.Shape, batches int) shapes.Shape {
	return shapes.Make(list.DType, slices.Concat([]int{batches}, list.Dimensions)...)
}

func (s *stack) capacity() int { return len(s.rates) / 3 }

func (s *stack) reset() { s.count, s.err = 0, nil }

// add adds a batch for a step of Adam, counted from 1.
func (s *stack) add(f form, b step.Batch, learningRate float64, number int) {
	lists := make([]any, len(s.flat))
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

// send sends the lists and the rates to the device.
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

// sendFlat sends numbers of one of two types.
func sendFlat(d *on.Device, flat any, dims []int) (*tensors.Tensor, error) {
	if integers, ok := flat.([]int32); ok {
		return on.Send(d, integers, dims...)
	}
	return on.Send(d, flat.([]float32), dims...)
}
