package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/agekit/age/internal/limit"
)

// GraphFile is a graph that was read from one file: GraphML, GEXF or NetworkX's
// node-link JSON.
type GraphFile struct {
	// Nodes has the nodes' ids as its first column, "id", and their attributes.
	Nodes *Table
	// Edges has the columns "source" and "target", and the edges' attributes.
	Edges *Table
}

// graphReaders maps an extension to the reader of a graph file.
var graphReaders = map[string]func(ctx context.Context, r io.Reader, b *graphBuilder) error{
	".graphml": readGraphML, ".gexf": readGEXF, ".json": readNodeLink,
}

// HoldsGraph reports whether the extension of path is that of a graph file.
func HoldsGraph(path string) bool { return graphReaders[extension(path)] != nil }

// ReadGraph reads a graph file, whose extension selects the format: .graphml, .gexf
// or .json. Errors name the file, the node or edge and its line, if it has one.
func ReadGraph(ctx context.Context, path string) (*GraphFile, error) {
	read := graphReaders[extension(path)]
	if read == nil {
		return nil, fmt.Errorf("%s: graph of type %s, want .graphml, .gexf or .json", path, limit.Quote(extension(path)))
	}
	f, size, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// What is kept of a node or an edge takes less than its text.
	if err := limit.Memory(path+": graph", float64(size)); err != nil {
		return nil, err
	}
	b := &graphBuilder{nodes: newRows("id"), edges: newRows("source", "target")}
	if err := read(ctx, f, b); err != nil {
		return nil, named(f, err)
	}
	if b.nodes.rows == 0 {
		return nil, fmt.Errorf("%s: no nodes: want a graph", path)
	}
	b.dropEqual("label", "id")
	g := &GraphFile{Nodes: b.nodes.table(path), Edges: b.edges.table(path)}
	g.Edges.directed = b.directed
	return g, nil
}

func named(f *os.File, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}

// graphBuilder collects the nodes and edges of a graph file.
type graphBuilder struct {
	nodes, edges *rowBuilder
	directed     bool
}

// attribute is a name with a value.
type attribute struct{ name, value string }

func (b *graphBuilder) node(id string, attributes []attribute) {
	b.nodes.add([]string{id}, attributes)
}

func (b *graphBuilder) edge(source, target string, attributes []attribute) {
	b.edges.add([]string{source, target}, attributes)
}

// dropEqual removes a column of the nodes that only repeats another one.
func (b *graphBuilder) dropEqual(name, other string) {
	k, j := b.nodes.place[name], b.nodes.place[other]
	if k == 0 {
		return
	}
	c, o := b.nodes.columns[k], b.nodes.columns[j]
	for row := range b.nodes.rows {
		if row >= len(c.codes) || c.codes[row] < 0 || c.values[c.codes[row]] != o.values[o.codes[row]] {
			return
		}
	}
	b.nodes.columns = slices.Delete(b.nodes.columns, k, k+1)
}

// rowBuilder collects rows whose columns become known on the way.
type rowBuilder struct {
	columns []*namedWords
	place   map[string]int
	fixed   int
	rows    int
}

// namedWords is a column of words with its name; the last rows may be missing.
type namedWords struct {
	name string
	Words
}

func newRows(fixed ...string) *rowBuilder {
	b := &rowBuilder{place: map[string]int{}, fixed: len(fixed)}
	for _, name := range fixed {
		b.column(name)
	}
	return b
}

// column returns the place of the column with a name.
func (b *rowBuilder) column(name string) int {
	k, ok := b.place[name]
	if !ok {
		k = len(b.columns)
		b.place[name], b.columns = k, append(b.columns, &namedWords{name: name})
	}
	return k
}

func (b *rowBuilder) add(fixed []string, attributes []attribute) {
	for k, value := range fixed {
		b.columns[k].set(b.rows, value)
	}
	for _, a := range attributes {
		k := b.column(a.name)
		if k < b.fixed { // an attribute with the name of what every row has
			k = b.column(a.name + " (attribute)")
		}
		b.columns[k].set(b.rows, a.value)
	}
	b.rows++
}

// table returns the rows as a table, with columns of numbers where all values are.
func (b *rowBuilder) table(path string) *Table {
	t := &Table{Path: path, Rows: b.rows}
	for _, c := range b.columns {
		c.pad(b.rows)
		t.Columns = append(t.Columns, c.column())
	}
	return t
}

// column returns the column, of numbers if all words are.
func (c *namedWords) column() Column {
	numbers := make([]float64, len(c.values))
	for k, v := range c.values {
		var ok bool
		if numbers[k], _, ok = (style{}).number(v); !ok {
			return c.Column(c.name)
		}
	}
	out := Column{Name: c.name, Numbers: make([]float64, len(c.codes))}
	for row, code := range c.codes {
		out.Numbers[row] = math.NaN()
		if code >= 0 {
			out.Numbers[row] = numbers[code]
		}
	}
	return out
}
