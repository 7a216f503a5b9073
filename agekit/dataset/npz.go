package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"

	"github.com/agekit/age/agekit/graph"
)

// An archive may unpack to freeInflation bytes in all, and beyond that to
// maxInflation times its size: far more than real graphs need, and little
// enough that a crafted archive does not exhaust the memory.
const (
	freeInflation = 1 << 30
	maxInflation  = 100
)

// LoadNPZ reads a sparse attributed graph from a .npz archive: adj_data,
// adj_indices, adj_indptr and adj_shape hold the adjacency matrix as CSR,
// attr_data, attr_indices, attr_indptr and attr_shape the features, or
// attr_matrix dense features; labels, if there, the class of each node (any
// integers; classes are numbered in increasing order). The matrix may be
// directed: every entry becomes an undirected edge, and self loops are
// dropped. ListedEdges counts an entry and its mirror image once.
//
// The name of the graph is the file's without its extension. Errors name the
// file, the array and the row.
func LoadNPZ(path string) (*graph.Graph, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	g, err := readNPZGraph(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	g.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return g, nil
}

func loadStandin(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	contents, _, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	return readNPZGraph(contents[0])
}

// readNPZGraph is LoadNPZ for the content of a file.
func readNPZGraph(data []byte) (*graph.Graph, error) {
	z, err := openArchive(data)
	if err != nil {
		return nil, err
	}
	adj, err := z.matrix("adj_")
	if err != nil {
		return nil, err
	}
	if adj.Rows != adj.Cols {
		return nil, fmt.Errorf("adj: %d×%d matrix, want a square one", adj.Rows, adj.Cols)
	}
	g := &graph.Graph{}
	if g.Features, err = z.features(); err != nil {
		return nil, err
	}
	if z.has("labels") {
		a, err := z.array("labels")
		if err != nil {
			return nil, err
		}
		ids, err := integers(a)
		if err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
		g.Labels, g.ClassNames = numberClasses(ids)
		g.Classes = len(g.ClassNames)
	}
	u, v, w := entries(adj)
	if g.Adjacency, err = graph.Adjacency(adj.Rows, u, v, w); err != nil {
		return nil, fmt.Errorf("adj_data: %w", err)
	}
	for k := range u {
		if u[k] <= v[k] || adj.At(int(v[k]), int(u[k])) == 0 {
			g.ListedEdges++
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// entries lists a matrix's entries; w is nil if all are 1.
func entries(m *graph.CSR) (u, v []int32, w []float32) {
	u = make([]int32, 0, m.NNZ())
	for i := range m.Rows {
		for range m.Indptr[i+1] - m.Indptr[i] {
			u = append(u, int32(i))
		}
	}
	return u, m.Indices, m.Values
}

// archive is an opened .npz.
type archive map[string]*zip.File

func openArchive(data []byte) (archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no .npz archive: %w", err)
	}
	z := make(archive, len(r.File))
	var total uint64
	limit := max(freeInflation, maxInflation*uint64(len(data)))
	for _, f := range r.File {
		z[strings.TrimSuffix(f.Name, ".npy")] = f
		if total += f.UncompressedSize64; f.UncompressedSize64 > limit || total > limit {
			return nil, fmt.Errorf("array %s: archive of %d bytes unpacks to more than %d", f.Name, len(data), limit)
		}
	}
	return z, nil
}

func (z archive) has(key string) bool { return z[key] != nil }

// content unpacks one member.
func (z archive) content(key string) ([]byte, error) {
	f := z[key]
	if f == nil {
		return nil, fmt.Errorf("has no array %s", key)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", key, err)
	}
	defer r.Close()
	// A member may hold more than it declares.
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", key, err)
	}
	return data, nil
}

func (z archive) array(key string) (*npy.Array, error) {
	data, err := z.content(key)
	if err != nil {
		return nil, err
	}
	a, err := readNPY(data)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", key, err)
	}
	return a, nil
}

// matrix reads the CSR matrix whose arrays' names have that prefix.
func (z archive) matrix(prefix string) (*graph.CSR, error) {
	var part csrArrays
	for _, want := range []struct {
		key string
		to  *[]int64
	}{{"shape", &part.shape}, {"indptr", &part.indptr}, {"indices", &part.indices}} {
		a, err := z.array(prefix + want.key)
		if err != nil {
			return nil, err
		}
		if *want.to, err = integers(a); err != nil {
			return nil, fmt.Errorf("array %s%s: %w", prefix, want.key, err)
		}
	}
	a, err := z.array(prefix + "data")
	if err != nil {
		return nil, err
	}
	if part.data, err = floats(a); err != nil {
		return nil, fmt.Errorf("array %sdata: %w", prefix, err)
	}
	m, err := part.matrix()
	if err != nil {
		return nil, fmt.Errorf("arrays %s…: %w", prefix, err)
	}
	return m, nil
}

func (z archive) features() (x graph.Features, err error) {
	if !z.has("attr_matrix") {
		x.Sparse, err = z.matrix("attr_")
		return x, err
	}
	a, err := z.array("attr_matrix")
	if err != nil {
		return x, err
	}
	if x.Dense, err = denseMatrix(a); err != nil {
		err = fmt.Errorf("array attr_matrix: %w", err)
	}
	return x, err
}

// WriteNPZ writes g in the form that [LoadNPZ] reads: 32-bit indices and
// values, labels only if g has them. Class and node names are not kept. The
// file appears under its name only when it is complete.
func WriteNPZ(path string, g *graph.Graph) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	defer f.Close()
	if err := writeArrays(npz.NewWriter(f), g); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func writeArrays(w *npz.Writer, g *graph.Graph) error {
	var err error
	write := func(key string, v any) {
		if err == nil {
			err = w.Write(key+".npy", v)
		}
	}
	matrix := func(prefix string, m *graph.CSR) {
		values := m.Values
		if values == nil {
			values = slices.Repeat([]float32{1}, m.NNZ())
		}
		write(prefix+"data", values)
		write(prefix+"indices", m.Indices)
		write(prefix+"indptr", convert[int64](m.Indptr))
		write(prefix+"shape", []int64{int64(m.Rows), int64(m.Cols)})
	}
	x := g.Features.Sparse
	if x == nil {
		x = sparse(g.Features.Dense)
	}
	matrix("adj_", g.Adjacency)
	matrix("attr_", x)
	if g.Labels != nil {
		write("labels", convert[int64](g.Labels))
	}
	if err != nil {
		return err
	}
	return w.Close()
}
