package gomlx

import (
	"fmt"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// tiledPairs writes a batch's pairs into lists. For the similarities, those are both ends i and j,
// labels and weights (0 for padding). For the gradient with respect to Ẑ, they are a symmetric
// matrix as rowLists, which has the number of a pair at (i, j) and (j, i). The step replaces each
// number by the derivative of the pair's loss.
type tiledPairs struct {
	n, capacity, pieces int     // rows, and the most pairs and pieces of a batch
	next                []int32 // while a batch is written: each row's number of entries so far
	piece               []int32 // each row's first piece
}

// pairsPerList is the length of the lists of a row's pairs. On Cora, a row is in 15 pairs of
// a batch on average.
const pairsPerList = 8

// newTiledPairs returns the lists for batches of at most maxPairs pairs of n nodes.
func newTiledPairs(n, maxPairs int) *tiledPairs {
	return &tiledPairs{
		n: n, capacity: (maxPairs + pairMultiple - 1) / pairMultiple * pairMultiple,
		// A row with m entries has at most (m − 1)/pairsPerList pieces; XLA wants two.
		pieces: max(2, 2*maxPairs/pairsPerList),
		next:   make([]int32, n), piece: make([]int32, n),
	}
}

// shapes returns the shapes of the lists, in the order of pairNodes' fields.
func (l *tiledPairs) shapes() []shapes.Shape {
	ints := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Int32, dims...) }
	floats := shapes.Make(dtypes.Float32, l.capacity)
	return []shapes.Shape{
		ints(l.capacity), ints(l.capacity), floats, floats,
		ints(pairsPerList, l.n), ints(pairsPerList, l.n), ints(pairsPerList, l.pieces), ints(pairsPerList, l.pieces), ints(l.pieces),
	}
}

// fill writes a batch into slices of these shapes.
func (l *tiledPairs) fill(dst []any, b step.Batch) {
	count := len(b.I)
	if count > l.capacity {
		panic(fmt.Sprintf("gomlx: %d pairs in a batch: want at most %d", count, l.capacity))
	}
	i, j, labels, weights := dst[0].([]int32), dst[1].([]int32), dst[2].([]float32), dst[3].([]float32)
	firstOthers, firstPairs := dst[4].([]int32), dst[5].([]int32)
	restOthers, restPairs, pieceRows := dst[6].([]int32), dst[7].([]int32), dst[8].([]int32)
	clear(i[copy(i, b.I):])
	clear(j[copy(j, b.J):])
	clear(labels[copy(labels, b.Labels):])
	clear(weights)
	for k := range count {
		weights[k] = 1
	}
	l.cut(b, pieceRows)
	clear(firstOthers)
	clear(restOthers)
	for _, pairs := range [][]int32{firstPairs, restPairs} {
		for k := range pairs {
			pairs[k] = int32(l.capacity) // an empty slot: the zero after the derivatives
		}
	}
	put := func(row, other int32, pair int) {
		k := l.next[row]
		l.next[row]++
		if k < pairsPerList {
			firstOthers[int(k)*l.n+int(row)], firstPairs[int(k)*l.n+int(row)] = other, int32(pair)
			return
		}
		slot := int(k%pairsPerList)*l.pieces + int(l.piece[row]+k/pairsPerList-1)
		restOthers[slot], restPairs[slot] = other, int32(pair)
	}
	// A pair (i, i) appears twice in row i, which is correct: both of its ends are the same
	// embedding.
	for k := range count {
		put(b.I[k], b.J[k], k)
		put(b.J[k], b.I[k], k)
	}
}

// cut writes the row of each piece into pieceRows: every row gets as many pieces as its entries
// beyond pairsPerList need, and the last row also those that are left. It sets l.piece, and l.next
// to zeros.
func (l *tiledPairs) cut(b step.Batch, pieceRows []int32) {
	clear(l.next)
	for k := range b.I {
		l.next[b.I[k]]++
		l.next[b.J[k]]++
	}
	piece := 0
	for row, entries := range l.next {
		l.piece[row] = int32(piece)
		for entries -= pairsPerList; entries > 0; entries -= pairsPerList {
			pieceRows[piece] = int32(row)
			piece++
		}
	}
	for ; piece < len(pieceRows); piece++ {
		pieceRows[piece] = int32(l.n - 1)
	}
	clear(l.next)
}

// pairNodes are the lists of a batch in graph code.
type pairNodes struct {
	i, j, labels, weights   *Node // [p]
	firstOthers, firstPairs *Node // [pairsPerList, n]
	restOthers, restPairs   *Node // [pairsPerList, pieces]
	pieceRows               *Node // [pieces]
}

func newPairNodes(inputs []*Node) pairNodes {
	return pairNodes{inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5], inputs[6], inputs[7], inputs[8]}
}

// matrix returns the symmetric n×n matrix that has, at the ends (i, j) and (j, i) of each pair, the
// derivative of the pair's loss: derivatives: [p].
func (p pairNodes) matrix(derivatives *Node) rowNodes {
	derivatives = stored(Concatenate([]*Node{derivatives, Zeros(derivatives.Graph(), shapes.Make(derivatives.DType(), 1))}, 0))
	values := func(pairs *Node) *Node { return Gather(derivatives, InsertAxes(pairs, -1)) }
	return rowNodes{
		firstColumns: p.firstOthers, firstValues: values(p.firstPairs),
		restColumns: p.restOthers, restValues: values(p.restPairs), pieceRows: p.pieceRows,
	}
}
