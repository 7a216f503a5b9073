package graph

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/limit"
)

// FromArrays checks the arrays of a CSR file and builds a matrix from them.
// shape is (rows, columns); indptr has rows+1 entries; indices and values have
// one per stored entry, in any order within a row. The result is canonical
// (see [CSR.Canonical]) and shares the arrays' memory. The error names the row
// at fault, or the memory that sorting the columns needs if there is not enough.
func FromArrays(shape []int64, indptr []int, indices []int32, values []float32) (*CSR, error) {
	if len(shape) != 2 {
		return nil, fmt.Errorf("CSR matrix: shape has %d dimensions, want 2", len(shape))
	}
	rows, cols := shape[0], shape[1]
	if rows < 0 || rows != int64(len(indptr))-1 {
		return nil, fmt.Errorf("CSR matrix: %d rows, %d row pointers, want one more than rows", rows, len(indptr))
	}
	if cols < 0 || cols > limit.Columns {
		return nil, fmt.Errorf("CSR matrix: %d columns, want 0 to %d", cols, limit.Columns)
	}
	if len(values) != len(indices) {
		return nil, fmt.Errorf("CSR matrix: %d values for %d column indices", len(values), len(indices))
	}
	m := &CSR{Rows: int(rows), Cols: int(cols), Indptr: indptr, Indices: indices, Values: values}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("CSR matrix: %w", err)
	}
	if !m.sorted() {
		if err := limit.Memory("CSR matrix: sorting its columns", 2*float64(8*len(indices))+8*float64(rows+2*cols)); err != nil {
			return nil, err
		}
	}
	return m.Canonical(), nil
}

// FromDense returns the nonzero entries of x in canonical form.
func FromDense(x blas32.General) *CSR {
	m := &CSR{Rows: x.Rows, Cols: x.Cols, Indptr: make([]int, 1, x.Rows+1)}
	count := 0
	for i := range x.Rows {
		for _, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			if v != 0 {
				count++
			}
		}
	}
	m.Indices, m.Values = make([]int32, 0, count), make([]float32, 0, count)
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
	if !m.sorted() {
		m = m.Transpose().Transpose() // sorts in linear time
	}
	if m.Values == nil {
		m.Values = slices.Repeat([]float32{1}, m.NNZ())
	}
	m.merge(func(a, b float32) float32 { return a + b })
	return m
}

// sorted reports whether the columns of each row are in order.
func (m *CSR) sorted() bool {
	for i := range m.Rows {
		if columns, _ := m.Row(i); !slices.IsSorted(columns) {
			return false
		}
	}
	return true
}

// merge combines the values of entries at the same position, which must be
// neighbors. It drops zeros, and Values if all are 1.
func (m *CSR) merge(combine func(a, b float32) float32) {
	out, lo := 0, 0
	for i := range m.Rows {
		hi := m.Indptr[i+1]
		for p := lo; p < hi; {
			j, v := m.Indices[p], float32(1)
			if m.Values != nil {
				v = m.Values[p]
			}
			for p++; p < hi && m.Indices[p] == j; p++ {
				if m.Values != nil {
					v = combine(v, m.Values[p])
				}
			}
			if v == 0 {
				continue
			}
			m.Indices[out] = j
			if m.Values != nil {
				m.Values[out] = v
			}
			out++
		}
		lo = hi
		m.Indptr[i+1] = out
	}
	m.Indices = m.Indices[:out]
	if m.Values != nil {
		m.Values = m.Values[:out]
	}
	m.dropUnitValues()
}
