package gomlx

import (
	"cmp"
	"fmt"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/cost"
	on "github.com/agekit/age/internal/device"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
	"github.com/gomlx/gomlx/core/tensors"
)

// tiledForm is the step for processors. It filters within the step, as the native one does:
// Z = Hᵗ(XW) + b and dW = Xᵗ(Hᵗ dZ), with sparse X and H. W, Ẑ and their gradients are in
// tiles of columns, [T, rows, tileWidth], so that the rows of a tile that a product reads in
// any order are in a core's cache. Columns from d on are zero.
type tiledForm struct {
	n, f, d, tiles, layers int
	x, h, transposed       *rowLists // X, H and Xᵗ
	pairs                  *tiledPairs
}

// mostLayers is the largest number of layers of the tiled form: each is compiled by itself,
// forward and backward, in about 0.2 s.
const mostLayers = 16

// tileable reports whether a step in the tiled form takes less time than one with the smoothed
// features, on a processor.
func tileable(input *step.Input) bool {
	x := input.Features.Sparse
	if x == nil || input.Operator == nil || input.Filter.Layers > mostLayers {
		return false
	}
	_, _, forward := lengths(x)
	_, _, backward := lengths(x.Transpose())
	_, _, layer := lengths(input.Operator.FilterMatrix(input.Filter.K))
	// Both are for one column of W, forward and backward.
	entries, products := forward+backward+2*input.Filter.Layers*layer, 2*x.Rows*x.Cols
	return cost.Of(cost.TileEntry, float64(entries)).Cost() < cost.Of(cost.Step, float64(products)).Cost()
}

// newTiledForm returns the form of an input that is [tileable], for batches of at most
// maxPairs pairs.
func newTiledForm(input *step.Input, d, maxPairs int) *tiledForm {
	x := graph.DivideFeatures(input.Features, cmp.Or(input.Unit, 1)).Sparse
	return &tiledForm{
		n: x.Rows, f: x.Cols, d: d, tiles: (d + tileWidth - 1) / tileWidth, layers: input.Filter.Layers,
		x: newRowLists(x), h: newRowLists(input.Operator.FilterMatrix(input.Filter.K)), transposed: newRowLists(x.Transpose()),
		pairs: newTiledPairs(x.Rows, maxPairs),
	}
}

// constants returns the lists of X, H and Xᵗ.
func (t *tiledForm) constants() ([]*tensors.Tensor, error) {
	var all []*tensors.Tensor
	for _, m := range []*rowLists{t.x, t.h, t.transposed} {
		all = append(all, m.tensors()...)
	}
	return all, nil
}

// pack returns weights in tiles: W: [T, f, tileWidth], b: [T, 1, tileWidth].
func (t *tiledForm) pack(weights step.Weights) (w, b *tensors.Tensor, err error) {
	flat := make([]float32, t.tiles*t.f*tileWidth)
	t.eachPart(func(row, tile, lo, hi int) {
		copy(flat[(tile*t.f+row)*tileWidth:], weights.W.Data[row*weights.W.Stride+lo:row*weights.W.Stride+hi])
	})
	bias := make([]float32, t.tiles*tileWidth)
	copy(bias, weights.B)
	return tensors.FromFlatDataAndDimensions(flat, t.tiles, t.f, tileWidth), tensors.FromFlatDataAndDimensions(bias, t.tiles, 1, tileWidth), nil
}

// unpack is the inverse of pack.
func (t *tiledForm) unpack(w, b *tensors.Tensor) (step.Weights, error) {
	weights := step.NewWeights(t.f, t.d)
	err := tensors.ConstFlatData(w, func(flat []float32) {
		t.eachPart(func(row, tile, lo, hi int) {
			copy(weights.W.Data[row*weights.W.Stride+lo:row*weights.W.Stride+hi], flat[(tile*t.f+row)*tileWidth:])
		})
	})
	if err != nil {
		return weights, err
	}
	return weights, tensors.ConstFlatData(b, func(flat []float32) { copy(weights.B, flat) })
}

