package format

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// Files names the files of a graph whose parts are stored separately. Each
// file's extension selects its format.
type Files struct {
	// Features has one row of finite numbers ≥ 0 per node, and thus determines
	// the number of nodes: .npz (a CSR matrix as scipy's save_npz writes it),
	// .npy (a 2-dimensional array) or .csv (comma-separated; a first line
	// without a number is a header). Required.
	Features string
	// Edges has one edge per line, "u TAB v" or "u TAB v TAB weight", with
	// nodes numbered from 0: .tsv, .txt, .edges, .edgelist or a name without
	// an extension. Direction does not matter, self loops are dropped, and an
	// edge listed twice keeps the larger weight. Either every line has a
	// weight, positive and finite, or none does. Required.
	Edges string
	// Labels has one label per line, an integer or a word: .txt, .tsv, .csv or
	// a name without an extension. Classes are numbered in increasing order:
	// in numeric order if all labels are integers, otherwise in lexical order.
	// Default: no labels.
	Labels string
	// Name is the graph's name. Default: the edge file's name without its
	// extension.
	Name string
}

// ReadFiles reads a graph from several files. In text files, blank lines and
// lines that start with # are skipped. Features are stored as a sparse matrix
// if less than a quarter of them are nonzero. A .npy file of more than 64 MB
// that holds float32 values in row-major order is memory-mapped instead of
// read; it must not change while the program runs. Errors name the file, the
// line or row, what was found and what was expected.
func ReadFiles(ctx context.Context, files Files) (*graph.Graph, error) {
	if files.Edges == "" {
		return nil, fmt.Errorf("no edge file: want a .tsv file with lines \"u TAB v\"")
	}
	if files.Features == "" {
		return nil, fmt.Errorf("no feature file: the method needs one row of features per node (.npz, .npy or .csv)")
	}
	g := &graph.Graph{Name: files.Name}
	if g.Name == "" {
		g.Name = stem(files.Edges)
	}
	if err := read(ctx, files.Features, "features", func(f Format) ReadFunc { return f.Features }, g); err != nil {
		return nil, err
	}
	n, _ := g.Features.Dims()
	if n == 0 {
		return nil, fmt.Errorf("%s: no rows: want one per node", files.Features)
	}
	if err := read(ctx, files.Edges, "edges", func(f Format) ReadFunc { return f.Edges }, g); err != nil {
		return nil, err
	}
	if files.Labels != "" {
		if err := read(ctx, files.Labels, "labels", func(f Format) ReadFunc { return f.Labels }, g); err != nil {
			return nil, err
		}
		if len(g.Labels) != n {
			return nil, fmt.Errorf("%s: %d labels, want %d, one for each row of %s", files.Labels, len(g.Labels), n, files.Features)
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// denseFeatures checks a feature matrix, and makes it sparse if less than a
// quarter of it is nonzero.
func denseFeatures(ctx context.Context, m blas32.General) (graph.Features, error) {
	filled := 0
	for i := range m.Rows {
		if i&0xfff == 0 && ctx.Err() != nil {
			return graph.Features{}, ctx.Err()
		}
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if err := checkFeature(i, j, v); err != nil {
				return graph.Features{}, err
			}
			if v != 0 {
				filled++
			}
		}
	}
	if 4*filled < m.Rows*m.Cols {
		return graph.Features{Sparse: graph.FromDense(m)}, nil
	}
	return graph.Features{Dense: &m}, nil
}

// checkFeature returns an error for a value that is NaN, infinite or
// negative.
func checkFeature(i, j int, v float32) error {
	if !(v >= 0) || math.IsInf(float64(v), 1) {
		return fmt.Errorf("row %d, column %d (from 0): value %v, want a finite number that is not negative", i, j, v)
	}
	return nil
}
