package graph

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// equalRows are the different rows of a matrix, each with the numbers of the rows that equal it.
type equalRows struct {
	rows    blas32.General // the different rows
	members [][]int32      // of each, the rows that equal it, in their order
	// keys has for each a number that follows from what the matrix holds, but neither from the order of its
	// rows nor from that of its columns.
	keys []uint64
	// ranks has the place of each in the order of the keys.
	ranks []int
}

// newEqualRows groups the rows of x that are equal.
func newEqualRows(x blas32.General) *equalRows {
	e := &equalRows{rows: blas32.General{Cols: x.Cols, Stride: x.Cols}}
	byHash := map[uint64][]int32{} // the groups whose rows have that hash
	for i := range x.Rows {
		row := x.Data[i*x.Stride:][:x.Cols]
		var hash uint64
		for _, v := range row {
			hash = mix(hash ^ numberBits(v))
		}
		e.add(int32(i), row, hash, byHash)
	}
	return e
}

// add adds row i of the matrix, with that hash, to its group, or to a new one.
func (e *equalRows) add(i int32, row []float32, hash uint64, byHash map[uint64][]int32) {
	for _, g := range byHash[hash] {
		if equalNumbers(e.row(int(g)), row) {
			e.members[g] = append(e.members[g], i)
			return
		}
	}
	byHash[hash] = append(byHash[hash], int32(len(e.members)))
	e.members = append(e.members, []int32{i})
	e.rows.Data = append(e.rows.Data, row...)
	e.rows.Rows++
}

// row returns the row of group g.
func (e *equalRows) row(g int) []float32 { return e.rows.Data[g*e.rows.Stride:][:e.rows.Cols] }

// setKeys sets the keys of e, and of others with the same columns. A column's key is a sum over its numbers,
// and a row's key is one over its numbers, each with its column's key: sums don't depend on an order. In a
// second round, a column's numbers count with their rows' keys, which tells columns apart that hold the same
// numbers in other rows (the refinement of Weisfeiler and Leman, 1968). Rows with equal keys differ at most in
// which columns hold their numbers.
func (e *equalRows) setKeys(others ...*equalRows) {
	columns := make([]uint64, e.rows.Cols)
	for range 2 {
		next := make([]uint64, len(columns))
		for g, members := range e.members {
			var key uint64
			if e.keys != nil {
				key = e.keys[g]
			}
			for c, v := range e.row(g) {
				next[c] += uint64(len(members)) * mix(mix(numberBits(v))^key)
			}
		}
		columns = next
		for _, r := range append(others, e) {
			r.keys = make([]uint64, len(r.members))
			for g := range r.keys {
				for c, v := range r.row(g) {
					r.keys[g] += mix(numberBits(v) ^ columns[c])
				}
			}
		}
	}
	for _, r := range append(others, e) {
		r.setRanks()
	}
}

// setRanks sets the ranks.
func (e *equalRows) setRanks() {
	sorted := make([]int, len(e.keys))
	for g := range sorted {
		sorted[g] = g
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(e.keys[a], e.keys[b]) })
	e.ranks = make([]int, len(sorted))
	for rank, g := range sorted {
		e.ranks[g] = rank
	}
}

// numberBits returns the bits of v, those of 0 for −0.
func numberBits(v float32) uint64 {
	if v == 0 {
		return 0
	}
	return uint64(math.Float32bits(v))
}

// equalNumbers reports whether two rows have the same numbers.
func equalNumbers(a, b []float32) bool {
	for c, v := range a {
		if numberBits(v) != numberBits(b[c]) {
			return false
		}
	}
	return true
}

// mix is a hash that spreads every bit of x over all 64 (SplitMix64's output function;
// Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