// bytes estimates the memory that a step takes: the lists of the matrices and of a batch; W
// and its moments before and after the step, and its gradient; and Ẑ, eight matrices of its
// size, and the sums of the pairs' pieces.
func (t *tiledForm) bytes() (total int64) {
	for _, m := range []*rowLists{t.x, t.h, t.transposed} {
		total += m.bytes()
	}
	for _, l := range t.lists() {
		total += int64(l.ByteSize())
	}
	return total + on.Floats(7*t.f+9*t.n+t.pairs.pieces, t.tiles*tileWidth)
}

// eachPart calls visit for each tile and each row of W, with the columns [lo, hi) of W that the tile has.
func (t *tiledForm) eachPart(visit func(row, tile, lo, hi int)) {
	for tile := range t.tiles {
		for row := range t.f {
			visit(row, tile, tile*tileWidth, min(t.d, (tile+1)*tileWidth))
		}
	}
}

func (t *tiledForm) lists() []shapes.Shape { return t.pairs.shapes() }

func (t *tiledForm) fill(dst []any, b step.Batch) { t.pairs.fill(dst, b) }

// gradients computes G = ∂loss/∂Ẑ as the product of Ẑ with the sparse matrix of the pairs'
// derivatives, and from it dZ and dW = Xᵗ(Hᵗ dZ).
func (t *tiledForm) gradients(kind step.Loss, constants []*Node, w, b *Node, lists []*Node, total *Node) (loss, gradW, gradB *Node) {
	x, others := takeRows(constants)
	h, others := takeRows(others)
	transposed, _ := takeRows(others)
	pairs := newPairNodes(lists)
	e := t.scale(t.filter(h, x.times(w)), b)
	s := tileSimilarities(e.z, pairs.i, pairs.j)
	loss = crossEntropy(kind, s, pairs.labels, pairs.weights, total)
	g := pairs.matrix(Gradient(loss, s)[0]).times(e.z)
	dz := t.unscale(e, g)
	return loss, transposed.times(t.filter(h, dz)), columnSums(dz)
}

// encode returns Ẑ: [n, d].
func (t *tiledForm) encode(constants []*Node, w, b *Node, _ []*Node) *Node {
	x, others := takeRows(constants)
	h, _ := takeRows(others)
	z := t.scale(t.filter(h, x.times(w)), b).z
	return Slice(Reshape(TransposeAllAxes(z, 1, 0, 2), t.n, -1), AxisRange(), AxisRange(0, t.d))
}

func (t *tiledForm) blockRows() int { return t.n }

func (t *tiledForm) part(int) (any, error) { return nil, nil }

func (t *tiledForm) partShapes() []shapes.Shape { return nil }

func (t *tiledForm) String() string {
	return fmt.Sprintf("filtered within each step, in lists of %d + %d×%d entries", t.x.entries(), t.layers, t.h.entries())
}

// filter returns Hᵗy, for y: [T, n, tileWidth]. H is symmetric.
func (t *tiledForm) filter(h rowNodes, y *Node) *Node {
	for range t.layers {
		y = h.times(y)
	}
	return y
}

// encoded is Ẑ with what unscale needs.
type encoded struct {
	z             *Node // Ẑ: [T, n, tileWidth]
	real          *Node // [T, 1, tileWidth]: 1 in columns below d, otherwise 0
	inverse, sums *Node // [1, n, 1]: 1/|u| (0 for u = 0), and Σẑ
}

// scale returns ẑ = u/|u|, u = z − min z, for the rows z of y + b. A constant row becomes zero.
//
//	y: [T, n, tileWidth], b: [T, 1, tileWidth]
func (t *tiledForm) scale(y, b *Node) encoded {
	g := y.Graph()
	shape := shapes.Make(dtypes.Int32, t.tiles, 1, tileWidth)
	columns := Add(MulScalar(Iota(g, shape, 0), tileWidth), Iota(g, shape, 2))
	real := ConvertDType(LessThan(columns, Scalar(g, dtypes.Int32, t.d)), dtypes.Float32)
	z := Add(y, b)
	const large = 1e38 // keeps padding from being the minimum
	low := rowMinima(Add(z, MulScalar(OneMinus(real), large)))
	u := Mul(Sub(z, low), real)
	squares := rowSums(Square(u))
	inverse := Where(Equal(squares, ZerosLike(squares)), ZerosLike(squares), Inverse(Sqrt(squares)))
	return encoded{z: stored(Mul(u, inverse)), real: real, inverse: inverse, sums: Mul(rowSums(u), inverse)}
}

