package dataset

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// Files names the files of a graph of one's own.
type Files struct {
	// Edges has a line "u TAB v" or "u TAB v TAB weight" an edge, nodes
	// counted from 0. Direction does not matter; self loops are dropped, and
	// of an edge listed twice the larger weight counts. Either all lines
	// have a weight, positive and finite, or none. Required.
	Edges string
	// Features has a row of finite numbers ≥ 0 a node, and with it the number
	// of nodes: .npz (a CSR matrix as scipy's save_npz writes it), .npy (a
	// 2-dimensional array) or .csv (comma-separated; a first line without a
	// number is a header). Required.
	Features string
	// Labels has a line a node, an integer or a word. Classes are numbered in
	// increasing order, of numbers if all are numbers, else of words.
	// Default: no labels.
	Labels string
	// Name is the graph's. Default: the edge file's without its extension.
	Name string
}

// LoadFiles reads a graph from plain files. In texts, blank lines and lines
// that start with # are left out. Features of which less than a quarter is
// not 0 are kept sparse. A .npy file of more than 64 MB that holds float32 in
// rows is mapped into memory instead of read; it must not change while the
// program runs. Errors name the file, the line or row, what was
// found and what was expected.
func LoadFiles(ctx context.Context, files Files) (*graph.Graph, error) {
	if files.Edges == "" {
		return nil, fmt.Errorf("no file of edges: want a .tsv file with lines \"u TAB v\"")
	}
	if files.Features == "" {
		return nil, fmt.Errorf("no file of features: the method needs a row of features for each node (.npz, .npy or .csv)")
	}
	g := &graph.Graph{Name: files.Name}
	if g.Name == "" {
		g.Name = strings.TrimSuffix(filepath.Base(files.Edges), filepath.Ext(files.Edges))
	}
	var err error
	if g.Features, err = loadFeatures(ctx, files.Features); err != nil {
		return nil, err
	}
	n, _ := g.Features.Dims()
	if n == 0 {
		return nil, fmt.Errorf("%s: no rows: want one a node", files.Features)
	}
	err = withFile(files.Edges, func(r io.Reader) error {
		u, v, w, err := readEdges(ctx, r, files.Edges, n)
		if err != nil {
			return err
		}
		g.ListedEdges = len(u)
		g.Adjacency, err = graph.Adjacency(n, u, v, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	if files.Labels != "" {
		err = withFile(files.Labels, func(r io.Reader) error {
			g.Labels, g.ClassNames, err = readLabels(ctx, r, files.Labels)
			g.Classes = len(g.ClassNames)
			return err
		})
		if err == nil && len(g.Labels) != n {
			err = fmt.Errorf("%s: %d labels, want %d, one for each row of %s", files.Labels, len(g.Labels), n, files.Features)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

func withFile(name string, read func(io.Reader) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}

// loadFeatures reads features in the format that the file's extension names.
func loadFeatures(ctx context.Context, name string) (x graph.Features, err error) {
	var read func(data []byte) (graph.Features, error)
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".csv":
		err = withFile(name, func(r io.Reader) error {
			m, err := readCSV(ctx, r, name)
			x = compact(m)
			return err
		})
		return x, err
	case ".npz":
		read = readNPZFeatures
	case ".npy":
		read = readNPYFeatures
	default:
		return x, fmt.Errorf("%s: features of type %q, want .npz, .npy or .csv", name, ext)
	}
	if strings.ToLower(filepath.Ext(name)) == ".npy" {
		m, err := mapNPY(name, mapAbove)
		if err == nil && m != nil {
			err = checkFeatures(ctx, m)
		}
		if err != nil {
			return x, fmt.Errorf("%s: %w", name, err)
		}
		if m != nil {
			return compact(m), nil
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return x, err
	}
	if x, err = read(data); err != nil {
		return x, fmt.Errorf("%s: %w", name, err)
	}
	return x, ctx.Err()
}

// readNPZFeatures reads a matrix as scipy.sparse.save_npz writes it.
func readNPZFeatures(data []byte) (x graph.Features, err error) {
	z, err := openArchive(data)
	if err != nil {
		return x, err
	}
	format, err := z.content("format")
	if err != nil {
		return x, fmt.Errorf("%w: want an archive of scipy.sparse.save_npz", err)
	}
	// The name of the format ends the array; with 1 byte a letter, or 4.
	if !strings.HasSuffix(strings.ReplaceAll(string(format), "\x00", ""), "csr") {
		return x, fmt.Errorf("array format: no CSR matrix; convert it with tocsr()")
	}
	m, err := z.matrix("")
	if err != nil {
		return x, err
	}
	for i := range m.Rows {
		columns, values := m.Row(i)
		for p, v := range values {
			if err := checkFeature(i, int(columns[p]), v); err != nil {
				return x, err
			}
		}
	}
	return graph.Features{Sparse: m}, nil
}

// readNPYFeatures reads a 2-dimensional array.
func readNPYFeatures(data []byte) (x graph.Features, err error) {
	a, err := readNPY(data)
	if err != nil {
		return x, err
	}
	m, err := denseMatrix(a)
	if err != nil {
		return x, err
	}
	if err := checkFeatures(context.Background(), m); err != nil {
		return x, err
	}
	return compact(m), nil
}

// checkFeatures returns an error for the first value that is no feature.
func checkFeatures(ctx context.Context, m *blas32.General) error {
	for i := range m.Rows {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if err := checkFeature(i, j, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFeature returns an error for a value that is NaN, infinite or
// negative.
func checkFeature(i, j int, v float32) error {
	if !(v >= 0) || math.IsInf(float64(v), 1) {
		return fmt.Errorf("row %d, column %d (from 0): value %v, want a finite number that is not negative", i, j, v)
	}
	return nil
}

// compact keeps a matrix sparse if less than a quarter of it is not 0.
func compact(m *blas32.General) graph.Features {
	if m == nil {
		return graph.Features{}
	}
	filled := 0
	for _, v := range m.Data {
		if v != 0 {
			filled++
		}
	}
	if 4*filled < len(m.Data) {
		return graph.Features{Sparse: sparse(m)}
	}
	return graph.Features{Dense: m}
}
