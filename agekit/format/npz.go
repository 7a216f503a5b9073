package format

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/numpy"
)

func init() {
	Register(Format{Extensions: []string{".npz"}, Graph: readNPZGraph, Features: readNPZFeatures, WriteGraph: writeNPZGraph})
}

// Archive is an .npz archive, a set of named arrays.
type Archive struct {
	members map[string]*zip.File
}

// An archive may unpack to freeInflation bytes or maxInflation times its size,
// whichever is more: far more than real graphs need, and little enough that a
// crafted archive does not exhaust memory.
const (
	freeInflation = 1 << 30
	maxInflation  = 100
)

// ReadNPZ opens the archive in r, which has size bytes. Arrays are unpacked
// from r on demand. Errors, here and from the archive's methods, name the
// array but not the file.
func ReadNPZ(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not an .npz archive: %w", err)
	}
	a := &Archive{make(map[string]*zip.File, len(z.File))}
	var total uint64
	limit := max(freeInflation, maxInflation*uint64(size))
	for _, f := range z.File {
		a.members[strings.TrimSuffix(f.Name, ".npy")] = f
		if total += f.UncompressedSize64; f.UncompressedSize64 > limit || total > limit {
			return nil, fmt.Errorf("array %s: archive of %d bytes unpacks to more than %d", f.Name, size, limit)
		}
	}
	return a, nil
}

// Has reports whether the archive has an array of that name.
func (a *Archive) Has(name string) bool { return a.members[name] != nil }

// Array returns the array of that name, which must hold numbers.
func (a *Archive) Array(name string) (*npy.Array, error) {
	r, size, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	array, err := numpy.Read(r, size)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	return array, nil
}

// Matrix returns the 2-dimensional array of that name, converted to float32.
func (a *Archive) Matrix(name string) (blas32.General, error) {
	array, err := a.Array(name)
	if err != nil {
		return blas32.General{}, err
	}
	m, err := matrix(array)
	if err != nil {
		return m, fmt.Errorf("array %s: %w", name, err)
	}
	return m, nil
}

// Graph returns the graph in the archive: adj_data, adj_indices, adj_indptr
// and adj_shape hold the adjacency matrix as CSR; attr_data, attr_indices,
// attr_indptr and attr_shape hold the features as CSR, or attr_matrix holds
// dense features; labels, if present, holds the class of each node (any
// integers; classes are numbered in increasing order). The adjacency matrix
// may be directed: every entry becomes an undirected edge, and self loops are
// dropped. ListedEdges counts an entry and its mirror image once.
//
// The graph has no name. The caller must check it with [graph.Graph.Validate].
func (a *Archive) Graph() (*graph.Graph, error) {
	adj, err := a.csr("adj_")
	if err != nil {
		return nil, err
	}
	if adj.Rows != adj.Cols {
		return nil, fmt.Errorf("arrays adj_…: %d×%d matrix, want a square one", adj.Rows, adj.Cols)
	}
	g := &graph.Graph{}
	if a.Has("attr_matrix") {
		m, err := a.Matrix("attr_matrix")
		if err != nil {
			return nil, err
		}
		g.Features.Dense = &m
	} else if g.Features.Sparse, err = a.csr("attr_"); err != nil {
		return nil, err
	}
	if a.Has("labels") {
		ids, err := a.integers("labels")
		if err != nil {
			return nil, err
		}
		g.Labels, g.ClassNames = graph.NumberClasses(ids)
		g.Classes = len(g.ClassNames)
	}
	u, v := make([]int32, 0, adj.NNZ()), adj.Indices
	for i := range adj.Rows {
		for range adj.Indptr[i+1] - adj.Indptr[i] {
			u = append(u, int32(i))
		}
	}
	if g.Adjacency, err = graph.Adjacency(adj.Rows, u, v, adj.Values); err != nil {
		return nil, fmt.Errorf("array adj_data: %w", err)
	}
	for k := range u {
		if u[k] <= v[k] || adj.At(int(v[k]), int(u[k])) == 0 {
			g.ListedEdges++
		}
	}
	return g, nil
}

// csr returns the CSR matrix whose array names begin with prefix.
func (a *Archive) csr(prefix string) (*graph.CSR, error) {
	var parts [3][]int64
	for k, name := range []string{"shape", "indptr", "indices"} {
		var err error
		if parts[k], err = a.integers(prefix + name); err != nil {
			return nil, err
		}
	}
	array, err := a.Array(prefix + "data")
	if err != nil {
		return nil, err
	}
	values, err := numpy.Floats(array)
	if err != nil {
		return nil, fmt.Errorf("array %sdata: %w", prefix, err)
	}
	m, err := graph.FromArrays(parts[0], parts[1], parts[2], values)
	if err != nil {
		return nil, fmt.Errorf("arrays %s…: %w", prefix, err)
	}
	return m, nil
}

func (a *Archive) integers(name string) ([]int64, error) {
	array, err := a.Array(name)
	if err != nil {
		return nil, err
	}
	values, err := numpy.Integers(array)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	return values, nil
}

// open returns the content of a member and its declared size.
func (a *Archive) open(name string) (io.ReadCloser, int64, error) {
	f := a.members[name]
	if f == nil {
		return nil, 0, fmt.Errorf("has no array %s", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, 0, fmt.Errorf("array %s: %w", name, err)
	}
	return r, int64(f.UncompressedSize64), nil
}

func readNPZGraph(_ context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *Archive) error {
		got, err := a.Graph()
		if err == nil {
			got.Name = g.Name
			*g = *got
		}
		return err
	})
}

// readNPZFeatures reads a matrix as scipy.sparse.save_npz writes it.
func readNPZFeatures(_ context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *Archive) (err error) {
		g.Features.Sparse, err = a.scipyMatrix()
		return err
	})
}

func withArchive(f *os.File, do func(*Archive) error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a, err := ReadNPZ(f, info.Size())
	if err == nil {
		err = do(a)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

// scipyMatrix returns the features that scipy.sparse.save_npz wrote.
func (a *Archive) scipyMatrix() (*graph.CSR, error) {
	r, size, err := a.open("format")
	if err != nil {
		return nil, fmt.Errorf("%w: want an archive of scipy.sparse.save_npz", err)
	}
	defer r.Close()
	kind, err := io.ReadAll(io.LimitReader(r, size+1))
	if err != nil {
		return nil, fmt.Errorf("array format: %w", err)
	}
	// The array ends with the format's name; each letter takes 1 or 4 bytes.
	if !strings.HasSuffix(strings.ReplaceAll(string(kind), "\x00", ""), "csr") {
		return nil, fmt.Errorf("array format: not a CSR matrix; convert it with tocsr()")
	}
	m, err := a.csr("")
	if err != nil {
		return nil, err
	}
	for i := range m.Rows {
		columns, values := m.Row(i)
		for p, v := range values {
			if err := checkFeature(i, int(columns[p]), v); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

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
		values := m.Values
		if values == nil {
			values = slices.Repeat([]float32{1}, m.NNZ())
		}
		write(prefix+"data", values)
		write(prefix+"indices", m.Indices)
		write(prefix+"indptr", int64s(m.Indptr))
		write(prefix+"shape", []int64{int64(m.Rows), int64(m.Cols)})
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
