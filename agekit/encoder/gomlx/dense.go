package gomlx

import (
	"fmt"

	"github.com/agekit/age/agekit/encoder/step"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// dense is the step as the paper writes it: Z = X̃W + b with the dense smoothed features. If
// the graph has more nodes than a batch can have, it encodes only the batch's: the device
// gathers their rows of X̃, or, where X̃ does not fit, the host sends them with every batch.
type dense struct {
	device   *on.Device
	x        blas32.General // X̃, n×f
	d        int
	rows     int  // that a step encodes, and that an execution embeds
	resident bool // X̃ is on the device
	parts    int  // of the rows: the gradient of W is the sum of theirs
	pairs    pairSums
	places   *step.Placement // nil if a step encodes all nodes
}

// On a GPU, the gradient X̃ᵗ·dZ is computed in up to mostParts parts of leastRows rows or more. It
// has so few elements that one product would use only a part of the GPU. On an H100, X̃ᵗ·dZ of
// Pubmed takes 0.9 ms, and 0.5 ms in 16 parts of the rows; that of Cora 0.2 ms, and 0.15 ms in
// four.
const mostParts, leastRows = 16, 600

// newDense returns the form for smoothed features x, n×f, d dimensions and batches of at most
// maxPairs pairs, as a GPU computes it or a processor. X̃ is resident. The caller sets the device.
func newDense(x blas32.General, d, maxPairs int, gpu bool) *dense {
	f := &dense{x: x, d: d, rows: min(x.Rows, 2*maxPairs), resident: true, parts: 1}
	if gpu {
		f.parts = max(1, min(mostParts, f.rows/leastRows))
		f.pairs = newFixedSums(maxPairs)
	} else {
		f.pairs = newPieceSums(f.rows, maxPairs)
	}
	if f.rows < x.Rows {
		f.places = step.NewPlacement(x.Rows, f.rows)
	}
	return f
}

// constants returns X̃ on the device, or nothing if the host sends rows of X̃.
func (f *dense) constants() ([]*tensors.Tensor, error) {
	if !f.resident {
		return nil, nil
	}
	x, err := f.device.SendMatrix(f.x)
	return []*tensors.Tensor{x}, err
}

// pack sends W as a matrix without padding, f×d, and b as a vector.
func (f *dense) pack(a step.Weights) (w, b *tensors.Tensor, err error) {
	if w, err = f.device.SendMatrix(a.W); err != nil {
		return nil, nil, err
	}
	b, err = on.Send(f.device, a.B, len(a.B))
	return w, b, err
}

// unpack copies w and b, as pack sent them, to the host.
func (f *dense) unpack(w, b *tensors.Tensor) (step.Weights, error) {
	out := step.NewWeights(f.x.Cols, f.d)
	if err := on.CopyRows(out.W, w); err != nil {
		return out, err
	}
	return out, tensors.ConstFlatData(b, func(flat []float32) { copy(out.B, flat) })
}

// lists returns the shapes of the pairs' lists and, if a step encodes only a batch's nodes, of one
// list more: the nodes, whose rows of X̃ the device gathers, or else these rows.
func (f *dense) lists() []shapes.Shape {
	all := f.pairs.lists()
	switch {
	case f.places == nil:
		return all
	case f.resident:
		return append(all, shapes.Make(dtypes.Int32, f.rows))
	}
	return append(all, shapes.Make(dtypes.Float32, f.rows, f.x.Cols))
}

// fill writes the batch's pairs into the first lists and, if a step encodes only a batch's nodes,
// these nodes or their rows of X̃ into the last one; the pairs then have the nodes' numbers among
// them.
func (f *dense) fill(lists []any, b step.Batch) {
	if f.places == nil {
		f.pairs.fill(lists, b)
		return
	}
	local, nodes := f.places.Local(b)
	f.pairs.fill(lists, local)
	if f.resident {
		copy(lists[len(lists)-1].([]int32), nodes)
		return
	}
	rows := lists[len(lists)-1].([]float32)
	linalg.Parallel(len(nodes), step.RowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(rows[i*f.x.Cols:(i+1)*f.x.Cols], f.x.Data[int(nodes[i])*f.x.Stride:])
		}
	})
}

