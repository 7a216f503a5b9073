package format

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/numpy"
)

func init() {
	Register(Format{Extensions: []string{".npz"}, Graph: readNPZGraph, Features: readNPZFeatures, Edges: readNPZEdges, WriteGraph: writeNPZGraph})
}

// Archive is an .npz archive, a set of named arrays of numbers (bool, integers of
// up to 64 bits, float16, float32 and float64, in any byte order).
type Archive struct {
	members map[string]*zip.File
}

// ReadNPZ opens the archive in r, which has size bytes. Arrays are unpacked from
// r on demand, block by block. An archive may hold at most 1,024 arrays, each
// name once, and unpack to at most 1 GB or 100 times its size, whichever is more.
// Errors, here and from the archive's methods, name the array but not the file.
func ReadNPZ(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errors.New("not an .npz archive, or a truncated one")
	}
	if len(z.File) > limit.Members {
		return nil, fmt.Errorf("archive of %d arrays: want at most %d", len(z.File), limit.Members)
	}
	a := &Archive{make(map[string]*zip.File, len(z.File))}
	var total uint64
	most := limit.Unpacked(size)
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if a.Has(name) {
			return nil, fmt.Errorf("array %s is there twice", limit.Quote(name))
		}
		a.members[name] = f
		if total += f.UncompressedSize64; f.UncompressedSize64 > most || total > most {
			return nil, fmt.Errorf("array %s: archive of %d bytes unpacks to more than %d", limit.Quote(name), size, most)
		}
	}
	return a, nil
}

// Has reports whether the archive has an array of that name.
func (a *Archive) Has(name string) bool { return a.members[name] != nil }

// Names returns the names of the arrays in alphabetical order.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.members)) }

// Integers returns the values of an array of integers or bools.
func (a *Archive) Integers(name string) ([]int64, error) { return values[int64](a, name) }

// Floats returns the values of an array of numbers.
func (a *Archive) Floats(name string) ([]float64, error) { return values[float64](a, name) }

// Text returns the text whose UTF-8 bytes are the values of an array.
func (a *Archive) Text(name string) (string, error) {
	text, err := values[uint8](a, name)
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("array %s: want UTF-8 text", name)
	}
	return string(text), err
}

// Matrix returns the 2-dimensional array of that name, converted to float32.
func (a *Archive) Matrix(name string) (m blas32.General, err error) {
	err = a.read(name, func(array *numpy.Array) error {
		m, err = matrix(array)
		return err
	})
	return m, err
}

func values[T numpy.Number](a *Archive, name string) (out []T, err error) {
	err = a.read(name, func(array *numpy.Array) error {
		out, err = numpy.Values[T](array)
		return err
	})
	return out, err
}

// counted returns the values of an array that must have the given number of them.
func counted[T numpy.Number](a *Archive, name string, want int) (out []T, err error) {
	err = a.read(name, func(array *numpy.Array) error {
		if n := array.Len(); n != want {
			return fmt.Errorf("%d values, want %d", n, want)
		}
		out, err = numpy.Values[T](array)
		return err
	})
	return out, err
}

// read opens an array and calls do, which reads its values.
func (a *Archive) read(name string, do func(*numpy.Array) error) error {
	return a.member(name, func(r io.Reader, size int64) error {
		array, err := numpy.Open(r, size)
		if err != nil {
			return err
		}
		return do(array)
	})
}

// length returns the number of values of an array that was already read.
func (a *Archive) length(name string) (n int) {
	_ = a.read(name, func(array *numpy.Array) error {
		n = array.Len()
		return nil
	})
	return n
}

// member calls do with the content of a member and its declared size.
func (a *Archive) member(name string, do func(r io.Reader, size int64) error) error {
	f := a.members[name]
	if f == nil {
		return fmt.Errorf("has no array %s", name)
	}
	if f.Flags&encrypted != 0 {
		return fmt.Errorf("array %s: is encrypted: want an archive without a password", name)
	}
	r, err := f.Open()
	if err == nil {
		defer r.Close()
		err = do(r, int64(f.UncompressedSize64))
	}
	if err != nil {
		return fmt.Errorf("array %s: %w", name, plain(err, f))
	}
	return nil
}

// encrypted is the flag of an encrypted member of a zip archive.
const encrypted = 1

// plain replaces errors of the packages that unpack with plain words.
func plain(err error, f *zip.File) error {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return fmt.Errorf("compression method %d: want 0 (none) or 8 (deflate)", f.Method)
	case errors.Is(err, zip.ErrChecksum):
		return errors.New("damaged: its checksum does not match")
	case errors.Is(err, zip.ErrFormat), errors.As(err, &corrupt), errors.As(err, &internal):
		return errors.New("damaged: it cannot be unpacked")
	}
	return err
}

