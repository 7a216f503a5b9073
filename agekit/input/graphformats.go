package input

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/agekit/age/agekit/graph"
)

// readFunc reads a part of a graph.
type readFunc = func(ctx context.Context, f *os.File, g *graph.Graph) error

// GraphFormat describes the files of graphs with certain extensions. A function is nil if the format
// cannot hold that part or be written. Errors of readers name the file and the line, row
// or array at fault, what was found and what was expected.
type GraphFormat struct {
	// Extensions are in lower case and begin with a dot; "" is for names without one.
	Extensions []string

	// These read arrays, whose nodes are numbered from 0, from a regular file, and set
	// only their part of g: Graph all but the name; Features the features; Edges
	// Adjacency and ListedEdges. Features come first, so that Edges knows the number of
	// nodes.
	Graph, Features, Edges func(ctx context.Context, f *os.File, g *graph.Graph) error

	// Tables reads a whole graph whose nodes have ids, from a file that may be packed by gzip.
	Tables func(ctx context.Context, f *os.File) (*Tables, error)

	// Write writes a graph in the form that Tables reads: the first column of nodes
	// has the ids, the others become their data, and place, unless nil, says where the
	// nodes are drawn, if the format has places.
	Write func(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error
}

// Tables are the nodes and edges of a graph whose nodes have ids.
type Tables struct {
	// Nodes has the ids in its first column. The columns "source" and "target" of Edges refer to
	// them.
	Nodes, Edges *Table
	Directed     bool // the edges have a direction
}

// Place says where the nodes of a graph are drawn, and in which color.
type Place struct {
	// X and Y are the coordinates.
	X, Y []float64
	// Color returns a node's color: red, green and blue from 0 to 255.
	Color func(node int) (r, g, b uint8)
}

var graphFormats = Registry[GraphFormat]{}

// RegisterGraph adds a format. Call it in init. It panics if an extension has a format already.
func RegisterGraph(f GraphFormat) {
	graphFormats.Add(f, f.Extensions...)
	if f.Tables != nil {
		Packable(f.Extensions...)
	}
}

// isGraph reports whether files of a format hold whole graphs.
func (f GraphFormat) isGraph() bool { return f.Graph != nil || f.Tables != nil }

// GraphExtensions lists the extensions of the files that hold whole graphs.
func GraphExtensions() []string { return graphFormats.Extensions(GraphFormat.isGraph) }

// FindGraph returns the format of the file at path, which may be packed and must hold a whole graph.
// The error for any other lists the extensions that do.
func FindGraph(path string) (GraphFormat, error) {
	return graphFormats.Find(unpackedName(path), "graph", GraphFormat.isGraph)
}

// HasTables reports whether path is a graph file whose nodes have ids and columns.
func HasTables(path string) bool { return graphFormats.Of(unpackedName(path)).Tables != nil }

// HasEdges reports whether path is a file of edges between numbered nodes, as a matrix.
func HasEdges(path string) bool { return graphFormats.Of(unpackedName(path)).Edges != nil }

// GraphWriter returns the function that writes a graph with ids in the format that the
// extension of path selects: see [GraphFormat].Write.
func GraphWriter(path string) (func(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error, error) {
	f, err := graphFormats.Find(path, "graph", func(f GraphFormat) bool { return f.Write != nil })
	return f.Write, err
}

// ReadGraph reads the whole graph of numbered nodes in a file.
func ReadGraph(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "graph", func(f GraphFormat) readFunc { return f.Graph }, g)
}

// ReadFeatures reads the features in a file.
func ReadFeatures(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "features", func(f GraphFormat) readFunc { return f.Features }, g)
}

// ReadEdges reads the edges in a file. If g has features, it has as many nodes as they have rows.
func ReadEdges(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "edges", func(f GraphFormat) readFunc { return f.Edges }, g)
}

// readPart reads the part of a graph that what names.
func readPart(ctx context.Context, path, what string, part func(GraphFormat) readFunc, g *graph.Graph) error {
	format, err := graphFormats.Find(unpackedName(path), what, func(f GraphFormat) bool { return part(f) != nil })
	if err != nil {
		return err
	}
	f, closing, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	defer closing()
	return cmp.Or(part(format)(ctx, f, g), ctx.Err())
}

// ReadTables reads the tables of nodes and edges of a graph file.
func ReadTables(ctx context.Context, path string) (*Tables, error) {
	format, err := graphFormats.Find(unpackedName(path), "graph", func(f GraphFormat) bool { return f.Tables != nil })
	if err != nil {
		return nil, err
	}
	f, closing, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer closing()
	return format.Tables(ctx, f)
}
