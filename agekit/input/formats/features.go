package formats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/system"
)

// builder collects a feature matrix row by row. It keeps only nonzero values until a quarter of
// the matrix is nonzero, and checks the memory before it takes more.
type builder struct {
	rows, columns int // rows may be an upper bound

	row, column int       // of the next value
	filled      int       // number of nonzero values
	sparse      graph.CSR // the rows so far; empty once dense is set
	dense       []float32 // row-major
}

func newBuilder(rows, columns int) (*builder, error) {
	if err := checkShape(rows, columns); err != nil {
		return nil, err
	}
	b := &builder{rows: rows, columns: columns, sparse: graph.CSR{Cols: columns, Indptr: []int{0}}}
	return b, b.memory(8 * float64(rows))
}

// checkShape returns an error for a feature matrix of too many rows or columns.
func checkShape(rows, columns int) error {
	if rows > math.MaxInt32 || columns > system.MostColumns {
		return fmt.Errorf("%d×%d features: want at most %d rows and %d columns", rows, columns, math.MaxInt32, system.MostColumns)
	}
	return nil
}

func (b *builder) memory(bytes float64) error {
	return system.CheckMemory(fmt.Sprintf("%d×%d features", b.rows, b.columns), bytes)
}

// add appends values.
func (b *builder) add(values []float32) error {
	for _, v := range values {
		if v != 0 {
			if err := b.put(v); err != nil {
				return err
			}
		}
		if b.column++; b.column == b.columns {
			b.row, b.column = b.row+1, 0
			if b.dense == nil {
				b.sparse.Indptr = append(b.sparse.Indptr, len(b.sparse.Indices))
			}
		}
	}
	return nil
}

// put stores a nonzero value at the current position.
func (b *builder) put(v float32) error {
	if err := checkFeature(b.row, b.column, v); err != nil {
		return err
	}
	b.filled++
	if b.dense == nil && !graph.StoreSparse(b.filled, b.rows, b.columns) {
		if err := b.toDense(); err != nil {
			return err
		}
	}
	if b.dense != nil {
		b.dense[b.row*b.columns+b.column] = v
		return nil
	}
	if n := len(b.sparse.Indices); n == cap(b.sparse.Indices) {
		more := min(max(n, 1<<12), b.rows*b.columns/4+1-n)
		if err := b.memory(8 * float64(n+more)); err != nil {
			return err
		}
		b.sparse.Indices, b.sparse.Values = slices.Grow(b.sparse.Indices, more), slices.Grow(b.sparse.Values, more)
	}
	b.sparse.Indices, b.sparse.Values = append(b.sparse.Indices, int32(b.column)), append(b.sparse.Values, v)
	return nil
}

// toDense moves the values so far to a dense matrix.
func (b *builder) toDense() error {
	if err := b.memory(4 * float64(b.rows) * float64(b.columns)); err != nil {
		return err
	}
	b.dense = make([]float32, b.rows*b.columns)
	starts := append(b.sparse.Indptr, len(b.sparse.Indices)) // with the end of the current row
	for row := range b.row + 1 {
		for p := starts[row]; p < starts[row+1]; p++ {
			b.dense[row*b.columns+int(b.sparse.Indices[p])] = b.sparse.Values[p]
		}
	}
	b.sparse = graph.CSR{}
	return nil
}

// features returns the matrix.
func (b *builder) features() (x graph.Features, err error) {
	if b.rows = b.row; b.row > 0 && b.filled == 0 {
		return x, errZeros
	}
	if b.dense == nil && b.row > 0 && graph.StoreSparse(b.filled, b.rows, b.columns) {
		b.sparse.Rows = b.rows
		return graph.Features{Sparse: b.sparse.Canonical()}, nil
	}
	if b.dense == nil { // there are fewer rows than expected
		if err := b.toDense(); err != nil {
			return x, err
		}
	}
	return graph.Features{Dense: &blas32.General{Rows: b.rows, Cols: b.columns, Stride: b.columns, Data: b.dense[:b.rows*b.columns]}}, nil
}

var errZeros = errors.New("all features are 0: want another number in at least one place")

// checkFeature returns an error for a value that is NaN or infinite.
func checkFeature(i, j int, v float32) error {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return fmt.Errorf("row %d, column %d (from 0): value %v, want a finite number", i, j, v)
	}
	return nil
}

// arrayFeatures reads a feature matrix from an array.
func arrayFeatures(ctx context.Context, a *npy.Array) (x graph.Features, err error) {
	rows, columns, err := a.Matrix()
	if err != nil {
		return x, err
	}
	if a.Fortran { // whole, since its rows end last
		values, err := npy.Values[float32](a)
		if err != nil {
			return x, err
		}
		return denseFeatures(ctx, blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: values})
	}
	b, err := newBuilder(rows, columns)
	if err != nil {
		return x, err
	}
	if err := npy.Blocks(a, func(values []float32) error { return cmp.Or(ctx.Err(), b.add(values)) }); err != nil {
		return x, err
	}
	b.row = rows // also of no columns
	return b.features()
}

// denseFeatures checks a feature matrix, and makes a sparse one of it if it can.
func denseFeatures(ctx context.Context, m blas32.General) (x graph.Features, err error) {
	if err := checkShape(m.Rows, m.Cols); err != nil {
		return x, err
	}
	filled := 0
	for i := range m.Rows {
		if i&0xfff == 0 && ctx.Err() != nil {
			return x, ctx.Err()
		}
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if err := checkFeature(i, j, v); err != nil {
				return x, err
			}
			if v != 0 {
				filled++
			}
		}
	}
	if filled == 0 && m.Rows > 0 {
		return x, errZeros
	}
	if m.Rows == 0 || !graph.StoreSparse(filled, m.Rows, m.Cols) {
		return graph.Features{Dense: &m}, nil
	}
	if err := system.CheckMemory(fmt.Sprintf("%d×%d features", m.Rows, m.Cols), 8*float64(filled+m.Rows)); err != nil {
		return x, err
	}
	return graph.Features{Sparse: graph.FromDense(m)}, nil
}

// checkSparse checks features that were read as CSR: name is the array of their values,
// and err the error of reading them.
func checkSparse(name string, m *graph.CSR, err error) error {
	if err != nil {
		return err
	}
	if m.NNZ() == 0 && m.Rows > 0 {
		return fmt.Errorf("array %s: %w", name, errZeros)
	}
	for i := range m.Rows {
		columns, values := m.Row(i)
		for p, v := range values {
			if err := checkFeature(i, int(columns[p]), v); err != nil {
				return fmt.Errorf("array %s: %w", name, err)
			}
		}
	}
	return nil
}