// unscale returns the gradient with respect to Z, given g, the gradient with respect to Ẑ. For u =
// z − min z it is (g − (ẑ·g)ẑ)/|u|. Every element of u depends on the minimum of z, where the sum
// of that gradient is subtracted; several minima share it equally. For a constant row the gradient
// is 0.
func (t *tiledForm) unscale(e encoded, g *Node) *Node {
	dot := rowSums(Mul(g, e.z))
	sum := Mul(Sub(rowSums(g), Mul(dot, e.sums)), e.inverse)
	lowest := Mul(ConvertDType(Equal(e.z, ZerosLike(e.z)), dtypes.Float32), e.real)
	each := Div(sum, rowSums(lowest)) // the share of a minimum
	return stored(Sub(Mul(Sub(g, Mul(dot, e.z)), e.inverse), Mul(each, lowest)))
}

// lanes is the number of columns to which rows are first reduced, part by part as vectors, because
// XLA:CPU would reduce along a row one number after the other.
const lanes = 16

// rowSums returns the sums of rows: [T, n, tileWidth] → [1, n, 1]. It multiplies by ones, because
// XLA does not merge a product with what comes before it.
func rowSums(x *Node) *Node {
	ones := Ones(x.Graph(), shapes.Make(x.DType(), lanes, 1))
	return InsertAxes(Dot(inLanes(x, Add), ones).Product(), 0)
}

// rowMinima returns the minima of rows: [T, n, tileWidth] → [1, n, 1].
func rowMinima(x *Node) *Node {
	return InsertAxes(ReduceMin(stored(inLanes(x, Min)), 1), 0, -1)
}

// inLanes combines the parts of each row, which have lanes columns: [T, n, tileWidth] → [n, lanes].
func inLanes(x *Node, combine func(x, y *Node) *Node) (all *Node) {
	for tile := range x.Shape().Dim(0) {
		for lane := 0; lane < tileWidth; lane += lanes {
			part := Reshape(Slice(x, AxisElem(tile), AxisRange(), AxisRange(lane, lane+lanes)), -1, lanes)
			if all == nil {
				all = part
			} else {
				all = combine(all, part)
			}
		}
	}
	return all
}

// columnSums returns the sums of columns: [T, n, tileWidth] → [T, 1, tileWidth].
func columnSums(x *Node) *Node {
	ones := Ones(x.Graph(), shapes.Make(x.DType(), x.Shape().Dim(0), 1, x.Shape().Dim(1)))
	return Einsum("tin,tnc->tic", ones, x)
}

// tileSimilarities returns s = ẑᵢ·ẑⱼ for pairs of rows of z.
//
//	z: [T, n, tileWidth], i, j: [p] → [p]
func tileSimilarities(z, i, j *Node) *Node {
	const parts = tileWidth / lanes // of a tile's row
	tiles, n := z.Shape().Dim(0), z.Shape().Dim(1)
	flat := Reshape(z, tiles*n*parts, lanes)
	var sum *Node // [p, lanes]
	for tile := range tiles {
		for part := range parts {
			rows := func(i *Node) *Node {
				return Gather(flat, InsertAxes(AddScalar(MulScalar(i, parts), tile*n*parts+part), -1))
			}
			term := Mul(rows(i), rows(j))
			if sum == nil {
				sum = term
			} else {
				sum = Add(sum, term)
			}
		}
	}
	return Reshape(Dot(sum, Ones(z.Graph(), shapes.Make(z.DType(), lanes, 1))).Product(), -1)
}
