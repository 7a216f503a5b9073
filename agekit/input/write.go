package input

import (
	"io"

	"github.com/agekit/age/agekit/graph"
)

// TableWriter returns the function that writes a table in the format of path's extension.
func TableWriter(path string) (func(w io.Writer, t *Table) error, error) {
	f, err := formatOf(path, "table", func(f Format) bool { return f.WriteTable != nil })
	return f.WriteTable, err
}

// GraphWriter returns the function that writes a graph with ids in the format that the
// extension of path selects: see [Format.WriteTables].
func GraphWriter(path string) (func(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error, error) {
	f, err := formatOf(path, "graph", func(f Format) bool { return f.WriteTables != nil })
	return f.WriteTables, err
}

// Place says where the nodes of a graph are drawn, and in which color.
type Place struct {
	// X and Y are the coordinates.
	X, Y []float64
	// Color returns a node's color: red, green and blue from 0 to 255.
	Color func(node int) (r, g, b uint8)
}
