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
)

// ReadFunc reads one part of g, or all of it, from a file. It sets only the
// fields of that part. Features are read before edges and labels, so that the
// readers of these know the number of nodes and, where the features name them,
// the nodes' names.
//
// The error names f and the line, row or array at fault, what was found and
// what was expected.
type ReadFunc func(ctx context.Context, f *os.File, g *graph.Graph) error

// Format describes the files with certain extensions. A function is nil where
// the format does not hold that part of a graph, or is not written.
type Format struct {
	// Extensions are in lower case and begin with a dot. The empty one stands
	// for names without an extension.
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

// Register adds a format. It is meant to be called from an init function, and
// panics if an extension is already taken.
func Register(f Format) {
	for _, ext := range f.Extensions {
		if _, taken := formats[ext]; taken {
			panic(fmt.Sprintf("format: extension %q registered twice", ext))
		}
		formats[ext] = f
	}
}

// Read reads a graph from one file in the format of its extension. The name of
// the graph is the file's without the extension. The error for an unknown
// extension lists those that hold whole graphs.
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

// Write writes g in the format of the extension of path. The file appears
// under its name only when it is complete.
func Write(path string, g *graph.Graph) error {
	write := formats[extension(path)].WriteGraph
	if write == nil {
		return unknown(path, "graph", func(f Format) bool { return f.WriteGraph != nil })
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	defer f.Close()
	if err := write(f, g); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// read reads the part of a graph that the word what names.
func read(ctx context.Context, path, what string, part func(Format) ReadFunc, g *graph.Graph) error {
	read := part(formats[extension(path)])
	if read == nil {
		return unknown(path, what, func(f Format) bool { return part(f) != nil })
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(ctx, f, g); err != nil {
		return err
	}
	return ctx.Err()
}

// unknown returns the error for a file whose format does not have what is
// asked for. It lists the extensions of the formats that do.
func unknown(path, what string, has func(Format) bool) error {
	var known []string
	for _, ext := range slices.Sorted(maps.Keys(formats)) {
		if ext != "" && has(formats[ext]) {
			known = append(known, ext)
		}
	}
	return fmt.Errorf("%s: %s of type %q, want %s", path, what, extension(path), strings.Join(known, " or "))
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
