package gomlx

import (
	"fmt"

	"github.com/agekit/age/internal/affine"
	"github.com/gomlx/gomlx/core/tensors"
)

// pairLists holds a batch's pairs as arguments of the step's program, padded to
// the sizes for which the program was compiled.
//
// The gradient of a row of Ẑ sums over the pairs that contain the row. Adding
// pair by pair would take 2p additions to scattered rows, which XLA runs one
// after the other on a CPU and with atomic operations on a GPU. Therefore
// pairLists groups the pairs by row and divides each row's list into pieces of
// pieceLength. A piece is a short sum of known length, and only the pieces, one
// fifth as many, are added to rows.
type pairLists struct {
	capacity, pieces int // maximum number of pairs and of pieces

	i, j            []int32   // [capacity]
	labels, weights []float32 // [capacity]; weight 0 is padding
	rows            []int32   // [pieces], in ascending order: each piece's row
	others          []int32   // [pieces, pieceLength]: the other ends of its pairs
	pairs           []int32   // [pieces, pieceLength]: the indices of its pairs

	next []int32 // each row's position for its next pair
}

// pieceLength is the number of pairs per piece. On Cora, where a row is in 15
// pairs of a batch on average, a length of 8 leaves a third of all slots empty.
const pieceLength = 8

// pairMultiple is the multiple to which the number of pairs in a batch is padded.
const pairMultiple = 128

// newPairLists returns lists for batches of at most maxPairs pairs of n rows.
func newPairLists(n, maxPairs int) *pairLists {
	l := &pairLists{next: make([]int32, n)}
	// At least one pair more than needed: empty slots refer to the last pair,
	// which has weight 0.
	l.capacity = (maxPairs + pairMultiple) / pairMultiple * pairMultiple
	// A row with m > 0 pairs has at most (m + pieceLength − 1)/pieceLength
	// pieces.
	l.pieces = (2*maxPairs + (pieceLength-1)*min(n, 2*maxPairs)) / pieceLength
	l.i, l.j = make([]int32, l.capacity), make([]int32, l.capacity)
	l.labels, l.weights = make([]float32, l.capacity), make([]float32, l.capacity)
	l.rows = make([]int32, l.pieces)
	l.others, l.pairs = make([]int32, l.pieces*pieceLength), make([]int32, l.pieces*pieceLength)
	return l
}

// fill replaces the lists' contents with a batch.
func (l *pairLists) fill(b affine.Batch) {
	count := len(b.I)
	if count >= l.capacity {
		panic(fmt.Sprintf("gomlx: %d pairs in a batch: want at most %d", count, l.capacity-1))
	}
	for k := range l.i {
		l.i[k], l.j[k], l.labels[k], l.weights[k] = 0, 0, 0, 0
	}
	copy(l.i, b.I)
	copy(l.j, b.J)
	copy(l.labels, b.Labels)
	for k := range count {
		l.weights[k] = 1
	}
	l.cut(b)
	for p := range l.pairs {
		l.others[p], l.pairs[p] = 0, int32(l.capacity-1)
	}
	// A pair (i, i) appears twice in row i, which is correct: both of its ends
	// are the same embedding.
	put := func(row, other int32, pair int) {
		l.others[l.next[row]], l.pairs[l.next[row]] = other, int32(pair)
		l.next[row]++
	}
	for k := range count {
		put(b.I[k], b.J[k], k)
		put(b.J[k], b.I[k], k)
	}
}

// cut assigns every row the pieces that its pairs need. The remaining pieces
// stay empty and go to the last row.
func (l *pairLists) cut(b affine.Batch) {
	clear(l.next)
	for k := range b.I {
		l.next[b.I[k]]++
		l.next[b.J[k]]++
	}
	piece := int32(0)
	for row, pairs := range l.next {
		l.next[row] = piece * pieceLength
		for ; pairs > 0; pairs -= pieceLength {
			l.rows[piece] = int32(row)
			piece++
		}
	}
	for ; int(piece) < l.pieces; piece++ {
		l.rows[piece] = int32(len(l.next) - 1)
	}
}

// tensors returns the lists in the order of the step's arguments.
func (l *pairLists) tensors() []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(l.i, l.capacity), tensors.FromFlatDataAndDimensions(l.j, l.capacity),
		tensors.FromFlatDataAndDimensions(l.labels, l.capacity), tensors.FromFlatDataAndDimensions(l.weights, l.capacity),
		tensors.FromFlatDataAndDimensions(l.rows, l.pieces),
		tensors.FromFlatDataAndDimensions(l.others, l.pieces, pieceLength), tensors.FromFlatDataAndDimensions(l.pairs, l.pieces, pieceLength),
	}
}
