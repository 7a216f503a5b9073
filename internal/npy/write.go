package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
)

// NamedArray is an array to be written to an archive. Value is a [blas32.General], a slice of int,
// numbers as [npy.Write] takes them (a number or a slice of float64, int64, uint8 and so on),
// or a *[graph.CSR], which becomes the arrays that [Archive.Sparse] reads with the prefix Name.
// Matrices and slices of int are written without a copy in memory.
type NamedArray struct {
	Name  string
	Value any
}

// WriteArchive writes the arrays to an uncompressed archive, in the given order; matrices as
// [WriteMatrix] does. The same arrays always give the same bytes.
func WriteArchive(w io.Writer, arrays ...NamedArray) error {
	z := zip.NewWriter(w)
	for _, given := range arrays {
		for _, a := range given.parts() {
			member, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			switch v := a.Value.(type) {
			case blas32.General:
				err = WriteMatrix(member, v)
			case []int:
				err = vector("<i8", v)(member)
			case func(io.Writer) error: // a part of a sparse matrix
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

// parts returns the arrays that a sparse matrix becomes, whose values may be functions that write
// them; of another value, the array itself.
func (a NamedArray) parts() []NamedArray {
	m, ok := a.Value.(*graph.CSR)
	if !ok {
		return []NamedArray{a}
	}
	values := vector("<f4", m.Values)
	if m.Values == nil {
		values = ones(m.NNZ())
	}
	return []NamedArray{
		{a.Name + "data", values},
		{a.Name + "indices", vector("<i4", m.Indices)},
		{a.Name + "indptr", vector("<i8", m.Indptr)},
		{a.Name + "shape", []int64{int64(m.Rows), int64(m.Cols)}},
	}
}

// vector returns a function that writes numbers, whose type NumPy calls kind, as a .npy array.
func vector[T mapped.Number](kind string, numbers []T) func(io.Writer) error {
	return func(w io.Writer) error {
		if err := writeHeader(w, kind, fmt.Sprintf("(%d,)", len(numbers))); err != nil {
			return err
		}
		_, err := w.Write(mapped.Bytes(numbers))
		return err
	}
}

// onesBlock is the number of values that ones writes at a time.
const onesBlock = 1 << 14

// ones returns a function that writes n float32 numbers 1 as a .npy array, a block at a time.
func ones(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		err := writeHeader(w, "<f4", fmt.Sprintf("(%d,)", n))
		block := mapped.Bytes(slices.Repeat([]float32{1}, onesBlock))
		for rest := 4 * n; rest > 0 && err == nil; rest -= len(block) { // bytes
			_, err = w.Write(block[:min(rest, len(block))])
		}
		return err
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
	return linalg.EachRow(z, func(row []float32) error {
		_, err := w.Write(mapped.Bytes(row))
		return err
	})
}

// writeHeader writes what stands before the numbers in version 1.0 of NumPy's format. kind is NumPy's
// name of their type, such as "<f4", and shape a Python tuple, such as "(3,)".
func writeHeader(w io.Writer, kind, shape string) error {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	const prefix = 10 // bytes of magic, version and length
	// Blanks and a line end fill the header, with its prefix, up to a multiple of 64 bytes.
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	_, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header)
	return err
}
