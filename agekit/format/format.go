package format

import (
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
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/output"
)

// ReadFunc reads one part of g, or all of it, from a regular file. It sets only the
// fields of that part. Features are read before edges and labels, so that the
// readers of edges and labels know the number of nodes and, if the feature
// file contains them, the node names.
//
// The error names f and the line, row or array at fault, what was found and
// what was expected.
type ReadFunc func(ctx context.Context, f *os.File, g *graph.Graph) error

// Format describes the files with certain extensions. A function is nil if the
// format cannot hold that part of a graph or cannot be written.
type Format struct {
	// Extensions are in lower case and begin with a dot. The empty string
	// stands for names without an extension.
	Extensions []string

	Graph    ReadFunc // sets all fields but Name
	Features ReadFunc // sets Features
	Edges    ReadFunc // sets Adjacency and ListedEdges
	Labels   ReadFunc // sets Labels, Classes and ClassNames

	// WriteGraph writes g in the form that Graph reads.
	WriteGraph func(w io.Writer, g *graph.Graph) error
}

// formats maps an extension to its format.
var formats = map[string]Format{}

// Register adds a format. It is meant to be called from an init function. It
// panics if an extension is already registered.
func Register(f Format) {
	for _, ext := range f.Extensions {
		if _, taken := formats[ext]; taken {
			panic(fmt.Sprintf("format: extension %q registered twice", ext))
		}
		formats[ext] = f
	}
}

// Read reads a graph from one file, whose extension selects the format. The
// graph's name is the file's name without the extension. The error for an
// unknown extension lists the extensions that can hold whole graphs.
func Read(ctx context.Context, path string) (*graph.Graph, error) {
	g := &graph.Graph{Name: stem(path)}
	if err := read(ctx, path, "graph", func(f Format) ReadFunc { return f.Graph }, g); err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// Write writes g to the file at path, whose extension selects the format. The
// file appears under its name only when it is complete.
func Write(path string, g *graph.Graph) error {
	write := formats[extension(path)].WriteGraph
	if write == nil {
		return unknown(path, "graph", func(f Format) bool { return f.WriteGraph != nil })
	}
	return output.File(path, func(w io.Writer) error { return write(w, g) })
}

// read reads the part of a graph that what names.
func read(ctx context.Context, path, what string, part func(Format) ReadFunc, g *graph.Graph) error {
	read := part(formats[extension(path)])
	if read == nil {
		return unknown(path, what, func(f Format) bool { return part(f) != nil })
	}
	f, _, err := limit.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(ctx, f, g); err != nil {
		return err
	}
	return ctx.Err()
}

// HasEdges reports whether files with the extension of path can hold edges between
// nodes that are numbered from 0.
func HasEdges(path string) bool { return formats[extension(path)].Edges != nil }

// unknown returns the error for a file whose format cannot hold the requested
// part of a graph. It lists the extensions of the formats that can.
func unknown(path, what string, has func(Format) bool) error {
	var known []string
	for _, ext := range slices.Sorted(maps.Keys(formats)) {
		if ext != "" && has(formats[ext]) {
			known = append(known, ext)
		}
	}
	return errors.New(limit.Shorten(fmt.Sprintf("%s: %s of type %s, want %s", path, what, limit.Quote(extension(path)), strings.Join(known, " or "))))
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
