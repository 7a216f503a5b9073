package format

import (
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/graph"
)

// Files names the files of a graph whose parts are stored separately. Each
// file's extension selects its format. All must be regular files: pipes, devices
// and folders are errors.
type Files struct {
	// Features has one row of finite numbers per node, not all 0, and thus
	// determines the number of nodes: .npz (a CSR matrix as scipy's save_npz
	// writes it), .npy (a 2-dimensional array of bool, integers, float16,
	// float32 or float64) or .csv (comma-separated decimal numbers without
	// quotation marks; a first line without a number is a header). There may be
	// at most 2²⁴ columns. Values are converted to float32; one above its range
	// is an error. Required.
	Features string
	// Edges has one edge per line, "u TAB v" or "u TAB v TAB weight", with
	// nodes numbered from 0: .tsv, .txt, .edges, .edgelist or a name without
	// an extension. Direction does not matter, self loops are dropped, and an
	// edge listed twice keeps the larger weight. Either every line has a
	// weight, positive and finite, or none does. Required.
	Edges string
	// Labels has one label per line, an integer or a word of at most 1,024
	// bytes: .txt, .tsv, .csv (one column) or a name without an extension.
	// Classes are numbered in increasing order: in numeric order if all labels
	// are integers (1, +1 and 01 are the same), otherwise in lexical order.
	// Numbers that are not integers are errors if no label is a word. Default:
	// no labels.
	Labels string
	// Name is the graph's name. Default: the edge file's name without its
	// extension.
	Name string
}

// ReadFiles reads a graph from several files. Text files are UTF-8, with or
// without a byte-order mark, in lines of at most 64 MB. Lines that start with #
// are skipped, and so are blank lines of edges and at the end of a file; between
// rows or labels they are errors. Features are stored as a sparse matrix if less
// than a quarter of them are nonzero, and are read in blocks, without a second
// copy. A .npy file of more than 64 MB that holds float32 values in row-major
// order is memory-mapped instead of read; it must not change while the program
// runs.
//
// Errors name the file, the line or row, what was found and what was expected. A
// graph that needs more memory than is free is an error; $AGEKIT_MEMORY, such as
// 8GB, replaces the memory that is free.
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
	var err error
	if g.Features, err = ReadFeatures(ctx, files.Features); err != nil {
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
		if err := readLabelFile(ctx, files.Labels, g, files.Features); err != nil {
			return nil, err
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// ReadFeatures reads a matrix of features as [ReadFiles] does.
func ReadFeatures(ctx context.Context, path string) (graph.Features, error) {
	g := &graph.Graph{}
	err := read(ctx, path, "features", func(f Format) ReadFunc { return f.Features }, g)
	return g.Features, err
}

// readLabelFile sets the labels of g, whose features have one row per node and come
// from the file of nodes.
func readLabelFile(ctx context.Context, path string, g *graph.Graph, nodes string) error {
	err := read(ctx, path, "labels", func(f Format) ReadFunc { return f.Labels }, g)
	if n, _ := g.Features.Dims(); err == nil && len(g.Labels) != n {
		err = fmt.Errorf("%s: %d labels, want %d, %w", path, len(g.Labels), n, errCount)
	}
	if errors.Is(err, errCount) {
		return fmt.Errorf("%w (%s)", err, nodes)
	}
	return err
}
