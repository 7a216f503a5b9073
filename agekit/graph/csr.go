package graph

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// CSR is a compressed sparse row matrix, Rows×Cols. Row i has the columns
// Indices[Indptr[i]:Indptr[i+1]], strictly increasing, and their values at the same
// positions of Values. Nil Values mean that every stored entry is 1, as in binary
// adjacency matrices and word vectors.
type CSR struct {
	Rows, Cols int
	Indptr     []int
	Indices    []int32
	Values     []float32
}

// NNZ returns the number of stored entries.
func (m *CSR) NNZ() int { return len(m.Indices) }

// Row returns the columns and values of row i; the values are nil if all entries are 1.
func (m *CSR) Row(i int) (columns []int32, values []float32) {
	lo, hi := m.Indptr[i], m.Indptr[i+1]
	if m.Values != nil {
		values = m.Values[lo:hi]
	}
	return m.Indices[lo:hi], values
}

// Each returns the columns and values of row i, with 1 for the values that are not
// stored. Loops that take most of a program's time use [CSR.Row] instead.
func (m *CSR) Each(i int) iter.Seq2[int, float32] {
	return func(yield func(int, float32) bool) {
		columns, values := m.Row(i)
		value := float32(1)
		for p, j := range columns {
			if values != nil {
				value = values[p]
			}
			if !yield(int(j), value) {
				return
			}
		}
	}
}

// MeanWeight returns the mean of the stored entries, 1 if there are none. It is the weight of the self
// loops that the methods add to an adjacency matrix. The paper's loops weigh 1, which is the mean where all
// edges weigh 1. With other weights, loops of 1 would let the unit of the weights decide how much a node
// counts among its neighbors.
func (m *CSR) MeanWeight() float64 {
	if len(m.Values) == 0 {
		return 1
	}
	sum := 0.
	for _, v := range m.Values {
		sum += float64(v)
	}
	return sum / float64(len(m.Values))
}

// At returns the entry at row i and column j, by binary search in the row.
func (m *CSR) At(i, j int) float32 {
	columns, values := m.Row(i)
	p, ok := slices.BinarySearch(columns, int32(j))
	switch {
	case !ok:
		return 0
	case values == nil:
		return 1
	}
	return values[p]
}

// Transpose returns mᵀ. The result shares no memory with m.
func (m *CSR) Transpose() *CSR {
	t := &CSR{
		Rows: m.Cols, Cols: m.Rows,
		Indptr:  make([]int, m.Cols+1),
		Indices: make([]int32, m.NNZ()),
	}
	if m.Values != nil {
		t.Values = make([]float32, m.NNZ())
	}
	for _, j := range m.Indices {
		t.Indptr[j+1]++
	}
	for j := range m.Cols {
		t.Indptr[j+1] += t.Indptr[j]
	}
	next := slices.Clone(t.Indptr[:m.Cols]) // where the next entry of each row of t goes
	for i := range m.Rows {
		for p := m.Indptr[i]; p < m.Indptr[i+1]; p++ {
			q := next[m.Indices[p]]
			next[m.Indices[p]]++
			t.Indices[q] = int32(i)
			if m.Values != nil {
				t.Values[q] = m.Values[p]
			}
		}
	}
	return t
}

// Dense returns m as a dense row-major matrix of Rows·Cols float32 values.
func (m *CSR) Dense() blas32.General {
	d := blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: make([]float32, m.Rows*m.Cols)}
	for i := range m.Rows {
		for j, v := range m.Each(i) {
			d.Data[i*d.Stride+j] = v
		}
	}
	return d
}

// Validate returns an error for the first defect of m, nil if there is none: an inconsistent length, a
// column out of range or out of order, or a value that is NaN or infinite.
func (m *CSR) Validate() error {
	if err := m.check(); err != nil {
		return err
	}
	for i := range m.Rows {
		columns, values := m.Row(i)
		for p, j := range columns {
			if p > 0 && j <= columns[p-1] {
				return fmt.Errorf("row %d: column %d after %d, want increasing columns", i, j, columns[p-1])
			}
			if values != nil {
				if v := float64(values[p]); math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("row %d, column %d: value %v, want a finite number", i, j, v)
				}
			}
		}
	}
	return nil
}

// check returns an error for an inconsistent length or a column out of range. It does not look at the order
// of the columns and at the values.
func (m *CSR) check() error {
	if m.Rows < 0 || m.Cols < 0 {
		return fmt.Errorf("shape is %d×%d: want sizes of 0 or more", m.Rows, m.Cols)
	}
	if len(m.Indptr) != m.Rows+1 {
		return fmt.Errorf("row pointer has %d entries: want rows+1 = %d", len(m.Indptr), m.Rows+1)
	}
	if m.Indptr[0] != 0 || m.Indptr[m.Rows] != len(m.Indices) {
		return fmt.Errorf("row pointer runs from %d to %d, want 0 to %d", m.Indptr[0], m.Indptr[m.Rows], len(m.Indices))
	}
	if m.Values != nil && len(m.Values) != len(m.Indices) {
		return fmt.Errorf("%d values for %d column indices", len(m.Values), len(m.Indices))
	}
	for i := range m.Rows {
		lo, hi := m.Indptr[i], m.Indptr[i+1]
		if lo > hi || hi > len(m.Indices) {
			return fmt.Errorf("row %d: row pointer goes from %d to %d", i, lo, hi)
		}
		for _, j := range m.Indices[lo:hi] {
			if j < 0 || int(j) >= m.Cols {
				return fmt.Errorf("row %d: column %d, want 0 to %d", i, j, m.Cols-1)
			}
		}
	}
	return nil
}

