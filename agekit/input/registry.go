package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

// readFunc reads a part of a graph.
type readFunc = func(ctx context.Context, f *os.File, g *graph.Graph) error

// Format describes the files with certain extensions. A function is nil if the format
// cannot hold that part or be written. Errors of readers name the file and the line, row
// or array at fault, what was found and what was expected.
type Format struct {
	// Extensions are in lower case and begin with a dot; "" is for names without one.
	Extensions []string

	// These read arrays, whose nodes are numbered from 0, from a regular file, and set
	// only their part of g: Graph all but the name; Features the features; Edges
	// Adjacency and ListedEdges. Features come first, so that Edges knows the number of
	// nodes.
	Graph, Features, Edges func(ctx context.Context, f *os.File, g *graph.Graph) error

	// Table reads a table of nodes or edges, whose nodes have ids.
	Table func(ctx context.Context, f *os.File, o TableOptions) (*Table, error)
	// Scan reads a table of edges row by row, in little memory: it calls find, and then do with
	// each row of the columns that this returns, whose fields are those that Table gives. It
	// adds the file and the row to do's errors. The table that it returns has no columns.
	Scan func(ctx context.Context, f *os.File, o TableOptions, find FindEdges, do func(*Edge) error) (*Table, error)
	// Tables reads a whole graph whose nodes have ids. The first column of nodes has
	// them; the columns "source" and "target" of edges refer to them.
	Tables func(ctx context.Context, f *os.File) (nodes, edges *Table, err error)

	// WriteTable writes t in the form that Table reads.
	WriteTable func(w io.Writer, t *Table) error
	// WriteTables writes a graph in the form that Tables reads: the first column of nodes
	// has the ids, the others become their data, and place, unless nil, says where the
	// nodes are drawn, if the format has places.
	WriteTables func(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error

	text bool // in lines
	list bool // Scan reads plain lists too ([Source].Edges)
}

// formats maps an extension to its format.
var formats = map[string]Format{}

// Register adds a format. Call it in init. It panics if an extension has a format already.
func Register(f Format) {
	for _, ext := range f.Extensions {
		if _, taken := formats[ext]; taken {
			panic(fmt.Sprintf("input: extension %q registered twice", ext))
		}
		formats[ext] = f
	}
}

// formatOf returns the format of the file at path, which must have a part. The error
// for any other lists the extensions that have it.
func formatOf(path, part string, has func(Format) bool) (Format, error) {
	if f, ok := formats[extension(path)]; ok && has(f) {
		return f, nil
	}
	known := strings.Join(extensions(has), " or ")
	return Format{}, errors.New(files.Shorten(fmt.Sprintf("%s: %s of type %s, want %s", path, part, files.Quote(extension(path)), known)))
}

// extensions lists the extensions of formats, but not the empty one.
func extensions(has func(Format) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(formats)), func(ext string) bool { return ext == "" || !has(formats[ext]) })
}

// GraphExtensions lists the extensions of the files that hold whole graphs.
func GraphExtensions() []string { return extensions(Format.isGraph) }

// HasTables reports whether path is a graph file whose nodes have ids and columns.
func HasTables(path string) bool { return formats[extension(unpackedName(path))].Tables != nil }

// isGraph reports whether files of a format hold whole graphs.
func (f Format) isGraph() bool { return f.Graph != nil || f.Tables != nil }

// open opens the file at path and calls read, with its format, which must have a part.
func open(ctx context.Context, path, part string, has func(Format) bool, read func(Format, *os.File) error) error {
	format, err := formatOf(unpackedName(path), part, has)
	if err != nil {
		return err
	}
	f, closing, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	defer closing()
	return read(format, f)
}

// readPart reads the part of a graph that what names.
func readPart(ctx context.Context, path, what string, part func(Format) readFunc, g *graph.Graph) error {
	err := open(ctx, path, what, func(f Format) bool { return part(f) != nil }, func(format Format, f *os.File) error { return part(format)(ctx, f, g) })
	return cmp.Or(err, ctx.Err())
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

func stem(path string) string {
	path = unpackedName(path)
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
