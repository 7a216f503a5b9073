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
				err = vector("<i8", v)(member)
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

// vector returns what writes numbers, whose type NumPy calls kind.
func vector[T mapped.Number](kind string, numbers []T) func(io.Writer) error {
	return func(w io.Writer) error {
		if err := writeHeader(w, kind, fmt.Sprintf("(%d,)", len(numbers))); err != nil {
			return err
		}
		_, err := w.Write(mapped.Bytes(numbers))
		return err
	}
}

// ones returns what writes n numbers 1, a block at a time.
func ones(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		err := writeHeader(w, "<f4", fmt.Sprintf("(%d,)", n))
		block := mapped.Bytes(slices.Repeat([]float32{1}, 1<<14))
		for rest := 4 * n; rest > 0 && err == nil; rest -= len(block) {
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

// writeHeader writes what stands before the numbers in version 1.0 of NumPy's format.
func writeHeader(w io.Writer, kind, shape string) error {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	const prefix = 10 // magic, version, length
	header += strings.Repeat(" ", 63-(prefix+len(header))%64) + "\n"
	_, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%c%c%s", len(header)&0xff, len(header)>>8, header)
	return err
}