// Graph returns the graph in the archive, in one of two forms. In the first,
// adj_data, adj_indices, adj_indptr and adj_shape hold the adjacency matrix as CSR;
// attr_data, attr_indices, attr_indptr and attr_shape hold the features as CSR, or
// attr_matrix holds dense features; labels, if present, holds the class of each
// node (any integers; classes are numbered in increasing order). The adjacency
// matrix may be directed: every entry becomes an undirected edge, and self loops
// are dropped. ListedEdges counts an entry and its mirror image once.
//
// The second has the names of PyTorch Geometric's Data: edge_index, 2×E, holds the
// ends of the edges, edge_weight, if present, their weights, x the features, and y,
// if present, the classes, where −1 is an unknown one.
//
// The graph has no name. The caller must check it with [graph.Graph.Validate].
func (a *Archive) Graph() (*graph.Graph, error) { return a.graph(context.Background()) }

func (a *Archive) graph(ctx context.Context) (g *graph.Graph, err error) {
	if a.Has("edge_index") {
		return a.dataGraph(ctx)
	}
	adj, err := a.csr("adj_")
	if err != nil {
		return nil, err
	}
	if adj.Rows != adj.Cols {
		return nil, fmt.Errorf("arrays adj_…: %d×%d matrix, want a square one", adj.Rows, adj.Cols)
	}
	if adj.NNZ() == 0 && a.length("adj_data") > 0 {
		return nil, errors.New("array adj_data: all values are 0: want the weights of edges")
	}
	g = &graph.Graph{}
	if a.Has("attr_matrix") {
		err = a.read("attr_matrix", func(array *numpy.Array) error {
			g.Features, err = arrayFeatures(ctx, array)
			return err
		})
	} else {
		g.Features.Sparse, err = a.sparseFeatures("attr_")
	}
	if err != nil {
		return nil, err
	}
	if a.Has("labels") {
		ids, err := a.Integers("labels")
		if err != nil {
			return nil, err
		}
		g.Labels, g.ClassNames = graph.NumberClasses(ids)
		g.Classes = len(g.ClassNames)
	}
	return g, a.setEdges(g, adj, "adj_")
}

// setEdges sets g's adjacency from a matrix that may be directed.
func (a *Archive) setEdges(g *graph.Graph, adj *graph.CSR, prefix string) (err error) {
	if err := limit.Memory(fmt.Sprintf("arrays %s…", prefix), 4*float64(adj.NNZ())); err != nil {
		return err
	}
	u, v := make([]int32, 0, adj.NNZ()), adj.Indices
	for i := range adj.Rows {
		for range adj.Indptr[i+1] - adj.Indptr[i] {
			u = append(u, int32(i))
		}
	}
	if g.Adjacency, err = graph.Adjacency(adj.Rows, u, v, adj.Values); err != nil {
		return fmt.Errorf("array %sdata: %w", prefix, err)
	}
	for k := range u {
		if u[k] <= v[k] || adj.At(int(v[k]), int(u[k])) == 0 {
			g.ListedEdges++
		}
	}
	return nil
}

// csr returns the CSR matrix whose array names begin with prefix. It compares the
// arrays' lengths before it reads them.
func (a *Archive) csr(prefix string) (*graph.CSR, error) {
	shape, err := counted[int64](a, prefix+"shape", 2)
	if err != nil {
		return nil, err
	}
	if shape[0] < 0 || shape[0] > math.MaxInt32 || shape[1] < 0 || shape[1] > limit.Columns {
		return nil, fmt.Errorf("array %sshape: %d×%d matrix, want at most %d rows and %d columns", prefix, shape[0], shape[1], math.MaxInt32, limit.Columns)
	}
	indptr, err := counted[int](a, prefix+"indptr", int(shape[0])+1)
	if err != nil {
		return nil, err
	}
	entries := indptr[shape[0]]
	if entries < 0 || int64(entries) > shape[0]*shape[1] {
		return nil, fmt.Errorf("array %sindptr: %d entries, want 0 to %d for a %d×%d matrix", prefix, entries, shape[0]*shape[1], shape[0], shape[1])
	}
	indices, err := counted[int32](a, prefix+"indices", entries)
	if err != nil {
		return nil, err
	}
	data, err := counted[float32](a, prefix+"data", entries)
	if err != nil {
		return nil, err
	}
	m, err := graph.FromArrays(shape, indptr, indices, data)
	if err != nil {
		return nil, fmt.Errorf("arrays %s…: %w", prefix, err)
	}
	return m, nil
}

