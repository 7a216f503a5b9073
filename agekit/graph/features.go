package graph

// StoreSparse reports whether a rows×columns feature matrix should be stored as a sparse one: if less than a
// quarter of its entries, the filled ones, are not 0.
func StoreSparse(filled, rows, columns int) bool { return 4*filled < rows*columns }

// SideBySide returns the matrix with the columns of first, followed by those of second. Both have the same
// number of rows.
func SideBySide(first, second Features) Features {
	n, f := first.Dims()
	_, more := second.Dims()
	return GatherFeatures(n, f+more, func(i int, put func(int, float32)) {
		first.EachInRow(i, put)
		second.EachInRow(i, func(j int, v float32) { put(f+j, v) })
	})
}

// Stacked returns the matrix with the rows of above, followed by those of below. Both have the same number of
// columns.
func Stacked(above, below Features) Features {
	n, f := above.Dims()
	more, _ := below.Dims()
	return GatherFeatures(n+more, f, func(i int, put func(int, float32)) {
		if i < n {
			above.EachInRow(i, put)
		} else {
			below.EachInRow(i-n, put)
		}
	})
}

// GatherFeatures returns the rows×columns matrix of the values that fill gives. For each row, fill must call
// put with the row's values, in increasing order of their columns; other entries are 0. Whether the
// matrix is sparse or dense is decided by [StoreSparse].
func GatherFeatures(rows, columns int, fill func(row int, put func(column int, value float32))) Features {
	m := &CSR{Rows: rows, Cols: columns, Indptr: make([]int, 1, rows+1)}
	put := func(column int, value float32) {
		m.Indices, m.Values = append(m.Indices, int32(column)), append(m.Values, value)
	}
	for row := range rows {
		fill(row, put)
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	if StoreSparse(m.NNZ(), rows, columns) {
		return Features{Sparse: m.Canonical()}
	}
	dense := m.Dense()
	return Features{Dense: &dense}
}
