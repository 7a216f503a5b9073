package input

import (
	"io"
	"math"
	"slices"
	"strconv"

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

func formatWeight(w float32) string { return strconv.FormatFloat(float64(w), 'g', -1, 32) }

// typeOf names the type of a column's values as both formats do.
func typeOf(c *Column) string {
	switch {
	case c.Numbers == nil:
		return "string"
	case slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != math.Trunc(v) }): // also for NaN, which is not written
		return "double"
	}
	return "long"
}

// eachEdge calls do with each edge once.
func eachEdge(nodes *Table, a *graph.CSR, do func(source, target string, weight float32)) {
	for i := range a.Rows {
		source, _ := nodes.Columns[0].Text(i)
		for j, weight := range a.Each(i) {
			if j >= i {
				target, _ := nodes.Columns[0].Text(j)
				do(source, target, weight)
			}
		}
	}
}
