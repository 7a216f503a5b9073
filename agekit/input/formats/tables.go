package formats

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// tablesOf returns a function for [Format].Tables that reads graph files with read, which adds the
// nodes and edges in r to b.
func tablesOf(read func(ctx context.Context, r io.Reader, b *graphBuilder) error) func(context.Context, *table.File) (*Tables, error) {
	return func(ctx context.Context, f *table.File) (*Tables, error) {
		// The tables take less memory than the text of the file, and some formats need copies of that
		// text while they are read: all is at most about three times the text.
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
		dropLabelsLikeIDs(nodes)
		for _, w := range b.warnings {
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
	warnings     []graphWarning
}

// graphWarning is a warning about nodes or edges that have something in common.
type graphWarning struct {
	what    string // such as "nodes are within others"
	example string // the first one
	count   int    // how many there are
}

// warn adds to the warning that says what, such as "nodes are within others", or begins it with an example.
func (b *graphBuilder) warn(what, example string) {
	k := slices.IndexFunc(b.warnings, func(w graphWarning) bool { return w.what == what })
	if k < 0 {
		k = len(b.warnings)
		b.warnings = append(b.warnings, graphWarning{what: what, example: example})
	}
	b.warnings[k].count++
}

// attribute is a datum of a node or an edge: a name with a value.
type attribute struct{ name, value string }

// dropLabelsLikeIDs removes the column "label" of a table of nodes if it only repeats the ids, which are in
// the first column.
func dropLabelsLikeIDs(t *table.Table) {
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

// rowBuilder collects rows whose columns become known on the way. The first columns are fixed: every
// row has a value in them.
type rowBuilder struct {
	columns []*lateColumn
	place   map[string]int // the index of each column, by its name
	fixed   int            // how many columns are fixed
	rows    int            // how many rows are complete
	long    error          // about the first word that is too long, if there is one
}

// lateColumn is a column that has words for some rows only.
type lateColumn struct {
	table.Column
	at []int32 // at[k] is the row of Codes[k]
}

// newRows returns a builder without rows, whose fixed columns have these names.
func newRows(fixed ...string) *rowBuilder {
	b := &rowBuilder{place: map[string]int{}, fixed: len(fixed)}
	for _, name := range fixed {
		b.column(name)
	}
	return b
}

// column returns the index of the column with a name, a new one if there is none.
func (b *rowBuilder) column(name string) int {
	k, ok := b.place[name]
	if !ok {
		k = len(b.columns)
		b.place[name], b.columns = k, append(b.columns, &lateColumn{Column: table.Column{Name: name}})
	}
	return k
}

// add appends a row with its attributes and its values in the fixed columns. An attribute with the name
// of a fixed column gets another name.
func (b *rowBuilder) add(attributes []attribute, fixed ...string) {
	for k, value := range fixed {
		b.set(k, value)
	}
	for _, a := range attributes {
		k := b.column(a.name)
		if k < b.fixed {
			k = b.column(a.name + " (attribute)")
		}
		b.set(k, a.value)
	}
	b.rows++
}

// set sets the word in column k of the row that add appends. If the row has a word there already, the
// new one replaces it. A word longer than longestWord is an error of [rowBuilder.table].
func (b *rowBuilder) set(k int, word string) {
	c := b.columns[k]
	if last := len(c.at) - 1; last >= 0 && int(c.at[last]) == b.rows {
		c.at, c.Codes = c.at[:last], c.Codes[:last]
	}
	if len(word) > longestWord && b.long == nil {
		b.long = fmt.Errorf("row %d: %s has %d bytes: want at most %d", b.rows+1, message.Quote(c.Name), len(word), longestWord)
	}
	c.AddWord(word)
	c.at = append(c.at, int32(b.rows))
}

// longestWord is the length of the longest word, in bytes, as in a line of separated text. It is a variable
// for tests.
var longestWord = readfile.LongestLine

// dropOnes drops the column with a name if all of its values are 1.
func (b *rowBuilder) dropOnes(name string) {
	if k, ok := b.place[name]; ok && slices.Equal(b.columns[k].Values, []string{"1"}) {
		b.columns = slices.Delete(b.columns, k, k+1)
		delete(b.place, name)
	}
}

// table returns the rows as a table, whose fixed columns hold words; other columns hold numbers if all
// values are. Path is that of the file.
func (b *rowBuilder) table(path string) (*table.Table, error) {
	if b.long != nil {
		return nil, fmt.Errorf("%s: %w", path, b.long)
	}
	const perCell = 12 // bytes: a code, and a number if all values are
	if err := system.CheckMemory(fmt.Sprintf("%s: table of %d rows and %d columns", path, b.rows, len(b.columns)), perCell*float64(b.rows)*float64(len(b.columns))); err != nil {
		return nil, err
	}
	t := &table.Table{Path: path, Rows: b.rows}
	for k, c := range b.columns {
		codes := slices.Repeat([]int32{-1}, b.rows) // missing, unless set below
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
