package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/classes"

	"gonum.org/v1/gonum/blas/blas32"
)

// openTables reads a graph from tables.
func openTables(ctx context.Context, in Source) (*Data, error) {
	nodes, edges, err := in.tables(ctx)
	if err != nil {
		return nil, err
	}
	l := &Data{Graph: &graph.Graph{Name: cmp.Or(in.Name, stem(cmp.Or(in.Graph, in.Nodes, in.Edges)))}}
	var matrix graph.Features
	if in.Features != "" {
		if matrix, err = readFeatures(ctx, in.Features); err != nil {
			return nil, err
		}
	}
	rows, _ := matrix.Dims()
	ids := &nodeIDs{}
	switch {
	case nodes != nil:
		ids, err = l.readNodes(in, nodes, edges)
		if err == nil && in.Features != "" && rows != nodes.Rows {
			err = fmt.Errorf("%s: %d rows, want one for each of the %d nodes of %s", in.Features, rows, nodes.Rows, nodes.Path)
		}
	case in.ID != "" || in.Label != "":
		err = errors.New("Source.ID and Source.Label are columns of a table of nodes: want Source.Nodes too")
	case in.Features != "":
		ids, err = rowNumbers(rows)
	}
	if err != nil {
		return nil, err
	}
	if in.isMatrix() {
		err = l.readMatrix(ctx, in, ids)
	} else {
		err = l.readEdges(in, edges, ids)
	}
	if err != nil {
		return nil, err
	}
	l.Graph.NodeNames = ids.names
	if err := l.makeFeatures(ctx, in, nodes, matrix); err != nil {
		return nil, err
	}
	if in.Labels != "" && in.Label != "" {
		return nil, errors.New("Source.Labels and Source.Label: want one or the other")
	}
	if in.Labels != "" {
		if err := readLabelFile(ctx, in.Labels, l.Graph, cmp.Or(in.Graph, in.Nodes, in.Features, in.Edges)); err != nil {
			return nil, err
		}
	}
	return l, l.Graph.Validate()
}

// tables reads the tables of nodes, nil if there is none, and of edges.
func (in Source) tables(ctx context.Context) (nodes, edges *Table, err error) {
	if in.Graph != "" {
		return readGraphTables(ctx, in.Graph)
	}
	if !in.isMatrix() {
		edges, err = ReadTable(ctx, in.Edges, TableOptions{Edges: true, Header: in.Header})
	}
	if err != nil || in.Nodes == "" {
		return nil, edges, err
	}
	nodes, err = ReadTable(ctx, in.Nodes, TableOptions{Header: in.Header})
	return nodes, edges, err
}

// isMatrix reports whether the edges are an adjacency matrix.
func (in Source) isMatrix() bool { return extension(in.Edges) == ".npz" }

// rowNumbers returns the ids 0, 1, 2, ….
func rowNumbers(n int) (*nodeIDs, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return newIDs(names)
}

// readNodes finds the ids and the labels.
func (l *Data) readNodes(in Source, nodes, edges *Table) (*nodeIDs, error) {
	if len(nodes.Notes) > 0 {
		l.note("%s: %s", nodes.Path, strings.Join(nodes.Notes, "; "))
	}
	column, err := 0, error(nil)
	switch {
	case in.Graph != "" && in.ID != "":
		err = fmt.Errorf("%s has its own ids: Source.ID is for a table of nodes", in.Graph)
	case in.Graph != "":
	case in.ID != "":
		column, err = nodes.Find(in.ID)
	case edges == nil:
		column = noColumn
	default:
		var source, target int
		if source, target, _, err = edges.findEdges(in.Ends); err == nil {
			column, err = nodes.findIDs(edges, source, target)
		}
	}
	if err != nil {
		return nil, err
	}
	l.Nodes, l.IDColumn, l.LabelColumn = nodes, column, noColumn
	var without []string
	switch {
	case column == noColumn:
	case nodes.Columns[column].Name != "":
		without = append(without, nodes.Columns[column].Name)
	default:
		without = append(without, strconv.Itoa(column+1))
	}
	if in.ID == "" && in.Graph == "" && column != noColumn {
		l.note("%s: column %s has the ids", nodes.Path, nodes.label(column))
	}
	if in.Label != "" {
		label, err := nodes.Find(in.Label)
		if err != nil {
			return nil, err
		}
		if label == column {
			return nil, fmt.Errorf("%s: column %s is both the ids and the labels: want different ones", nodes.Path, nodes.label(column))
		}
		if err := l.setLabels(nodes, label); err != nil {
			return nil, err
		}
		without, l.LabelColumn = append(without, in.Label), label
	}
	columns := in.Columns
	columns.Drop = append(without, columns.Drop...)
	if len(nodes.Columns) > len(without) {
		recipe, notes, err := newRecipe(nodes, columns)
		if err != nil {
			return nil, err
		}
		if l.Notes = append(l.Notes, notes...); len(recipe.Columns) > 0 {
			l.Recipe = recipe
		}
	}
	if column == noColumn {
		return rowNumbers(nodes.Rows)
	}
	return nodes.ids(column)
}

