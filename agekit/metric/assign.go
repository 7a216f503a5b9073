package metric

import (
	"math"
	"slices"
)

// assign solves the assignment problem for the matrix counts. For every row it returns the column assigned
// to the row, or −1. No column is assigned twice, as many rows as possible have one, and the sum of the
// entries at the assigned columns is maximal. It takes O(r²c) time for r rows and c ≥ r columns.
func assign(counts [][]int) []int {
	rows := len(counts)
	if rows == 0 {
		return nil
	}
	columns := len(counts[0])
	if rows <= columns {
		return assignRows(rows, columns, func(r, c int) int { return -counts[r][c] })
	}
	// With more rows than columns, assign a row to every column.
	result := slices.Repeat([]int{-1}, rows)
	for c, r := range assignRows(columns, rows, func(c, r int) int { return -counts[r][c] }) {
		result[r] = c
	}
	return result
}

// assignRows returns a different column for every row, at the lowest total cost, for rows ≤ columns. It
// adds rows one by one, each along a shortest augmenting path that may
// change the columns of earlier rows (Jonker and Volgenant 1987; Crouse, IEEE Trans.
// Aerosp. Electron. Syst. 2016). Of several optimal assignments it finds that of
// SciPy's linear_sum_assignment, because macro F1 can differ between them: it scans
// columns from the last to the first, and takes a free one first of two equally near.
func assignRows(rows, columns int, cost func(r, c int) int) []int {
	columnOf, rowOf := slices.Repeat([]int{-1}, rows), slices.Repeat([]int{-1}, columns) // −1: none yet
	// The reduced cost of a pair is its cost less the prices of its row and column. It is never negative,
	// and 0 for an assigned pair.
	rowPrice, columnPrice := make([]int, rows), make([]int, columns)
	for start := range rows {
		// Of the shortest path from the row start to each column: its length in reduced costs, and the row
		// before the column.
		distance, previous := slices.Repeat([]int{math.MaxInt}, columns), slices.Repeat([]int{-1}, columns)
		open := make([]int, columns) // columns that the search has not reached
		for p := range open {
			open[p] = columns - 1 - p
		}
		var reached []int                // columns on the way, which have a row
		row, length, end := start, 0, -1 // end is the free column at which the path ends
		for end < 0 {
			nearest, place := math.MaxInt, -1
			for p, c := range open {
				if d := length + cost(row, c) - rowPrice[row] - columnPrice[c]; d < distance[c] {
					distance[c], previous[c] = d, row
				}
				if distance[c] < nearest || (distance[c] == nearest && rowOf[c] < 0) {
					nearest, place = distance[c], p
				}
			}
			c := open[place]
			open[place] = open[len(open)-1]
			open = open[:len(open)-1]
			length = nearest
			if rowOf[c] < 0 {
				end = c
			} else {
				reached, row = append(reached, c), rowOf[c]
			}
		}
		// The new prices keep every reduced cost ≥ 0 and make those on the path 0.
		rowPrice[start] += length
		for _, c := range reached {
			rowPrice[rowOf[c]] += length - distance[c]
			columnPrice[c] -= length - distance[c]
		}
		// Along the path, from its end, give each column to the row before it.
		for c := end; c >= 0; {
			r := previous[c]
			rowOf[c] = r
			columnOf[r], c = c, columnOf[r] // −1 for the row that had none
		}
	}
	return columnOf
}
