package gomlx

import (
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
	"github.com/gomlx/gomlx/core/tensors"
)

// This file multiplies sparse matrices by matrices in tiles of tileWidth columns,
// [T, rows, tileWidth], which XLA computes on a processor as fast as it can read.

// tileWidth is the number of columns of a tile.
const tileWidth = 64

// rowLists is a sparse matrix whose rows' entries are in lists of fixed lengths, so that a
// product is a loop without branches: the sum over each row's first entries, to which a
// scatter adds the sums over pieces of the entries that are left.
type rowLists struct {
	rows        int
	first, rest lists   // lists of rows, and of pieces
	pieceRows   []int32 // the row of each piece, in ascending order
}

// lists holds lists of entries of a sparse matrix, all of the same length; entry k of list i is at
// position k·count + i. Lists are padded with zeros in column 0.
type lists struct {
	length, count int       // of a list, and of lists
	columns       []int32   // [length, count]
	values        []float32 // [length, count]
}

func newLists(length, count int) lists {
	return lists{length: length, count: count, columns: make([]int32, length*count), values: make([]float32, length*count)}
}

// set makes the value in that column entry k of list i.
func (l lists) set(k, i int, column int32, value float32) {
	l.columns[k*l.count+i], l.values[k*l.count+i] = column, value
}

// tensors returns the columns and the values.
func (l lists) tensors() []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(l.columns, l.length, l.count),
		tensors.FromFlatDataAndDimensions(l.values, l.length, l.count),
	}
}

// newRowLists returns the lists of m, with the lengths that cost least.
func newRowLists(m *graph.CSR) *rowLists {
	length, piece, _ := lengths(m)
	return makeRowLists(m, length, piece)
}

// makeRowLists returns the lists of m: of each row's first entries, up to length, and pieces of the
// entries that are left, up to piece in each.
func makeRowLists(m *graph.CSR, length, piece int) *rowLists {
	// XLA merges a scatter of one piece with the operations around it, which would compute
	// the product again for each of their elements.
	count := max(2, pieces(m, length, piece))
	l := &rowLists{rows: m.Rows, first: newLists(length, m.Rows), rest: newLists(piece, count), pieceRows: make([]int32, count)}
	next := 0 // piece
	for i := range m.Rows {
		columns, values := m.Row(i)
		for k, j := range columns {
			value := float32(1)
			if values != nil {
				value = values[k]
			}
			if k < length {
				l.first.set(k, i, j, value)
				continue
			}
			position := (k - length) % piece
			l.rest.set(position, next, j, value)
			l.pieceRows[next] = int32(i)
			if position == piece-1 || k == len(columns)-1 {
				next++
			}
		}
	}
	for ; next < count; next++ { // empty pieces
		l.pieceRows[next] = int32(m.Rows - 1)
	}
	return l
}

// pieces returns the number of pieces of up to piece entries that hold the entries of m beyond the
// first length of each row.
func pieces(m *graph.CSR, length, piece int) (count int) {
	for i := range m.Rows {
		left := max(0, m.Indptr[i+1]-m.Indptr[i]-length)
		count += (left + piece - 1) / piece
	}
	return count
}

const (
	// maxLength is the greatest length of lists: compiling takes as long as all lengths.
	maxLength = 24
	// A list costs as much as listCost entries ([cost.TileEntry]) besides its own, and a piece's
	// scatter as much as scatterCost.
	listCost, scatterCost = 2, 6
)

// lengths returns the length of the rows' first lists and that of the pieces with which m costs
// least, and that least cost, in entries. Lengths of pieces are multiples of four, to try fewer.
func lengths(m *graph.CSR) (length, piece, least int) {
	least = math.MaxInt
	for l := 1; l <= maxLength; l++ {
		for p := 4; p <= maxLength; p += 4 {
			cost := m.Rows*(l+listCost) + pieces(m, l, p)*(p+listCost+scatterCost)
			if cost < least {
				least, length, piece = cost, l, p
			}
		}
	}
	return length, piece, least
}

// entries returns the number of entries of the lists, with padding.
func (l *rowLists) entries() int { return len(l.first.columns) + len(l.rest.columns) }

// bytes returns the size of the lists: a column and a value for each entry, and the pieces' rows.
func (l *rowLists) bytes() int64 { return int64(8*l.entries() + 4*len(l.pieceRows)) }

