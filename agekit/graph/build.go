package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agekit/age/internal/limit"
	"gonum.org/v1/gonum/blas/blas32"
)

// MaxColumns is the largest number of features that a file may declare. It
// keeps tables with one entry per column from exhausting memory when a damaged
// file contains a huge column number.
const MaxColumns = limit.Columns

// FromArrays checks the arrays of a CSR file and builds a matrix from them.
// shape is (rows, columns); indptr has rows+1 entries; indices and values have
// one per stored entry, in any order within a row. The result is canonical
// (see [CSR.Canonical]). The error names the row at fault.
func FromArrays(shape, indptr, indices []int64, values []float32) (*CSR, error) {
	if len(shape) != 2 {
		return nil, fmt.Errorf("CSR matrix: shape has %d dimensions, want 2", len(shape))
	}
	rows, cols := shape[0], shape[1]
	if rows < 0 || rows != int64(len(indptr))-1 {
		return nil, fmt.Errorf("CSR matrix: %d rows, %d row pointers, want one more than rows", rows, len(indptr))
	}
	if cols < 0 || cols > MaxColumns {
		return nil, fmt.Errorf("CSR matrix: %d columns, want 0 to %d", cols, MaxColumns)
	}
	if len(values) != len(indices) {
		return nil, fmt.Errorf("CSR matrix: %d values for %d column indices", len(values), len(indices))
	}
	m := &CSR{Rows: int(rows), Cols: int(cols), Indptr: make([]int, len(indptr)), Indices: make([]int32, len(indices)), Values: values}
	for i, p := range indptr {
		m.Indptr[i] = int(p)
	}
	if m.Indptr[0] != 0 || m.Indptr[rows] != len(indices) {
		return nil, fmt.Errorf("CSR matrix: row pointer runs from %d to %d, want 0 to %d", m.Indptr[0], m.Indptr[rows], len(indices))
	}
	for i := range m.Rows {
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > len(indices) {
			return nil, fmt.Errorf("CSR matrix, row %d: row pointer goes from %d to %d", i, lo, hi)
		}
		for p := lo; p < hi; p++ {
			j := indices[p]
			if j < 0 || j >= cols {
				return nil, fmt.Errorf("CSR matrix, row %d: column %d, want 0 to %d", i, j, cols-1)
			}
			m.Indices[p] = int32(j)
		}
	}
	return m.Canonical(), nil
}

// FromDense returns the nonzero entries of x in canonical form.
func FromDense(x blas32.General) *CSR {
	m := &CSR{Rows: x.Rows, Cols: x.Cols, Indptr: make([]int, 1, x.Rows+1), Values: []float32{}}
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			if v != 0 {
				m.Indices, m.Values = append(m.Indices, int32(j)), append(m.Values, v)
			}
		}
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	m.dropUnitValues()
	return m
}

// Canonical returns m in canonical form: the columns of each row increase,
// entries at the same position are summed, zeros are dropped, and Values is
// nil if all values are 1. It modifies m, whose columns must be in range, and
// the result may share m's memory.
func (m *CSR) Canonical() *CSR {
	sorted := true
	for i := range m.Rows {
		columns, _ := m.Row(i)
		sorted = sorted && slices.IsSorted(columns)
	}
	if !sorted {
		m = m.Transpose().Transpose() // sorts in linear time
	}
	if m.Values == nil {
		m.Values = slices.Repeat([]float32{1}, m.NNZ())
	}
	out, lo := 0, 0
	for i := range m.Rows {
		hi := m.Indptr[i+1]
		for p := lo; p < hi; {
			j, v := m.Indices[p], m.Values[p]
			for p++; p < hi && m.Indices[p] == j; p++ {
				v += m.Values[p]
			}
			if v != 0 {
				m.Indices[out], m.Values[out] = j, v
				out++
			}
		}
		lo = hi
		m.Indptr[i+1] = out
	}
	m.Indices, m.Values = m.Indices[:out], m.Values[:out]
	m.dropUnitValues()
	return m
}

// NumberClasses numbers the distinct ids in increasing order. labels holds the
// number of each id, and names the text of each distinct id.
func NumberClasses[T cmp.Ordered](ids []T) (labels []int, names []string) {
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	labels = make([]int, len(ids))
	for i, id := range ids {
		labels[i], _ = slices.BinarySearch(distinct, id)
	}
	for _, id := range distinct {
		names = append(names, fmt.Sprint(id))
	}
	return labels, names
}
