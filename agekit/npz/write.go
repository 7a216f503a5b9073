package npz

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rows"
)

// Array is an array to be written to an archive. Value is a [blas32.General], numbers as
// [npy.Write] takes them (a number or a slice of float64, int64, uint8 and so on), or a
// *[graph.CSR], which becomes the arrays that [Archive.Sparse] reads with the prefix Name.
type Array struct {
	Name  string
	Value any
}

// Write writes the arrays to an uncompressed archive, in the given order; matrices as
// [WriteMatrix] does. The same arrays always give the same bytes.
func Write(w io.Writer, arrays ...Array) error {
	z := zip.NewWriter(w)
	for _, whole := range arrays {
		for _, a := range whole.parts() {
			member, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			if m, ok := a.Value.(blas32.General); ok {
				err = WriteMatrix(member, m)
			} else {
				err = npy.Write(member, a.Value)
			}
			if err != nil {
				return fmt.Errorf("array %s: %w", a.Name, err)
			}
		}
	}
	return z.Close()
}

// parts returns the arrays of a sparse matrix, or the array itself.
func (a Array) parts() []Array {
	m, ok := a.Value.(*graph.CSR)
	if !ok {
		return []Array{a}
	}
	values, indptr := m.Values, make([]int64, len(m.Indptr))
	if values == nil {
		values = slices.Repeat([]float32{1}, m.NNZ())
	}
	for i, start := range m.Indptr {
		indptr[i] = int64(start)
	}
	return []Array{
		{a.Name + "data", values}, {a.Name + "indices", m.Indices},
		{a.Name + "indptr", indptr}, {a.Name + "shape", []int64{int64(m.Rows), int64(m.Cols)}},
	}
}

// WriteMatrix writes a matrix, without its padding, as a row-major array of little-endian
// float32 values in version 1.0 of NumPy's format. (npyio writes only float64.)
func WriteMatrix(w io.Writer, m blas32.General) error { return WriteRows(w, rows.InMemory(m)) }

// WriteRows is [WriteMatrix] for rows that are computed when they are asked for.
func WriteRows(w io.Writer, z rows.Source) error {
	n, cols := z.Dims()
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", n, cols)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header); err != nil {
		return err
	}
	return rows.Write(z, func(row []float32) error { return binary.Write(w, binary.LittleEndian, row) })
}
