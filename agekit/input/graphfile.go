package input

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/agekit/age/internal/limit"
)

// readGraphTables reads the tables of nodes and edges of a graph file.
func readGraphTables(ctx context.Context, path string) (nodes, edges *Table, err error) {
	err = open(path, "graph", func(f Format) bool { return f.Tables != nil }, func(format Format, f *os.File) (err error) {
		nodes, edges, err = format.Tables(ctx, f)
		return err
	})
	return nodes, edges, err
}

// tablesOf returns a reader of graph files that collects what read finds.
func tablesOf(read func(ctx context.Context, r io.Reader, b *graphBuilder) error) func(context.Context, *os.File) (nodes, edges *Table, err error) {
	return func(ctx context.Context, f *os.File) (nodes, edges *Table, err error) {
		// A node or an edge takes less memory than its text.
		if err := limit.Memory(f.Name()+": graph", float64(sizeOf(f))); err != nil {
			return nil, nil, err
		}
		b := &graphBuilder{nodes: newRows("id"), edges: newRows("source", "target")}
		if err := read(ctx, f, b); err != nil {
			return nil, nil, named(f, err)
		}
		if b.nodes.rows == 0 {
			return nil, nil, fmt.Errorf("%s: no nodes: want a graph", f.Name())
		}
		b.dropLabels()
		nodes, edges = b.nodes.table(f.Name()), b.edges.table(f.Name())
		edges.Directed = b.directed
		return nodes, edges, nil
	}
}

// graphBuilder collects the nodes and edges of a graph file.
type graphBuilder struct {
	nodes, edges *rowBuilder
	directed     bool
}

// attribute is a name with a value.
type attribute struct{ name, value string }

// dropLabels removes the column "label" of the nodes if it only repeats their ids.
func (b *graphBuilder) dropLabels() {
	k := b.nodes.place["label"]
	if k == 0 {
		return
	}
	ids, labels := b.nodes.columns[0], b.nodes.columns[k]
	for row := range b.nodes.rows {
		if row >= len(labels.Codes) || labels.Codes[row] < 0 || labels.Values[labels.Codes[row]] != ids.Values[ids.Codes[row]] {
			return
		}
	}
	b.nodes.columns = slices.Delete(b.nodes.columns, k, k+1)
}

// rowBuilder collects rows whose columns become known on the way.
type rowBuilder struct {
	columns []*Column
	place   map[string]int
	fixed   int
	rows    int
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
		b.place[name], b.columns = k, append(b.columns, &Column{Name: name})
	}
	return k
}

// add appends a row: its values in the fixed columns, and its attributes.
func (b *rowBuilder) add(attributes []attribute, fixed ...string) {
	for k, value := range fixed {
		set(b.columns[k], b.rows, value)
	}
	for _, a := range attributes {
		k := b.column(a.name)
		if k < b.fixed { // an attribute with the name of what every row has
			k = b.column(a.name + " (attribute)")
		}
		set(b.columns[k], b.rows, a.value)
	}
	b.rows++
}

// table returns the rows as a table, with columns of numbers where all values are.
func (b *rowBuilder) table(path string) *Table {
	t := &Table{Path: path, Rows: b.rows}
	for _, c := range b.columns {
		pad(c, b.rows)
		t.Columns = append(t.Columns, numbersOrWords(*c))
	}
	return t
}

// set sets the word of the last row; the rows since the word before are missing.
func set(c *Column, row int, word string) {
	pad(c, row)
	c.Codes = c.Codes[:row]
	c.AddWord(word)
}

// pad appends missing values up to a number of rows.
func pad(c *Column, rows int) {
	for len(c.Codes) < rows {
		c.Codes = append(c.Codes, -1)
	}
}

// numbersOrWords returns a column of words as one of numbers if all are.
func numbersOrWords(c Column) Column {
	numbers := make([]float64, len(c.Values))
	for k, v := range c.Values {
		var ok bool
		if numbers[k], _, ok = (style{}).number(v); !ok {
			c.index = nil
			return c
		}
	}
	out := Column{Name: c.Name, Numbers: make([]float64, 0, len(c.Codes))}
	for _, code := range c.Codes {
		v := math.NaN()
		if code >= 0 {
			v = numbers[code]
		}
		out.Numbers = append(out.Numbers, v)
	}
	return out
}