// gradients takes the gradient G = ∂loss/∂Ẑ from the pairs' sums instead of automatic
// differentiation. With G held constant, the gradient of ΣG∘Ẑ with respect to Z is that of the
// loss.
func (f *dense) gradients(kind step.Loss, constants []*Node, w, b *Node, lists []*Node, total *Node) (loss, gradW, gradB *Node) {
	var x *Node
	switch last := lists[len(lists)-1]; {
	case f.places == nil:
		x = constants[0]
	case f.resident:
		x = Gather(constants[0], InsertAxes(last, -1))
	default:
		x = last
	}
	z := linear(x, w, b)
	unit := scale(z)
	constant := StopGradient(unit) // so that the loss below is differentiated only with respect to s
	i, j, labels, weights := f.pairs.ends(lists)
	s := similarities(constant, i, j)
	loss = crossEntropy(kind, s, labels, weights, total)
	derivatives := Gradient(loss, s)[0]
	g := f.pairs.sum(kind, constant, derivatives, lists)
	gradZ := Gradient(ReduceAllSum(Mul(StopGradient(g), unit)), z)[0]
	return loss, transposedProduct(x, gradZ, f.parts), ReduceSum(gradZ, 0)
}

// encode takes X̃ from the constants, whole or as many rows of it as a step encodes, from the one in
// part on; or it takes these rows from part.
func (f *dense) encode(constants []*Node, w, b *Node, part []*Node) *Node {
	switch {
	case f.places == nil:
		return encode(constants[0], w, b)
	case f.resident:
		return encode(GatherSlices(constants[0], []int{0}, part[0], []int{f.rows}, true), w, b)
	}
	return encode(part[0], w, b)
}

func (f *dense) blockRows() int { return f.rows }

// part returns nothing if X̃ is encoded whole, the number of the first row if X̃ is resident, and
// otherwise the rows of X̃.
func (f *dense) part(first int) (any, error) {
	switch {
	case f.places == nil:
		return nil, nil
	case f.resident:
		return []int32{int32(first)}, nil
	}
	return f.device.SendMatrix(linalg.RowRange(f.x, first, f.rows))
}

// partShapes returns the shape of what part returns.
func (f *dense) partShapes() []shapes.Shape {
	switch {
	case f.places == nil:
		return nil
	case f.resident:
		return []shapes.Shape{shapes.Make(dtypes.Int32, 1)}
	}
	return []shapes.Shape{shapes.Make(dtypes.Float32, f.rows, f.x.Cols)}
}

// bytes counts the rows of X̃ on the device; the weights and moments before and after the step, and
// their gradient; Ẑ and five matrices of its size; and what the pairs take.
func (f *dense) bytes() int64 {
	rows := 0
	if f.resident {
		rows += f.x.Rows
	}
	if f.places != nil { // those of a batch
		rows += f.rows
	}
	return on.Floats(rows, f.x.Cols) + 7*on.Floats(f.x.Cols, f.d) + 6*on.Floats(f.rows, f.d) + f.pairs.bytes(f.d)
}

// String says where the smoothed features of a step come from.
func (f *dense) String() string {
	switch {
	case f.places == nil:
		return "smoothed beforehand"
	case f.resident:
		return "smoothed beforehand, gathered for each batch"
	}
	return "smoothed beforehand, gathered for each batch by the host"
}

// pairSums is how the pairs of a batch come to the device, and how the device adds up the pairs'
// terms of the gradient with respect to Ẑ.
type pairSums interface {
	// lists are the shapes of the pairs of a batch, padded to a fixed number, and fill
	// writes a batch into them.
	lists() []shapes.Shape
	fill(lists []any, b step.Batch)
	// ends returns, from the lists, both ends of the pairs, their labels, and their weights: 0 for
	// padding and 1 for pairs.
	ends(lists []*Node) (i, j, labels, weights *Node)
	// sum returns G = ∂loss/∂Ẑ, given the loss's derivatives with respect to the
	// similarities: row i is Σ ∂loss/∂sᵢⱼ · ẑⱼ over the pairs that contain i. A pair (i, i)
	// counts twice.
	sum(kind step.Loss, z, derivatives *Node, lists []*Node) *Node
	// bytes estimates the memory that a step takes for its pairs, with d dimensions.
	bytes(d int) int64
}

// pairMultiple is the multiple to which the number of pairs in a batch is padded.
const pairMultiple = 128

// padded returns the number of places for at most maxPairs pairs: a multiple of pairMultiple, and at
// least one more than maxPairs, because empty slots refer to the last place, whose weight is 0.
func padded(maxPairs int) int { return (maxPairs + pairMultiple) / pairMultiple * pairMultiple }

// checkRoom panics if a batch and one place of padding are more than places.
func checkRoom(b step.Batch, places int) {
	if len(b.I) >= places {
		panic(fmt.Sprintf("gomlx: %d pairs in a batch: want at most %d", len(b.I), places-1))
	}
}