// Sparse returns the CSR matrix in the arrays data, indices, indptr and shape, whose
// names begin with prefix.
func (a *Archive) Sparse(prefix string) (*graph.CSR, error) { return a.csr(prefix) }

// sparseFeatures returns the features whose array names begin with prefix.
func (a *Archive) sparseFeatures(prefix string) (*graph.CSR, error) {
	m, err := a.csr(prefix)
	if err != nil {
		return nil, err
	}
	if err := checkSparse(m); err != nil {
		return nil, fmt.Errorf("array %sdata: %w", prefix, err)
	}
	return m, nil
}

// dataGraph returns the graph in arrays named as in PyTorch Geometric's Data.
func (a *Archive) dataGraph(ctx context.Context) (g *graph.Graph, err error) {
	g = &graph.Graph{}
	err = a.read("x", func(array *numpy.Array) error {
		g.Features, err = arrayFeatures(ctx, array)
		return err
	})
	if err != nil {
		return nil, err
	}
	n, _ := g.Features.Dims()
	err = a.read("edge_index", func(array *numpy.Array) error {
		rows, edges, err := array.Matrix()
		if err != nil || rows != 2 {
			return errors.New("want 2×E ends of edges")
		}
		ends, err := numpy.Values[int32](array)
		if err != nil {
			return err
		}
		if g.ListedEdges = edges; array.Fortran { // both ends of an edge, then of the next
			u, v := make([]int32, 0, edges), make([]int32, 0, edges)
			for k := range edges {
				u, v = append(u, ends[2*k]), append(v, ends[2*k+1])
			}
			ends = append(u, v...)
		}
		var weights []float32
		if a.Has("edge_weight") {
			if weights, err = counted[float32](a, "edge_weight", g.ListedEdges); err != nil {
				return err
			}
		}
		g.Adjacency, err = graph.Adjacency(n, ends[:g.ListedEdges], ends[g.ListedEdges:], weights)
		return err
	})
	if err != nil || !a.Has("y") {
		return g, err
	}
	classes, err := counted[int64](a, "y", n)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(classes), func(c int64) bool { return c < 0 })
	var numbers []int
	numbers, g.ClassNames = graph.NumberClasses(known)
	g.Classes = len(g.ClassNames)
	for _, c := range classes {
		if c < 0 {
			g.Labels = append(g.Labels, graph.Unknown)
			continue
		}
		g.Labels, numbers = append(g.Labels, numbers[0]), numbers[1:]
	}
	return g, nil
}

// readNPZEdges reads an adjacency matrix as scipy.sparse.save_npz writes it.
func readNPZEdges(_ context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *Archive) error {
		adj, err := a.scipyCSR()
		if err != nil {
			return err
		}
		n, _ := g.Features.Dims()
		if n == 0 { // unknown
			n = adj.Rows
		}
		if adj.Rows != n || adj.Cols != n {
			return fmt.Errorf("%d×%d matrix: want a square one with a row for each of the %d nodes", adj.Rows, adj.Cols, n)
		}
		return a.setEdges(g, adj, "")
	})
}

func readNPZGraph(ctx context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *Archive) error {
		got, err := a.graph(ctx)
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
	size, err := sizeOf(f)
	if err != nil {
		return err
	}
	a, err := ReadNPZ(f, size)
	if err == nil {
		err = do(a)
	}
	return named(f, err)
}

// scipyMatrix returns the features that scipy.sparse.save_npz wrote.
func (a *Archive) scipyMatrix() (*graph.CSR, error) {
	m, err := a.scipyCSR()
	if err == nil {
		if err = checkSparse(m); err != nil {
			err = fmt.Errorf("array data: %w", err)
		}
	}
	return m, err
}

// scipyCSR returns the matrix that scipy.sparse.save_npz wrote.
func (a *Archive) scipyCSR() (*graph.CSR, error) {
	if !a.Has("format") {
		return nil, errors.New("has no array format: want an archive of scipy.sparse.save_npz")
	}
	err := a.member("format", func(r io.Reader, _ int64) error {
		// The array ends with the format's name; each letter takes 1 or 4 bytes.
		kind, err := io.ReadAll(io.LimitReader(r, limit.Header))
		if err == nil && !strings.HasSuffix(strings.ReplaceAll(string(kind), "\x00", ""), "csr") {
			err = errors.New("not a CSR matrix; convert it with tocsr()")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.csr("")
}
