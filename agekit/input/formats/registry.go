package formats

import (
	"context"
	"io"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
)

// readFunc reads a part of a graph.
type readFunc = func(ctx context.Context, f *table.File, g *graph.Graph) error

// Format describes the files of graphs with certain extensions. A function is nil if the format
// cannot hold that part or be written. Errors of readers name the file and the line, row
// or array at fault, what was found and what was expected.
type Format struct {
	// Extensions are in lower case and begin with a dot; "" is for names without one.
	Extensions []string

	// These read arrays, whose nodes are numbered from 0, from a regular file, and set
	// only their part of g: Graph all but the name; Features the features; Edges
	// Adjacency and ListedEdges. Features come first, so that Edges knows the number of
	// nodes.
	Graph, Features, Edges func(ctx context.Context, f *table.File, g *graph.Graph) error

	// Tables reads a whole graph whose nodes have ids, from a file that may be packed by gzip.
	Tables func(ctx context.Context, f *table.File) (*Tables, error)

	// Write writes a graph in the form that Tables reads: the first column of nodes
	// has the ids, the others become their data, and place, unless nil, says where the
	// nodes are drawn, if the format has places.
	Write func(w io.Writer, nodes *table.Table, a *graph.CSR, place *Place) error
}

// Tables are the nodes and edges of a graph whose nodes have ids.
type Tables struct {
	// Nodes has the ids in its first column. The columns "source" and "target" of Edges refer to
	// them.
	Nodes, Edges *table.Table
	Directed     bool // the edges have a direction
}

// Place says where the nodes of a graph are drawn, and in which color.
type Place struct {
	// X and Y are the coordinates.
	X, Y []float64
	// Color returns a node's color: red, green and blue from 0 to 255.
	Color func(node int) (r, g, b uint8)
}

var registered = table.Registry[Format]{}

// Register adds a format. Call it in init. It panics if an extension has a format already.
func Register(f Format) {
	registered.Add(f, f.Extensions...)
	if f.Tables != nil {
		table.Packable(f.Extensions...)
	}
}

// isGraph reports whether files of a format hold whole graphs.
func (f Format) isGraph() bool { return f.Graph != nil || f.Tables != nil }

// Extensions lists the extensions of the files that hold whole graphs.
func Extensions() []string { return registered.Extensions(Format.isGraph) }

// FindGraph returns the format of the file at path, which may be packed and must hold a whole graph.
// The error for any other lists the extensions that do.
func FindGraph(path string) (Format, error) {
	return registered.Find(table.Unpacked(path), "graph", Format.isGraph)
}

// HasTables reports whether path, by its extension, is a graph file whose nodes have ids and columns.
func HasTables(path string) bool { return registered.Of(table.Unpacked(path)).Tables != nil }

// HasEdges reports whether path, by its extension, is a file with a matrix of edges between numbered nodes.
func HasEdges(path string) bool { return registered.Of(table.Unpacked(path)).Edges != nil }

// Writer returns the function that writes a graph with ids in the format that the
// extension of path selects: see [Format].Write.
func Writer(path string) (func(w io.Writer, nodes *table.Table, a *graph.CSR, place *Place) error, error) {
	f, err := registered.Find(path, "graph", func(f Format) bool { return f.Write != nil })
	return f.Write, err
}

// ReadGraph reads the whole graph of numbered nodes in the file at path, and sets all of g but the name.
func ReadGraph(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "graph", func(f Format) readFunc { return f.Graph }, g)
}

// ReadFeatures reads the features in the file at path, and sets those of g.
func ReadFeatures(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "features", func(f Format) readFunc { return f.Features }, g)
}

// ReadEdges reads the edges between numbered nodes in the file at path, and sets Adjacency and
// ListedEdges of g. If g has features, they must have a row for each node.
func ReadEdges(ctx context.Context, path string, g *graph.Graph) error {
	return readPart(ctx, path, "edges", func(f Format) readFunc { return f.Edges }, g)
}

// readPart reads a part of a graph from the file at path, and sets it in g. Part returns the reader of
// that part, nil if a format has none; what is the name of the part, for errors.
func readPart(ctx context.Context, path, what string, part func(Format) readFunc, g *graph.Graph) error {
	format, err := registered.Find(table.Unpacked(path), what, func(f Format) bool { return part(f) != nil })
	if err != nil {
		return err
	}
	f, err := table.OpenFile(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := part(format)(ctx, f, g); err != nil {
		return err
	}
	return ctx.Err()
}

// ReadTables reads the tables of nodes and edges of a graph file.
func ReadTables(ctx context.Context, path string) (*Tables, error) {
	format, err := registered.Find(table.Unpacked(path), "graph", func(f Format) bool { return f.Tables != nil })
	if err != nil {
		return nil, err
	}
	f, err := table.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return format.Tables(ctx, f)
}
