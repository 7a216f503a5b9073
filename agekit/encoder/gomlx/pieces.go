package gomlx

import (
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"github.com/gomlx/gomlx/core/tensors"
)

// pairLists are a batch's pairs in the form that the step's program takes.
// They are padded to the sizes that it was compiled for, whatever the batch.
//
// The gradient of a row of Ẑ sums over the pairs that the row is in. Adding
// pair by pair would be 2p additions to scattered rows, which XLA does one
// after the other on a CPU and with atomic operations on a GPU. So the pairs
// are sorted by rows here, and each row's list is cut into pieces of
// pieceLength: a piece is a short sum of known length, and only the pieces, a
// fifth as many, are added to rows.
type pairLists struct {
	capacity, pieces int // pairs and pieces that there is room for

	i, j            []int32   // [capacity]
	labels, weights []float32 // [capacity]; weight 0 is padding
	rows            []int32   // [pieces], in rising order: the row that a piece belongs to
	others          []int32   // [pieces, pieceLength]: the other ends of its pairs
	pairs           []int32   // [pieces, pieceLength]: which pairs they are

	next []int32 // of each row, the place for its next pair
}

// pieceLength is how many pairs a piece holds: on Cora, where a row is in 15
// pairs of a batch on average, 8 leave a third of all places empty.
const pieceLength = 8

// pairMultiple is what the number of pairs of a batch is padded to.
const pairMultiple = 128

// newPairLists returns lists for batches of at most maxPairs pairs of n rows.
func newPairLists(n, maxPairs int) *pairLists {
	l := &pairLists{next: make([]int32, n)}
	// One more than needed at least: empty places point to the last pair,
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

// fill puts a batch in place.
func (l *pairLists) fill(b encoder.Batch) {
	count := len(b.I)
	if count >= l.capacity {
		panic(fmt.Sprintf("gomlx: %d pairs in a batch, made for %d", count, l.capacity-1))
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
	// A pair (i, i) stands twice in row i, which is right: both of its ends
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

// cut gives every row as many pieces as its pairs need, and the pieces that
// are left, which stay empty, to the last row.
func (l *pairLists) cut(b encoder.Batch) {
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
