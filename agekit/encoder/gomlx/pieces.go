package gomlx

import (
	"github.com/agekit/age/agekit/encoder/step"
	on "github.com/agekit/age/internal/device"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// pieceSums is how a processor adds up the terms of pairs: in lists of each row's pairs.
//
// The gradient of a row of Ẑ sums over the pairs that contain the row. Adding pair by pair
// would take 2p additions to scattered rows, which XLA runs one after the other on a CPU.
// Therefore the pairs are grouped by row, and each row's list is divided into pieces of
// pieceLength. A piece is a short sum of known length, and only the pieces, one fifth as
// many, are added to rows.
type pieceSums struct {
	places, pieces int     // maximum number of pairs, with padding, and of pieces
	next           []int32 // while a batch is written: where the next pair of each row goes
}

// pieceLength is the number of pairs per piece. On Cora, where a row is in 15
// pairs of a batch on average, a length of 8 leaves a third of all slots empty.
const pieceLength = 8

// newPieceSums returns the sums for batches of at most maxPairs pairs of n rows.
func newPieceSums(n, maxPairs int) *pieceSums {
	// A row with m > 0 pairs has at most (m + pieceLength − 1)/pieceLength pieces.
	pieces := (2*maxPairs + (pieceLength-1)*min(n, 2*maxPairs)) / pieceLength
	return &pieceSums{places: padded(maxPairs), pieces: pieces, next: make([]int32, n)}
}

// lists returns the shapes of seven lists. Four are of the pairs: both ends i and j, labels, and
// weights. Three are of the pieces: rows, each piece's row, in ascending order; others, the other
// ends of a piece's pairs; and pairs, the numbers of these pairs in the batch.
func (l *pieceSums) lists() []shapes.Shape {
	integer, float := dtypes.Int32, dtypes.Float32
	return []shapes.Shape{
		shapes.Make(integer, l.places), shapes.Make(integer, l.places), shapes.Make(float, l.places), shapes.Make(float, l.places),
		shapes.Make(integer, l.pieces), shapes.Make(integer, l.pieces, pieceLength), shapes.Make(integer, l.pieces, pieceLength),
	}
}

// fill writes the pairs of b into the lists that lists describes, with padding of weight 0. A pair
// is in a piece of the row of each of its ends, with the other end.
func (l *pieceSums) fill(lists []any, b step.Batch) {
	checkRoom(b, l.places)
	i, j, labels, weights := lists[0].([]int32), lists[1].([]int32), lists[2].([]float32), lists[3].([]float32)
	rows, others, pairs := lists[4].([]int32), lists[5].([]int32), lists[6].([]int32)
	count := len(b.I)
	clear(i[copy(i, b.I):])
	clear(j[copy(j, b.J):])
	clear(labels[copy(labels, b.Labels):])
	for k := range weights {
		weights[k] = 0
		if k < count {
			weights[k] = 1
		}
	}
	l.cut(rows, b)
	for p := range pairs { // empty slots: the last pair, which is padding
		others[p], pairs[p] = 0, int32(l.places-1)
	}
	// A pair (i, i) appears twice in row i, which is correct: both of its ends
	// are the same embedding.
	put := func(row, other int32, pair int) {
		others[l.next[row]], pairs[l.next[row]] = other, int32(pair)
		l.next[row]++
	}
	for k := range count {
		put(b.I[k], b.J[k], k)
		put(b.J[k], b.I[k], k)
	}
}

// cut writes the row of each piece into rows: every row gets as many pieces as its pairs need, and
// the last row also those that are left, which stay empty. It sets l.next to the first slot of each
// row.
func (l *pieceSums) cut(rows []int32, b step.Batch) {
	clear(l.next)
	for k := range b.I {
		l.next[b.I[k]]++
		l.next[b.J[k]]++
	}
	piece := int32(0)
	for row, pairs := range l.next { // the number of the row's pairs, replaced by its first slot
		l.next[row] = piece * pieceLength
		for ; pairs > 0; pairs -= pieceLength {
			rows[piece] = int32(row)
			piece++
		}
	}
	for ; int(piece) < l.pieces; piece++ {
		rows[piece] = int32(len(l.next) - 1)
	}
}

func (l *pieceSums) ends(lists []*Node) (i, j, labels, weights *Node) {
	return lists[0], lists[1], lists[2], lists[3]
}

// sum adds up the terms within each piece, and then the pieces of each row.
func (l *pieceSums) sum(_ step.Loss, z, derivatives *Node, lists []*Node) *Node {
	rows, others, pairs := lists[4], lists[5], lists[6]
	factors := Gather(derivatives, InsertAxes(pairs, -1))
	var sums *Node // [pieces, d]
	for k := range pieceLength {
		term := Mul(column(factors, k), Gather(z, column(others, k)))
		if k == 0 {
			sums = term
		} else {
			sums = Add(sums, term)
		}
	}
	return Scatter(InsertAxes(rows, -1), sums, z.Shape(), true, false)
}

// column returns column k of x: [q, m] → [q, 1].
func column(x *Node, k int) *Node { return Slice(x, AxisRange(), AxisRange(k, k+1)) }

// bytes counts the sums and the lists of the pieces, and eight numbers for each pair.
func (l *pieceSums) bytes(d int) int64 {
	return on.Floats(l.pieces, d+2*pieceLength+1) + 8*on.Floats(l.places, 1)
}
