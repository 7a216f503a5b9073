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

// builder collects a feature matrix row by row. It keeps only nonzero values until a quarter of the
// matrix is nonzero, and checks the memory before it takes more.
type builder struct {
	rows, columns int // rows may be an upper bound until all have come

	row, column int       // the place of the next value
	filled      int       // how many values are not 0
	sparse      graph.CSR // the values so far; empty once dense is set
	dense       []float32 // the matrix, row by row; nil while it is sparse
}

// newBuilder returns a builder of a matrix with a number of columns and, at most, a number of rows. It
// returns an error if these are too many, or there is no memory for the rows.
func newBuilder(rows, columns int) (*builder, error) {
	if err := checkShape(rows, columns); err != nil {
		return nil, err
	}
	b := &builder{rows: rows, columns: columns, sparse: graph.CSR{Cols: columns, Indptr: []int{0}}}
	const perRow = 8 // bytes of sparse.Indptr
	return b, b.memory(perRow * float64(rows))
}

// checkShape returns an error for a feature matrix of too many rows or columns.
func checkShape(rows, columns int) error {
	if rows > math.MaxInt32 || columns > system.MostColumns {
		return fmt.Errorf("%d×%d features: want at most %d rows and %d columns", rows, columns, math.MaxInt32, system.MostColumns)
	}
	return nil
}

// memory returns an error if so many bytes are not free.
func (b *builder) memory(bytes float64) error {
	return system.CheckMemory(fmt.Sprintf("%d×%d features", b.rows, b.columns), bytes)
}

// add appends values, which are the next ones row by row, and may be a part of a row or several rows.
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

// put stores a nonzero value at the place of the next one, and makes the matrix dense if it has too many.
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
		// Twice the room, but no more than a quarter of the matrix, with which it becomes dense.
		more := min(max(n, 1<<12), b.rows*b.columns/4+1-n)
		const perValue = 8 // bytes, with its column
		if err := b.memory(perValue * float64(n+more)); err != nil {
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

// features returns the matrix of all values. Call it after the last one: only then is the number of
// rows known, and whether the matrix is better sparse or dense.
func (b *builder) features() (x graph.Features, err error) {
	b.rows = b.row
	if b.row > 0 && b.filled == 0 {
		return x, errZeros
	}
	if b.dense == nil && b.row > 0 && graph.StoreSparse(b.filled, b.rows, b.columns) {
		b.sparse.Rows = b.rows
		return graph.Features{Sparse: b.sparse.Canonical()}, nil
	}
	if b.dense == nil { // there are fewer rows than expected, and so relatively more values
		if err := b.toDense(); err != nil {
			return x, err
		}
	}
	return graph.Features{Dense: &blas32.General{Rows: b.rows, Cols: b.columns, Stride: b.columns, Data: b.dense[:b.rows*b.columns]}}, nil
}

// errZeros is the error about features that say nothing.
var errZeros = errors.New("all features are 0: want another number in at least one place")

// checkFeature returns an error if v, the value in row i and column j, is NaN or infinite.
func checkFeature(i, j int, v float32) error {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return fmt.Errorf("row %d, column %d (from 0): value %v, want a finite number", i, j, v)
	}
	return nil
}

// arrayFeatures reads a feature matrix from a 2-dimensional array, in blocks if its rows lie one after
// the other.
func arrayFeatures(ctx context.Context, a *npy.Array) (x graph.Features, err error) {
	rows, columns, err := a.Matrix()
	if err != nil {
		return x, err
	}
	if a.Fortran { // stored by columns: no row is complete before the end, so it is read as a whole
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
	b.row = rows // also if the rows have no columns, and so add was called with nothing
	return b.features()
}

// denseFeatures checks a feature matrix, and returns it as features: sparse if few values are not 0,
// else the matrix itself, without a copy.
func denseFeatures(ctx context.Context, m blas32.General) (x graph.Features, err error) {
	if err := checkShape(m.Rows, m.Cols); err != nil {
		return x, err
	}
	filled := 0 // values that are not 0
	const rowsPerCheck = 1 << 12
	for i := range m.Rows {
		if i%rowsPerCheck == 0 && ctx.Err() != nil {
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

// checkSparse checks features m that were read as CSR. Err is the error of reading them, which it
// returns if it is not nil; name is the array of their values, for errors.
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