// Entry is one stored entry of a sparse matrix.
type Entry struct {
	Row, Col int32
	Value    float32
}

// FromEntries returns the rows×cols matrix of the entries, which can be in any order. Entries at the same
// position are added up. It sorts the slice entries in place, and panics if an entry is outside the
// matrix.
func FromEntries(rows, cols int, entries []Entry) *CSR {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})
	m := &CSR{Rows: rows, Cols: cols, Indptr: make([]int, rows+1)}
	for k, e := range entries {
		if e.Row < 0 || int(e.Row) >= rows || e.Col < 0 || int(e.Col) >= cols {
			panic(fmt.Sprintf("graph: entry (%d, %d) outside a %d×%d matrix", e.Row, e.Col, rows, cols))
		}
		if k > 0 && e.Row == entries[k-1].Row && e.Col == entries[k-1].Col {
			m.Values[len(m.Values)-1] += e.Value
			continue
		}
		m.Indices = append(m.Indices, e.Col)
		m.Values = append(m.Values, e.Value)
		m.Indptr[e.Row+1]++
	}
	for i := range rows {
		m.Indptr[i+1] += m.Indptr[i]
	}
	m.dropUnitValues()
	return m
}

// dropUnitValues sets Values to nil if all values are 1.
func (m *CSR) dropUnitValues() {
	for _, v := range m.Values {
		if v != 1 {
			return
		}
	}
	m.Values = nil
}

// FromArrays returns the matrix of the arrays of a CSR file, in canonical form ([CSR.Canonical]). It may
// change the arrays, whose memory the matrix shares. shape is (rows, columns); indptr has
// rows+1 entries; indices and values have one per stored entry, in any order within a
// row. The error names the row at fault, or the memory that sorting needs.
func FromArrays(shape []int64, indptr []int, indices []int32, values []float32) (*CSR, error) {
	if len(shape) != 2 {
		return nil, fmt.Errorf("CSR matrix: shape has %d dimensions, want 2", len(shape))
	}
	rows, cols := shape[0], shape[1]
	if rows < 0 || rows != int64(len(indptr))-1 {
		return nil, fmt.Errorf("CSR matrix: %d rows, %d row pointers, want one more than rows", rows, len(indptr))
	}
	if cols < 0 || cols > system.MostColumns {
		return nil, fmt.Errorf("CSR matrix: %d columns, want 0 to %d", cols, system.MostColumns)
	}
	if len(values) != len(indices) {
		return nil, fmt.Errorf("CSR matrix: %d values for %d column indices", len(values), len(indices))
	}
	m := &CSR{Rows: int(rows), Cols: int(cols), Indptr: indptr, Indices: indices, Values: values}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("CSR matrix: %w", err)
	}
	if !m.sorted() {
		// Sorting transposes twice: two copies of the entries, of 8 bytes each, and of the row pointers.
		if err := system.CheckMemory("CSR matrix: sorting its columns", 2*float64(8*len(indices))+8*float64(rows+2*cols)); err != nil {
			return nil, err
		}
	}
	return m.Canonical(), nil
}

// FromDense returns the nonzero entries of x in canonical form.
func FromDense(x blas32.General) *CSR {
	from := Features{Dense: &x}
	count := 0 // of nonzero entries
	for i := range x.Rows {
		count += from.nonZeros(i)
	}
	m := &CSR{Rows: x.Rows, Cols: x.Cols, Indptr: make([]int, 1, x.Rows+1), Indices: make([]int32, 0, count), Values: make([]float32, 0, count)}
	for i := range x.Rows {
		from.EachInRow(i, func(j int, v float32) {
			m.Indices, m.Values = append(m.Indices, int32(j)), append(m.Values, v)
		})
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	m.dropUnitValues()
	return m
}

// Canonical returns m in canonical form: the columns of each row increase, entries at
// the same position are summed, zeros are dropped, and Values is nil if all are 1. It
// modifies m, whose columns must be in range, and the result may share its memory.
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

// merge combines entries of a row in the same column into one, by combine. The columns must be sorted. It
// drops entries of 0, and Values if all are 1. It changes m in place.
func (m *CSR) merge(combine func(a, b float32) float32) {
	out := 0 // number of entries so far in the result
	lo := 0  // first entry of row i before the change
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
