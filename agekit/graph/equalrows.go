package graph

import (
	"cmp"
	"slices"

	"github.com/agekit/age/internal/rng"
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
			hash = rng.Mix(hash ^ numberBits(v))
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

// setKeys sets the keys and ranks of e, and of others with the same columns.
func (e *equalRows) setKeys(others ...*equalRows) {
	numbers := func(r *equalRows) eachNumber {
		return func(g int, visit func(column int, v float32)) {
			for c, v := range r.row(g) {
				visit(c, v)
			}
		}
	}
	var columns []uint64
	e.keys, columns = rowKeys(len(e.members), e.rows.Cols, numbers(e), func(g int) int { return len(e.members[g]) })
	e.setRanks()
	for _, r := range others {
		r.keys = make([]uint64, len(r.members))
		for g := range r.keys {
			r.keys[g] = rowKey(g, numbers(r), columns)
		}
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

// equalNumbers reports whether two rows have the same numbers.
func equalNumbers(a, b []float32) bool {
	for c, v := range a {
		if numberBits(v) != numberBits(b[c]) {
			return false
		}
	}
	return true
}
