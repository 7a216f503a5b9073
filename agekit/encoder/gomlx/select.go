package gomlx

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// selector ranks the pairs of the rows of Ẑ on the device. All similarities stay there: it
// fetches the thresholds, the positives, and a bit for each candidate for a negative pair.
type selector struct {
	device        *on.Device
	n, dims       int // rows and their length
	mostPositives int // for which the list has room
	candidates    int // for negatives, a multiple of wordBits
	program       *on.Program
	// onHost is true once a selection ran on the host, because the device has too little
	// memory.
	onHost bool
}

// newSelector returns a selector for n rows of dims elements. Its one program has room for
// mostPositives positive pairs and mostCandidates candidates for negative ones, which should be the
// most that [pairs.Counts] and [pairs.Candidates] return for any selection: a selection with more
// positives is an error, and with too few candidates fewer negatives are drawn than are asked for.
func newSelector(d *on.Device, n, dims, mostPositives, mostCandidates int) *selector {
	s := &selector{device: d, n: n, dims: dims, mostPositives: mostPositives}
	s.candidates = max(1, wordsFor(mostCandidates)) * wordBits
	s.program = d.Program(func(inputs []*Node) []*Node {
		r := rankPairs(similarityKeys(inputs[0]), inputs[1], inputs[2], mostPositives, s.candidates)
		return []*Node{r.Thresholds, r.I, r.J, r.Accepted}
	})
	return s
}

// compile begins to compile the program, if the device has the memory for a selection.
func (s *selector) compile() {
	if s.device.Fits(s.bytes()) {
		s.program.Compile(shapes.Make(dtypes.Float32, s.n, s.dims), shapes.Make(dtypes.Uint64, 2), shapes.Make(dtypes.Uint64))
	}
}

// bytes estimates the memory of a selection: the rows; three n×n matrices, which are the
// similarities, their transpose and the keys; a quarter of one for words of bits and running
// counts; and ten and six numbers for each place of the list and each candidate.
func (s *selector) bytes() int64 {
	return on.Floats(s.n, s.dims) + 13*on.Floats(s.n, s.n)/4 + 10*on.Floats(s.mostPositives, 1) + 6*on.Floats(s.candidates, 1)
}

