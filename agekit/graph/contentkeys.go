package graph

import (
	"math"

	"github.com/agekit/age/internal/rng"
)

// ContentKeys returns a number for each node of a graph with the adjacency matrix a and the features x, which
// may be empty. It follows from the features, the edges and their weights, but from no order of nodes,
// columns or edges, and from no id. Nodes with equal keys look alike, with the nodes around them up to three
// steps away.
func ContentKeys(a *CSR, x Features) []uint64 {
	keys := make([]uint64, a.Rows)
	if rows, columns := x.Dims(); rows == a.Rows {
		keys, _ = rowKeys(rows, columns, x.EachInRow, func(int) int { return 1 })
	}
	for range 3 {
		next := make([]uint64, len(keys))
		for i, key := range keys {
			next[i] = rng.Mix(key)
			for j, weight := range a.Each(i) {
				next[i] += rng.Mix(rng.Mix(keys[j]) ^ numberBits(weight))
			}
		}
		keys = next
	}
	return keys
}

// eachNumber calls visit with the numbers of a row, and their columns.
type eachNumber func(row int, visit func(column int, v float32))

// rowKeys returns a key for each row of a matrix, and each column, which follows from what the matrix holds, but
// neither from the order of its rows nor from that of its columns. count has how often each row counts.
//
// A column's key is a sum over its numbers, and a row's key is one over its numbers, each with its column's key:
// sums don't depend on an order. In a second round, a column's numbers count with their rows' keys, which
// tells columns apart that hold the same numbers in other rows (the refinement of Weisfeiler and Leman,
// 1968). Rows with equal keys differ at most in which columns hold their numbers.
func rowKeys(rows, columns int, numbers eachNumber, count func(row int) int) (ofRows, ofColumns []uint64) {
	ofRows = make([]uint64, rows)
	for range 2 {
		ofColumns = make([]uint64, columns)
		for i, key := range ofRows {
			times := uint64(count(i))
			numbers(i, func(c int, v float32) { ofColumns[c] += times * rng.Mix(rng.Mix(numberBits(v))^key) })
		}
		for i := range ofRows {
			ofRows[i] = rowKey(i, numbers, ofColumns)
		}
	}
	return ofRows, ofColumns
}

// rowKey returns the key of a row by the keys of the columns.
func rowKey(row int, numbers eachNumber, ofColumns []uint64) (key uint64) {
	numbers(row, func(c int, v float32) { key += rng.Mix(numberBits(v) ^ ofColumns[c]) })
	return key
}

// numberBits returns the bits of v, those of 0 for −0.
func numberBits(v float32) uint64 {
	if v == 0 {
		return 0
	}
	return uint64(math.Float32bits(v))
}