// tensors returns the lists in the order of [takeRows].
func (l *rowLists) tensors() []*tensors.Tensor {
	all := append(l.first.tensors(), l.rest.tensors()...)
	return append(all, tensors.FromFlatDataAndDimensions(l.pieceRows, len(l.pieceRows)))
}

// rowNodes are the lists of a sparse matrix in graph code.
type rowNodes struct {
	firstColumns, firstValues *Node // [length, rows]
	restColumns, restValues   *Node // [piece, pieces]
	pieceRows                 *Node // [pieces]
}

// operands is the number of nodes in a rowNodes.
const operands = 5

// takeRows returns the matrix whose lists are the first operands of the inputs, for use in the body
// of a loop, and the other inputs.
func takeRows(inputs []*Node) (rowNodes, []*Node) {
	return rowNodes{inside(inputs[0]), inside(inputs[1]), inside(inputs[2]), inside(inputs[3]), inside(inputs[4])}, inputs[operands:]
}

// inside returns x for use in the body of a loop, where a node from outside cannot be an
// operand of most operations. XLA removes a slice of all of x.
func inside(x *Node) *Node {
	starts := make([]*Node, x.Rank())
	for axis := range starts {
		starts[axis] = Reshape(Iota(x.Graph(), shapes.Make(dtypes.Int32, 1), 0)) // 0, made in this function
	}
	return DynamicSlice(x, starts, x.Shape().Dimensions)
}

// times returns the product of m and a matrix y in tiles.
//
//	y: [T, cols, tileWidth] → [T, rows, tileWidth]
func (m rowNodes) times(y *Node) *Node {
	tiles, rows := y.Shape().Dim(0), m.firstColumns.Shape().Dim(1)
	first := sumLists(y, m.firstColumns, m.firstValues)
	rest := sumLists(y, m.restColumns, m.restValues)
	places := tilePlaces(InsertAxes(m.pieceRows, 0), tiles, rows)
	sums := ScatterSum(Reshape(first, tiles*rows, tileWidth), Reshape(places, -1, 1), Reshape(rest, -1, tileWidth), true, false)
	return Reshape(sums, tiles, rows, tileWidth)
}

// sumLists returns a row for each list: the sum of the rows of y that the list's columns name,
// times the list's values.
//
//	y: [T, rows, tileWidth], columns, values: [length, count] → [T, count, tileWidth]
func sumLists(y, columns, values *Node) *Node {
	tiles, height := y.Shape().Dim(0), y.Shape().Dim(1)
	length, count := columns.Shape().Dim(0), columns.Shape().Dim(1)
	flat := Reshape(y, tiles*height, tileWidth)
	places := tilePlaces(columns, tiles, height)
	var sum *Node
	for k := range length {
		entry := func(x *Node) *Node { return Slice(x, AxisElem(k)) }
		rows := Gather(flat, Reshape(entry(places), tiles, count, 1))
		term := Mul(rows, Reshape(entry(values), 1, count, 1))
		if sum == nil {
			sum = term
		} else {
			sum = Add(sum, term)
		}
	}
	return sum
}

// tilePlaces returns where each of the rows is in each tile, if the tiles, of that height, are one
// below the other: row i of tile k is at k·height + i.
//
//	rows: [length, count] → [length, T, count]
func tilePlaces(rows *Node, tiles, height int) *Node {
	length, count := rows.Shape().Dim(0), rows.Shape().Dim(1)
	starts := MulScalar(Iota(rows.Graph(), shapes.Make(dtypes.Int32, length, tiles, count), 1), height)
	return Add(starts, BroadcastToDims(InsertAxes(rows, 1), length, tiles, count))
}

// stored returns x, and makes XLA:CPU compute x once, as a matrix in memory. XLA would merge an
// operation with those that use its result, even if they read it many times, and compute it for
// each of them. A scatter, here of two zeros, prevents that. An optimization barrier would not: XLA
// removes it.
func stored(x *Node) *Node {
	g, width := x.Graph(), x.Shape().Dim(-1)
	if x.Rank() == 1 {
		width = 1
	}
	first := Iota(g, shapes.Make(dtypes.Int32, 1, 2, 1), 0) // 0 and 0
	flat := ScatterSum(Reshape(x, -1, width), Reshape(first, 2, 1), Zeros(g, shapes.Make(x.DType(), 2, width)), true, false)
	return Reshape(flat, x.Shape().Dimensions...)
}
