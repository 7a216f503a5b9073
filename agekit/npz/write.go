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
)

func int64s(values []int) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

// Array is an array to be written to an archive. Value is a
// blas32.General, or numbers as [npy.Write] takes them: a slice of float64,
// int64, uint8 and so on, or a single number.
type Array struct {
	Name  string
	Value any
}

// SparseArrays returns the arrays from which [Archive.Sparse] reads a matrix.
func SparseArrays(prefix string, m *graph.CSR) []Array {
	values := m.Values
	if values == nil {
		values = slices.Repeat([]float32{1}, m.NNZ())
	}
	return []Array{
		{prefix + "data", values}, {prefix + "indices", m.Indices},
		{prefix + "indptr", int64s(m.Indptr)}, {prefix + "shape", []int64{int64(m.Rows), int64(m.Cols)}},
	}
}

// Write writes an uncompressed archive of the arrays, in the given order.
// Matrices are written as by [WriteMatrix]. The same arrays always give the same
// bytes.
func Write(w io.Writer, arrays ...Array) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
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
	return z.Close()
}

// WriteMatrix writes a matrix, without its padding, as a row-major 2-dimensional
// array of little-endian float32 values, in version 1.0 of numpy's format.
// Beyond m it needs memory for only one row.
//
// npyio cannot do this: it writes only float64 matrices.
func WriteMatrix(w io.Writer, m blas32.General) error {
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", m.Rows, m.Cols)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header); err != nil {
		return err
	}
	for i := range m.Rows {
		if err := binary.Write(w, binary.LittleEndian, m.Data[i*m.Stride:i*m.Stride+m.Cols]); err != nil {
			return err
		}
	}
	return nil
}
