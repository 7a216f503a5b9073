package format

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// writeNPZGraph writes g in the form that [Archive.Graph] reads: 32-bit
// indices and values, and labels only if g has them. Class and node names are
// not stored.
func writeNPZGraph(w io.Writer, g *graph.Graph) error {
	z := npz.NewWriter(w)
	var err error
	write := func(name string, v any) {
		if err == nil {
			err = z.Write(name+".npy", v)
		}
	}
	matrix := func(prefix string, m *graph.CSR) {
		for _, a := range SparseArrays(prefix, m) {
			write(a.Name, a.Value)
		}
	}
	x := g.Features.Sparse
	if x == nil {
		x = graph.FromDense(*g.Features.Dense)
	}
	matrix("adj_", g.Adjacency)
	matrix("attr_", x)
	if g.Labels != nil {
		write("labels", int64s(g.Labels))
	}
	if err != nil {
		return err
	}
	return z.Close()
}

func int64s(values []int) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

// NamedArray is an array to be written to an archive. Value is a
// blas32.General, or numbers as [npy.Write] takes them: a slice of float64,
// int64, uint8 and so on, or a single number.
type NamedArray struct {
	Name  string
	Value any
}

// SparseArrays returns the arrays from which [Archive.Sparse] reads a matrix.
func SparseArrays(prefix string, m *graph.CSR) []NamedArray {
	values := m.Values
	if values == nil {
		values = slices.Repeat([]float32{1}, m.NNZ())
	}
	return []NamedArray{
		{prefix + "data", values}, {prefix + "indices", m.Indices},
		{prefix + "indptr", int64s(m.Indptr)}, {prefix + "shape", []int64{int64(m.Rows), int64(m.Cols)}},
	}
}

// WriteNPZ writes an uncompressed archive of the arrays, in the given order.
// Matrices are written as by [WriteNPY]. The same arrays always give the same
// bytes.
func WriteNPZ(w io.Writer, arrays ...NamedArray) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
		member, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if m, ok := a.Value.(blas32.General); ok {
			err = WriteNPY(member, m)
		} else {
			err = npy.Write(member, a.Value)
		}
		if err != nil {
			return fmt.Errorf("array %s: %w", a.Name, err)
		}
	}
	return z.Close()
}
