package files

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// NamedArray is an array to be written to an archive. Value is a [blas32.General], a slice of int,
// numbers as [npy.Write] takes them (a number or a slice of float64, int64, uint8 and so on),
// or a *[graph.CSR], which becomes the arrays that [Archive.Sparse] reads with the prefix
// Name. The first two and the last are written without a copy of them.
type NamedArray struct {
	Name  string
	Value any
}

// WriteArchive writes the arrays to an uncompressed archive, in the given order; matrices as
// [WriteMatrix] does. The same arrays always give the same bytes.
func WriteArchive(w io.Writer, arrays ...NamedArray) error {
	z := zip.NewWriter(w)
	for _, whole := range arrays {
		for _, a := range whole.parts() {
			member, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			switch v := a.Value.(type) {
			case blas32.General:
				err = WriteMatrix(member, v)
			case []int:
				err = vector(len(v), func(i int) int64 { return int64(v[i]) })(member)
			case func(io.Writer) error:
				err = v(member)
			default:
				err = npy.Write(member, v)
			}
			if err != nil {
				return fmt.Errorf("array %s: %w", a.Name, err)
			}
		}
	}
	return z.Close()
}

// parts returns the arrays of a sparse matrix, or the array itself.
func (a NamedArray) parts() []NamedArray {
	m, ok := a.Value.(*graph.CSR)
	if !ok {
		return []NamedArray{a}
	}
	value := func(int) float32 { return 1 }
	if m.Values != nil {
		value = func(i int) float32 { return m.Values[i] }
	}
	return []NamedArray{
		{a.Name + "data", vector(m.NNZ(), value)},
		{a.Name + "indices", vector(m.NNZ(), func(i int) int32 { return m.Indices[i] })},
		{a.Name + "indptr", vector(len(m.Indptr), func(i int) int64 { return int64(m.Indptr[i]) })},
		{a.Name + "shape", []int64{int64(m.Rows), int64(m.Cols)}},
	}
}

// vector returns a function that writes n numbers piece by piece.
func vector[T int32 | int64 | float32](n int, at func(i int) T) func(io.Writer) error {
	return func(w io.Writer) error {
		kind := "<f4"
		switch any(T(0)).(type) {
		case int32:
			kind = "<i4"
		case int64:
			kind = "<i8"
		}
		if err := writeHeader(w, kind, fmt.Sprintf("(%d,)", n)); err != nil {
			return err
		}
		piece := make([]T, 0, 1<<14)
		var bytes []byte
		for i := range n {
			if piece = append(piece, at(i)); len(piece) < cap(piece) && i < n-1 {
				continue
			}
			bytes, _ = binary.Append(bytes[:0], binary.LittleEndian, piece) // numbers have no errors
			if _, err := w.Write(bytes); err != nil {
				return err
			}
			piece = piece[:0]
		}
		return nil
	}
}

// WriteMatrix writes a matrix, without its padding, as a row-major array of little-endian
// float32 values in version 1.0 of NumPy's format. (npyio writes only float64.)
func WriteMatrix(w io.Writer, m blas32.General) error { return WriteRows(w, linalg.InMemory(m)) }

// WriteRows is [WriteMatrix] for rows that are computed when they are asked for.
func WriteRows(w io.Writer, z linalg.Source) error {
	n, cols := z.Dims()
	if err := writeHeader(w, "<f4", fmt.Sprintf("(%d, %d)", n, cols)); err != nil {
		return err
	}
	var bytes []byte
	return linalg.EachRow(z, func(row []float32) error {
		bytes, _ = binary.Append(bytes[:0], binary.LittleEndian, row) // numbers have no errors
		_, err := w.Write(bytes)
		return err
	})
}

// writeHeader writes what stands before the numbers in version 1.0 of NumPy's format.
func writeHeader(w io.Writer, kind, shape string) error {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	_, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header)
	return err
}