// noColumn stands for the column of the ids where the nodes are known by their rows.
const noColumn = -1

// setLabels sets the classes to the values of a column.
func (l *Data) setLabels(nodes *Table, k int) error {
	c := &nodes.Columns[k]
	g := l.Graph
	g.Labels = make([]int, nodes.Rows)
	var err error
	if c.Numbers != nil {
		var ids []int
		for row, v := range c.Numbers {
			if !math.IsNaN(v) && v != math.Trunc(v) {
				return nodes.errorf(row, "column %s: label %v: want words or integers", nodes.label(k), v)
			}
			if !math.IsNaN(v) {
				ids = append(ids, int(v))
			}
		}
		err = numberClasses(g, ids, c)
	} else {
		var ids []string
		for _, code := range c.Codes {
			if code >= 0 {
				ids = append(ids, c.Values[code])
			}
		}
		err = numberClasses(g, ids, c)
	}
	if err != nil {
		return fmt.Errorf("%s: column %s: %w", nodes.Path, nodes.label(k), err)
	}
	if missing := c.missing(); missing > 0 {
		l.note("column %s: %d classes, %d nodes of unknown class, which no score counts", nodes.label(k), g.Classes, missing)
	} else {
		l.note("column %s: %d classes, only for scores", nodes.label(k), g.Classes)
	}
	return nil
}

// numberClasses gives the classes their numbers: ids are those of the nodes that have one.
func numberClasses[T int | string](g *graph.Graph, ids []T, c *Column) error {
	known, names := classes.Number(ids)
	if len(names) < 2 {
		return fmt.Errorf("%d classes: want two or more", len(names))
	}
	for row := range g.Labels {
		if _, ok := c.Text(row); !ok {
			g.Labels[row] = graph.Unknown
			continue
		}
		g.Labels[row], known = known[0], known[1:]
	}
	g.Classes, g.ClassNames = len(names), names
	return nil
}

// readEdges sets the adjacency matrix.
func (l *Data) readEdges(in Source, t *Table, ids *nodeIDs) error {
	e, err := t.edges(ids, in.Ends, in.RefuseDirected)
	if err != nil {
		return err
	}
	if e.listed == 0 && in.Graph == "" {
		return fmt.Errorf("%s: %w", t.Path, errNoEdges)
	}
	l.Notes = append(l.Notes, e.notes...)
	l.Graph.ListedEdges = e.listed
	if l.Graph.Adjacency, err = graph.Adjacency(len(ids.names), e.u, e.v, e.w); err != nil {
		return fmt.Errorf("%s: %w", t.Path, err)
	}
	return nil
}

// readMatrix sets the adjacency matrix from one in a file. If ids has none, its rows
// are the nodes.
func (l *Data) readMatrix(ctx context.Context, in Source, ids *nodeIDs) error {
	rows := &graph.Graph{Features: graph.Features{Dense: &blas32.General{Rows: len(ids.names)}}}
	if err := readPart(ctx, in.Edges, "edges", func(f Format) ReadFunc { return f.Edges }, rows); err != nil {
		return err
	}
	l.Graph.Adjacency, l.Graph.ListedEdges = rows.Adjacency, rows.ListedEdges
	if len(ids.names) > 0 {
		return nil
	}
	numbered, err := rowNumbers(rows.Adjacency.Rows)
	if err == nil {
		*ids = *numbered
	}
	return err
}

// makeFeatures sets the features: those of the table of nodes, the given matrix, or
// both side by side, or those of the structure.
func (l *Data) makeFeatures(ctx context.Context, in Source, nodes *Table, matrix graph.Features) (err error) {
	g := l.Graph
	switch {
	case l.Recipe == nil && in.Features == "":
		var note string
		g.Features, g.FeatureNames, note, err = structure(ctx, g.Adjacency)
		l.note("no features: %s", note)
	case l.Recipe == nil:
		g.Features = matrix
	default:
		g.FeatureNames = l.Recipe.names()
		if g.Features, err = l.Recipe.features(nodes); err == nil && in.Features != "" {
			_, own := g.Features.Dims()
			_, more := matrix.Dims()
			g.Features = sideBySide(g.Features, matrix)
			for j := range more {
				g.FeatureNames = append(g.FeatureNames, fmt.Sprintf("%s %d", stem(in.Features), j+1))
			}
			l.note("%d features of %s and %d of %s", own, nodes.Path, more, in.Features)
		}
	}
	return err
}

func (l *Data) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