// choose is [pairs.Select] for z, whose rows the device has as the tensor rows. Similarities differ
// from the host's by rounding, and other negatives are drawn, which like Select's are the same for
// the same key. The selection has no histogram. If the similarities do not fit in the device's
// memory, choose calls Select and sets s.onHost.
func (s *selector) choose(ctx context.Context, z blas32.General, rows *tensors.Tensor, positives, negatives float64, o pairs.Options) (_ *pairs.Selection, err error) {
	defer catch("selection", &err)
	posCount, negCount := pairs.Counts(s.n, positives, negatives)
	if posCount > s.mostPositives {
		return nil, fmt.Errorf("selection: %d positive pairs: there is room for %d", posCount, s.mostPositives)
	}
	if !s.device.Fits(s.bytes()) {
		s.onHost = true
		return pairs.Select(ctx, z, positives, negatives, o)
	}
	if err := pairs.CheckRows(z); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ranks := []uint64{uint64(posCount), uint64(s.n*s.n - negCount + 1)} // see rankPairs
	out, err := s.program.Call(rows, ranks, o.Key)
	if err != nil {
		return nil, deviceError("selection", err)
	}
	defer func() {
		for _, t := range out {
			t.MustFinalizeAll()
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	thresholds := fetch[uint32](out[0], 2)
	found := pairs.Ranked{
		I: fetch[int32](out[1], posCount), J: fetch[int32](out[2], posCount),
		PosThreshold: similarityOf(thresholds[0]), NegThreshold: similarityOf(thresholds[1]),
		Accepted: fetch[uint32](out[3], s.candidates/wordBits),
	}
	return found.Selection(z, positives, negatives, o)
}

// fetch returns the first count values of a vector on the device.
func fetch[T int32 | uint32](t *tensors.Tensor, count int) []T {
	values := make([]T, count)
	tensors.MustConstFlatData(t, func(flat []T) { copy(values, flat) })
	return values
}

// The rest of this file is graph code. Shapes: n nodes, d dimensions; a row of n bits has
// w = ⌈n/32⌉ words.

// wordBits is the number of bits of a word.
const wordBits = 32

// zeroKey is the key of similarity 0: those of negative similarities are lower.
const zeroKey = 1 << 31

// similarityKeys returns a key for each pair of rows, in the order of their similarities, with
// columns of key 0, which is lower than all, up to whole words. Both orders of a pair have the same
// key, even if the product does not give them the same similarity to the last bit: the larger one
// counts.
//
//	z: [n, d] → [n, 32w] uint32
func similarityKeys(z *Node) *Node {
	g, n := z.Graph(), z.Shape().Dim(0)
	s := Dot(z, Transpose(z, 0, 1)).Product()
	keys := orderedKeys(Max(s, Transpose(s, 0, 1)))
	return Pad(keys, ScalarZero(g, dtypes.Uint32), PadAxis{}, PadAxis{End: wordsFor(n)*wordBits - n})
}

// wordsFor returns the number of words that hold n bits.
func wordsFor(n int) int { return (n + wordBits - 1) / wordBits }

// orderedKeys maps float32 to uint32 in the same order, with one key for −0 and 0: the bits of a
// negative number are inverted, and the sign bit of the others is set, where −0 has it already.
func orderedKeys(s *Node) *Node {
	b := Bitcast(s, dtypes.Uint32)
	sign := Const(s.Graph(), uint32(zeroKey))
	return Where(GreaterThan(b, sign), BitwiseNot(b), BitwiseOr(b, sign))
}

// similarityOf returns the similarity whose key orderedKeys makes, on the host.
func similarityOf(key uint32) float32 {
	if key < zeroKey {
		return math.Float32frombits(^key)
	}
	return math.Float32frombits(key - zeroKey)
}

// rankedPairs holds what a device finds about all pairs, as nodes of a graph.
type rankedPairs struct {
	Thresholds *Node // [2] uint32: the keys of the thresholds for positives and negatives
	I, J       *Node // [places] int32: the positives, sorted, and then anything
	Accepted   *Node // [candidates/32] uint32: a bit for each candidate
}

// rankPairs ranks all pairs by their keys. ranks has the rank of the last positive pair, which is
// the number of positives, and that of the most similar negative pair, both counted from the most
// similar pair. The list of positives has that many places, and candidates, drawn from the seed, is
// a multiple of 32.
//
//	keys: [n, 32w] uint32, ranks: [2] uint64, seed: uint64
func rankPairs(keys, ranks, seed *Node, places, candidates int) (r rankedPairs) {
	r.Thresholds = keysOfRanks(keys, ranks)
	chosen := topPairs(keys, element(r.Thresholds, 0), element(ranks, 0))
	r.I, r.J = listPairs(chosen, places)
	i, j := candidatePairs(seed, keys.Shape().Dim(0), candidates)
	r.Accepted = pack(LessOrEqual(Gather(keys, Stack([]*Node{i, j}, -1)), element(r.Thresholds, 1)))
	return r
}

// keysOfRanks returns the keys at two ranks, counted from 1 for the highest key. The key at rank r
// is the greatest number that at least r keys reach. A loop finds two bits of both at a time, from
// the highest down.
//
// Numbers of keys are in uint64, because n² may pass 2³². The loop adds up unsigned numbers
// only, and the rest of the program signed ones, because go-xla makes one function of two numbers'
// sum per type, which XLA accepts inside or outside a loop, but not both. In the loop,
// constants are made by Const, because Scalar would return the same node again outside it, and
// values from outside are only compared, because go-xla does no arithmetic with them.
//
//	keys: [n, m] uint32, ranks: [2] uint64 → [2] uint32
func keysOfRanks(keys, ranks *Node) *Node {
	g := keys.Graph()
	ranks = InsertAxes(ranks, 1)
	const highest = 1 << 30 // the lower one of the two highest bits
	parameters := func(g *Graph) (unit, found *Node) {
		return Parameter(g, "unit", shapes.Make(dtypes.Uint32)), Parameter(g, "found", shapes.Make(dtypes.Uint32, 2))
	}
	more := NewClosure(g, func(g *Graph) []*Node {
		unit, _ := parameters(g)
		return []*Node{NotEqual(unit, Const(g, uint32(0)))}
	})
	next := NewClosure(g, func(g *Graph) []*Node {
		unit, found := parameters(g) // unit is the lower one of the two bits
		candidates := Add(InsertAxes(found, 1), Mul(unit, Const(g, [][]uint32{{1, 2, 3}})))
		var counts []*Node
		for k := range 2 {
			counts = append(counts, countFrom(keys, Slice(candidates, AxisElem(k))))
		}
		enough := GreaterOrEqual(Concatenate(counts, 0), ranks) // [2, 3]: for digits 1, 2 and 3
		digit := ReduceSum(ConvertDType(enough, dtypes.Uint32), 1)
		return []*Node{BitwiseShiftRightLogical(unit, Const(g, uint32(2))), Add(found, Mul(unit, digit))}
	})
	return While(more, next, Const(g, uint32(highest)), Const(g, []uint32{0, 0}))[1]
}

// countFrom returns how many keys are at least as great as each of three candidates, in one pass
// over the keys: the three counts of a row of keys are in one uint64, width bits for each.
//
//	keys: [n, m] uint32, candidates: [1, 3] uint32 → [1, 3] uint64
func countFrom(keys, candidates *Node) *Node {
	g := candidates.Graph()
	const width = 21 // enough for a count of columns, because keys with 2²¹ columns fit nowhere
	var marks *Node
	for k := range 3 {
		from := Reshape(Slice(candidates, AxisRange(), AxisElem(k)))
		mark := Where(GreaterOrEqual(keys, from), Const(g, uint64(1)<<(k*width)), Const(g, uint64(0)))
		if k == 0 {
			marks = mark
		} else {
			marks = BitwiseOr(marks, mark)
		}
	}
	rows := InsertAxes(ReduceSum(marks, 1), 1)
	counts := BitwiseAnd(BitwiseShiftRightLogical(rows, Const(g, [][]uint64{{0, width, 2 * width}})), Const(g, uint64(1<<width-1)))
	return InsertAxes(ReduceSum(counts, 0), 0)
}

// topPairs returns a bit for each pair, which is 1 for count pairs: those whose keys are above
// last, the key of the last one, and, in the order of rows and columns, as many with the key last
// as are missing.
//
//	keys: [n, 32w] uint32, last: uint32, count: uint64 → [n, w] uint32
func topPairs(keys, last, count *Node) *Node {
	above, ties := pack(GreaterThan(keys, last)), pack(Equal(keys, last))
	missing := Sub(ConvertDType(count, dtypes.Int64), ReduceAllSum(ConvertDType(BitCount(above), dtypes.Int64)))
	tied := ConvertDType(BitCount(ties), dtypes.Int64)
	before := Sub(runningCounts(ties), tied) // ties in the words before
	taken := ConvertDType(Max(Min(Sub(missing, before), tied), ScalarZero(keys.Graph(), dtypes.Int64)), dtypes.Uint32)
	return BitwiseOr(above, lowestBits(ties, taken))
}

// listPairs returns the rows and columns of the bits that are 1, in order, in a list with that many
// places. Each place finds its word by the running counts and then its bit in the word. Places
// beyond the last bit hold anything.
//
//	chosen: [n, w] uint32 → i, j: [places] int32
func listPairs(chosen *Node, places int) (i, j *Node) {
	g, perRow := chosen.Graph(), chosen.Shape().Dim(1)
	words := chosen.Shape().Size()
	ends := Reshape(ConvertDType(runningCounts(chosen), dtypes.Int32), words)
	chosen = Reshape(chosen, words)
	place := Iota(g, shapes.Make(dtypes.Int32, places), 0)
	word := wordsBefore(ends, place)
	bitsOf := lookUp(chosen, word)
	start := Sub(lookUp(ends, word), ConvertDType(BitCount(bitsOf), dtypes.Int32))
	bit := ConvertDType(setBit(bitsOf, ConvertDType(Sub(place, start), dtypes.Uint32)), dtypes.Int32)
	i = Div(word, Const(g, int32(perRow)))
	j = Add(MulScalar(Sub(word, MulScalar(i, perRow)), wordBits), bit)
	return i, j
}

// wordsBefore returns, for each place, the number of the word that it is in: how many words end at
// or before the place, but at most the number of the last word. ends are running counts. It bisects
// in a loop, because the same steps without a loop take seconds to compile.
//
//	ends: [m] int32, not decreasing, place: [p] int32 → [p] int32
func wordsBefore(ends, place *Node) *Node {
	g, words := ends.Graph(), ends.Shape().Dim(0)
	parameters := func(g *Graph) (step, word *Node) {
		return Parameter(g, "step", shapes.Make(dtypes.Int32)), Parameter(g, "word", place.Shape())
	}
	more := NewClosure(g, func(g *Graph) []*Node {
		step, _ := parameters(g)
		return []*Node{NotEqual(step, Const(g, int32(0)))}
	})
	next := NewClosure(g, func(g *Graph) []*Node {
		step, word := parameters(g)
		further := Min(Add(word, step), Const(g, int32(words-1)))
		end := lookUp(ends, Sub(further, Const(g, int32(1))))
		return []*Node{Div(step, Const(g, int32(2))), Where(LessOrEqual(end, place), further, word)}
	})
	first := 1 << bits.Len(uint(words-1)) >> 1 // the highest power of two up to words−1, or 0
	return While(more, next, Const(g, int32(first)), ZerosLike(place))[1]
}

// lookUp returns the elements of a vector at the given positions.
func lookUp(x, positions *Node) *Node { return Gather(x, InsertAxes(positions, -1)) }

// pack returns a word for each 32 values of the last axis, with the first value in the lowest bit.
//
//	[..., 32w] bool → [..., w] uint32
func pack(x *Node) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	shape := append(append([]int{}, dims[:len(dims)-1]...), dims[len(dims)-1]/wordBits, wordBits)
	values := Reshape(ConvertDType(x, dtypes.Uint32), shape...)
	return ReduceBitwiseOr(BitwiseShiftLeft(values, Iota(g, shapes.Make(dtypes.Uint32, shape...), len(shape)-1)), -1)
}

// runningCounts returns for each word the number of bits that are 1 in this word and in all words
// before it, row after row.
//
//	[n, w] uint32 → [n, w] int64
func runningCounts(words *Node) *Node {
	inRow := ConvertDType(CumSum(ConvertDType(BitCount(words), dtypes.Int32), 1), dtypes.Int64)
	rows := Slice(inRow, AxisRange(), AxisElem(-1))
	return Add(inRow, Sub(CumSum(rows, 0), rows))
}

// lowestBits returns the words with only the lowest of their bits that are 1: as many as count says
// for each word, or all if it has no more.
func lowestBits(words, count *Node) *Node {
	g := words.Graph()
	below := Sub(BitwiseShiftLeft(OnesLike(words), setBit(words, count)), ScalarOne(g, dtypes.Uint32))
	return Where(GreaterOrEqual(count, BitCount(words)), words, BitwiseAnd(words, below))
}

// setBit returns, for each word, the position of the bit that is 1 and has others such bits below
// it: the highest position with no more than that below it.
func setBit(words, others *Node) *Node {
	g := words.Graph()
	ones, position := OnesLike(words), ZerosLike(words)
	for step := wordBits / 2; step > 0; step /= 2 {
		higher := AddScalar(position, step)
		below := BitwiseAnd(words, Sub(BitwiseShiftLeft(ones, higher), ScalarOne(g, dtypes.Uint32)))
		position = Where(LessOrEqual(BitCount(below), others), higher, position)
	}
	return position
}

// candidatePairs returns the first candidates pairs of [pairs.Candidate] for n nodes and the seed,
// by the same arithmetic: SplitMix64, whose halves are scaled to node numbers.
//
//	seed: uint64 → i, j: [candidates] int32
func candidatePairs(seed *Node, n, candidates int) (i, j *Node) {
	g := seed.Graph()
	constant := func(x uint64) *Node { return Const(g, x) }
	const step = 0x9e3779b97f4a7c15
	k := Iota(g, shapes.Make(dtypes.Uint64, candidates), 0)
	x := Add(seed, Add(Mul(k, constant(step)), constant(step)))
	x = Mul(BitwiseXor(x, shiftRight(x, 30)), constant(0xbf58476d1ce4e5b9))
	x = Mul(BitwiseXor(x, shiftRight(x, 27)), constant(0x94d049bb133111eb))
	x = BitwiseXor(x, shiftRight(x, 31))
	scaled := func(half *Node) *Node {
		return ConvertDType(shiftRight(Mul(half, constant(uint64(n))), 32), dtypes.Int32)
	}
	return scaled(shiftRight(x, 32)), scaled(BitwiseAnd(x, constant(math.MaxUint32)))
}

// shiftRight returns x shifted by the given number of bits, for unsigned numbers.
func shiftRight(x *Node, count uint64) *Node { return BitwiseShiftRightLogicalScalar(x, count) }
