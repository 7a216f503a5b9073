package formats

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// tablesOf returns a reader of graph files that collects what read finds.
func tablesOf(read func(ctx context.Context, r io.Reader, b *graphBuilder) error) func(context.Context, *table.File) (*Tables, error) {
	return func(ctx context.Context, f *table.File) (*Tables, error) {
		// A node or an edge takes less memory than its text, of which some formats need copies.
		const copies = 3
		if err := system.CheckMemory(f.Name()+": graph", float64(copies*f.Size())); err != nil {
			return nil, err
		}
		b := &graphBuilder{nodes: newRows("id"), edges: newRows("source", "target")}
		if err := read(ctx, readfile.Text(f), b); err != nil {
			return nil, f.Error(err)
		}
		if b.nodes.rows == 0 {
			return nil, fmt.Errorf("%s: no nodes: want a graph", f.Name())
		}
		nodes, err := b.nodes.table(f.Name())
		if err != nil {
			return nil, err
		}
		dropLabels(nodes)
		for _, w := range b.said {
			nodes.Warn("%d %s: the first is %s", w.count, w.what, w.example)
		}
		edges, err := b.edges.table(f.Name())
		if err != nil {
			return nil, err
		}
		return &Tables{Nodes: nodes, Edges: edges, Directed: b.directed}, nil
	}
}

// graphBuilder collects the nodes and edges of a graph file.
type graphBuilder struct {
	nodes, edges *rowBuilder
	directed     bool
	said         []graphWarning
}

// graphWarning is what a warning says, how often, and the first example.
type graphWarning struct {
	what, example string
	count         int
}

// warn counts what a warning says, such as "nodes are within others", with the first example.
func (b *graphBuilder) warn(what, example string) {
	k := slices.IndexFunc(b.said, func(w graphWarning) bool { return w.what == what })
	if k < 0 {
		k, b.said = len(b.said), append(b.said, graphWarning{what, example, 0})
	}
	b.said[k].count++
}

// attribute is a name with a value.
type attribute struct{ name, value string }

// dropLabels removes the column "label" of a table of nodes if it only repeats their ids.
func dropLabels(t *table.Table) {
	k := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == "label" })
	if k <= 0 {
		return
	}
	for row := range t.Rows {
		id, _ := t.Columns[0].Text(row)
		if label, ok := t.Columns[k].Text(row); !ok || label != id {
			return
		}
	}
	t.Columns = slices.Delete(t.Columns, k, k+1)
}

// rowBuilder collects rows whose columns become known on the way.
type rowBuilder struct {
	columns []*lateColumn
	place   map[string]int
	fixed   int
	rows    int
}

// lateColumn has the words of some rows.
type lateColumn struct {
	table.Column
	at []int32 // the rows of Codes
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
		b.place[name], b.columns = k, append(b.columns, &lateColumn{Column: table.Column{Name: name}})
	}
	return k
}

// add appends a row: its values in the fixed columns, and its attributes.
func (b *rowBuilder) add(attributes []attribute, fixed ...string) {
	for k, value := range fixed {
		b.set(k, value)
	}
	for _, a := range attributes {
		k := b.column(a.name)
		if k < b.fixed { // an attribute with the name of what every row has
			k = b.column(a.name + " (attribute)")
		}
		b.set(k, a.value)
	}
	b.rows++
}

// set sets the word of the last row in a column, even if it has one.
func (b *rowBuilder) set(k int, word string) {
	c := b.columns[k]
	if last := len(c.at) - 1; last >= 0 && int(c.at[last]) == b.rows {
		c.at, c.Codes = c.at[:last], c.Codes[:last]
	}
	c.AddWord(word)
	c.at = append(c.at, int32(b.rows))
}

// dropOnes drops a column whose values are all 1.
func (b *rowBuilder) dropOnes(name string) {
	if k, ok := b.place[name]; ok && slices.Equal(b.columns[k].Values, []string{"1"}) {
		b.columns = slices.Delete(b.columns, k, k+1)
		delete(b.place, name)
	}
}

// table returns the rows as a table, with columns of numbers where all values are.
func (b *rowBuilder) table(path string) (*table.Table, error) {
	if err := system.CheckMemory(fmt.Sprintf("%s: table of %d rows and %d columns", path, b.rows, len(b.columns)), 12*float64(b.rows)*float64(len(b.columns))); err != nil {
		return nil, err
	}
	t := &table.Table{Path: path, Rows: b.rows}
	for k, c := range b.columns {
		codes := slices.Repeat([]int32{-1}, b.rows)
		for p, row := range c.at {
			codes[row] = c.Codes[p]
		}
		c.Codes = codes
		if k >= b.fixed { // ids remain words
			c.Column = table.NumbersOrWords(c.Column)
		}
		t.Columns = append(t.Columns, c.Column)
	}
	t.Finish()
	return t, nil
}
