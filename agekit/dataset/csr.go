package dataset

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// maxColumns bounds the number of features: per-column tables of a damaged
// size must not exhaust the memory.
const maxColumns = 1 << 24

// csrArrays are the arrays of a CSR matrix as files hold them, unchecked.
type csrArrays struct {
	shape, indptr, indices []int64
	data                   []float32
}

// matrix checks the arrays and returns the matrix, with each row's columns in
// increasing order, entries at the same place added and zeros left out. The
// error names the row at fault.
func (a csrArrays) matrix() (*graph.CSR, error) {
	if len(a.shape) != 2 {
		return nil, fmt.Errorf("CSR matrix: %d sizes in its shape, want 2", len(a.shape))
	}
	rows, cols := a.shape[0], a.shape[1]
	if rows < 0 || rows != int64(len(a.indptr))-1 {
		return nil, fmt.Errorf("CSR matrix: %d rows, %d row pointers, want one more than rows", rows, len(a.indptr))
	}
	if cols < 0 || cols > maxColumns {
		return nil, fmt.Errorf("CSR matrix: %d columns, want 0 to %d", cols, maxColumns)
	}
	if len(a.data) != len(a.indices) {
		return nil, fmt.Errorf("CSR matrix: %d values for %d columns", len(a.data), len(a.indices))
	}
	m := &graph.CSR{Rows: int(rows), Cols: int(cols), Indptr: convert[int](a.indptr), Indices: make([]int32, len(a.indices)), Values: a.data}
	if m.Indptr[0] != 0 || m.Indptr[rows] != len(a.indices) {
		return nil, fmt.Errorf("CSR matrix: row pointer runs from %d to %d, want 0 to %d", m.Indptr[0], m.Indptr[rows], len(a.indices))
	}
	for i := range m.Rows {
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > len(a.indices) {
			return nil, fmt.Errorf("CSR matrix, row %d: row pointer goes from %d to %d", i, lo, hi)
		}
		for p := lo; p < hi; p++ {
			if j := a.indices[p]; j < 0 || j >= cols {
				return nil, fmt.Errorf("CSR matrix, row %d: column %d, want 0 to %d", i, j, cols-1)
			}
			m.Indices[p] = int32(a.indices[p])
		}
	}
	return tidy(m), nil
}

// tidy sorts each row of m, adds entries at the same place, drops zeros, and
// drops the values if all are 1. Two transpositions sort in linear time.
func tidy(m *graph.CSR) *graph.CSR {
	sorted := true
	for i := range m.Rows {
		columns, _ := m.Row(i)
		sorted = sorted && slices.IsSorted(columns)
	}
	if !sorted {
		m = m.Transpose().Transpose()
	}
	if m.Values == nil {
		m.Values = slices.Repeat([]float32{1}, m.NNZ())
	}
	out, lo, ones := 0, 0, true
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
				ones = ones && v == 1
			}
		}
		lo = hi
		m.Indptr[i+1] = out
	}
	m.Indices, m.Values = m.Indices[:out], m.Values[:out]
	if ones {
		m.Values = nil
	}
	return m
}

// sparse returns the entries of x that are not 0.
func sparse(x *blas32.General) *graph.CSR {
	m := &graph.CSR{Rows: x.Rows, Cols: x.Cols, Indptr: make([]int, 1, x.Rows+1), Values: []float32{}}
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			if v != 0 {
				m.Indices, m.Values = append(m.Indices, int32(j)), append(m.Values, v)
			}
		}
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	return tidy(m)
}

// numberClasses numbers the distinct ids in increasing order and names them.
func numberClasses[T int | int64](ids []T) (labels []int, names []string) {
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
