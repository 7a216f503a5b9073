package format

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"

	"gonum.org/v1/gonum/blas/blas32"
)

// Tables names the tables of a graph whose nodes have ids.
type Tables struct {
	// Graph is a file with nodes and edges: .graphml, .gexf or .json as NetworkX
	// writes it ([table.ReadGraph]). Instead of Nodes and Edges.
	Graph string
	// Edges is a table with one edge per row, or an adjacency matrix, .npz as
	// scipy.sparse.save_npz writes it, with a row for each of Nodes or Features.
	// Required without Graph.
	Edges string
	// Nodes is a table with one node per row. Default: the nodes are the ids in
	// Edges, in the order in which they appear, or, with Features, their rows, with
	// the ids 0, 1, 2, ….
	Nodes string
	// Features is a feature matrix with one row for each of Nodes, as in [Files],
	// whose values may be negative. Its features follow those of Nodes. Default:
	// none. Without Nodes and Features, [feature.Structure] makes the features.
	Features string
	// ID is the column of Nodes with the ids. Default: the one that has a different
	// value in each row and contains the ends of all edges.
	ID string
	// Label is the column of Nodes with the class of each node, a word or an
	// integer; missing values are unknown classes. Default: no labels.
	Label string
	// Labels is a file with one label for each of Nodes, as in [Files]; instead of
	// Label. Default: none.
	Labels string
	// Columns says what the other columns of Nodes become.
	Columns feature.Options
	// Ends are the columns of Edges.
	Ends table.EdgeColumns
	// Direction says what to do with a directed graph.
	Direction table.Direction
	// Header says whether the tables' first lines are headers. Default: found out.
	Header *bool
	// Name is the graph's name. Default: the name of Nodes, or of Edges, without
	// its extension.
	Name string
}

// Loaded is a graph from tables.
type Loaded struct {
	Graph *graph.Graph
	// Nodes is the table of nodes, and IDColumn the index of its ids, −1 if the nodes
	// are known by their rows; nil if there was no table of nodes. LabelColumn is the
	// index of the labels' column, −1 if it has none.
	Nodes                 *table.Table
	IDColumn, LabelColumn int
	// Recipe says how the columns of the nodes became features; nil if none
	// did.
	Recipe *feature.Recipe
	// Notes say what was found out and what was done, in sentences for the user.
	Notes []string
}

// ReadTables reads a graph from tables. The nodes keep their ids, as
// [graph.Graph.NodeNames]. Errors name the file, the line and the column, what was
// found and what was expected.
func ReadTables(ctx context.Context, in Tables) (*Loaded, error) {
	nodes, edges, err := in.tables(ctx)
	if err != nil {
		return nil, err
	}
	l := &Loaded{Graph: &graph.Graph{Name: cmp.Or(in.Name, stem(cmp.Or(in.Graph, in.Nodes, in.Edges)))}}
	var matrix graph.Features
	if in.Features != "" {
		if matrix, err = ReadFeatures(ctx, in.Features); err != nil {
			return nil, err
		}
	}
	rows, _ := matrix.Dims()
	ids := &table.IDs{}
	switch {
	case nodes != nil:
		ids, err = l.readNodes(in, nodes, edges)
		if err == nil && in.Features != "" && rows != nodes.Rows {
			err = fmt.Errorf("%s: %d rows, want one for each of the %d nodes of %s", in.Features, rows, nodes.Rows, nodes.Path)
		}
	case in.ID != "" || in.Label != "":
		err = errors.New("--id and --label are columns of a table of nodes: want --nodes too")
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
	l.Graph.NodeNames = ids.Names
	if err := l.makeFeatures(ctx, in, nodes, matrix); err != nil {
		return nil, err
	}
	if in.Labels != "" && in.Label != "" {
		return nil, errors.New("--labels and --label: want one or the other")
	}
	if in.Labels != "" {
		if err := readLabelFile(ctx, in.Labels, l.Graph, cmp.Or(in.Graph, in.Nodes, in.Features, in.Edges)); err != nil {
			return nil, err
		}
	}
	return l, l.Graph.Validate()
}

// tables reads the tables of nodes, nil if there is none, and of edges.
func (in Tables) tables(ctx context.Context) (nodes, edges *table.Table, err error) {
	switch {
	case in.Graph != "" && (in.Nodes != "" || in.Edges != ""):
		return nil, nil, errors.New("a graph in one file has its nodes and edges: want it, or tables of nodes and edges")
	case in.Graph != "":
		g, err := table.ReadGraph(ctx, in.Graph)
		if err != nil {
			return nil, nil, err
		}
		return g.Nodes, g.Edges, nil
	case in.Edges == "":
		return nil, nil, errors.New("no edges: want a table with the two ends of each edge")
	}
	if !in.isMatrix() {
		edges, err = table.Read(ctx, in.Edges, table.Options{Edges: true, Header: in.Header})
	}
	if err != nil || in.Nodes == "" {
		return nil, edges, err
	}
	nodes, err = table.Read(ctx, in.Nodes, table.Options{Header: in.Header})
	return nodes, edges, err
}

// isMatrix reports whether the edges are an adjacency matrix.
func (in Tables) isMatrix() bool { return extension(in.Edges) == ".npz" }

// rowNumbers returns the ids 0, 1, 2, ….
func rowNumbers(n int) (*table.IDs, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return table.NewIDs(names)
}

// readNodes finds the ids and the labels.
func (l *Loaded) readNodes(in Tables, nodes, edges *table.Table) (*table.IDs, error) {
	if len(nodes.Notes) > 0 {
		l.note("%s: %s", nodes.Path, strings.Join(nodes.Notes, "; "))
	}
	column, err := 0, error(nil)
	switch {
	case in.Graph != "" && in.ID != "":
		err = fmt.Errorf("%s has ids of its own: --id is for a table of nodes", in.Graph)
	case in.Graph != "":
	case in.ID != "":
		column, err = nodes.Find(in.ID)
	case edges == nil:
		column = noColumn
	default:
		var source, target int
		if source, target, _, err = edges.FindEdges(in.Ends); err == nil {
			column, err = nodes.FindIDs(edges, source, target)
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
		l.note("%s: column %s has the ids", nodes.Path, nodes.Label(column))
	}
	if in.Label != "" {
		label, err := nodes.Find(in.Label)
		if err != nil {
			return nil, err
		}
		if label == column {
			return nil, fmt.Errorf("%s: column %s is both the ids and the labels: want different ones", nodes.Path, nodes.Label(column))
		}
		if err := l.setLabels(nodes, label); err != nil {
			return nil, err
		}
		without, l.LabelColumn = append(without, in.Label), label
	}
	columns := in.Columns
	columns.Without = append(without, columns.Without...)
	if len(nodes.Columns) > len(without) {
		recipe, notes, err := feature.New(nodes, columns)
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
	return nodes.IDs(column)
}

// noColumn stands for the column of the ids where the nodes are known by their rows.
const noColumn = -1

// setLabels sets the classes to the values of a column.
func (l *Loaded) setLabels(nodes *table.Table, k int) error {
	c := &nodes.Columns[k]
	g := l.Graph
	g.Labels = make([]int, nodes.Rows)
	var err error
	if c.Numbers != nil {
		var ids []int
		for row, v := range c.Numbers {
			if !math.IsNaN(v) && v != math.Trunc(v) {
				return nodes.Errorf(row, "column %s: label %v: want words or integers", nodes.Label(k), v)
			}
			if !math.IsNaN(v) {
				ids = append(ids, int(v))
			}
		}
		err = number(g, ids, c)
	} else {
		var ids []string
		for _, code := range c.Codes {
			if code >= 0 {
				ids = append(ids, c.Values[code])
			}
		}
		err = number(g, ids, c)
	}
	if err != nil {
		return fmt.Errorf("%s: column %s: %w", nodes.Path, nodes.Label(k), err)
	}
	if missing := c.Missing(); missing > 0 {
		l.note("column %s: %d classes, %d nodes of unknown class, which no score counts", nodes.Label(k), g.Classes, missing)
	} else {
		l.note("column %s: %d classes, only for scores", nodes.Label(k), g.Classes)
	}
	return nil
}

// number gives the classes their numbers: ids are those of the nodes that have one.
func number[T int | string](g *graph.Graph, ids []T, c *table.Column) error {
	known, names := graph.NumberClasses(ids)
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
func (l *Loaded) readEdges(in Tables, t *table.Table, ids *table.IDs) error {
	e, err := t.Edges(ids, in.Ends, in.Direction)
	if err != nil {
		return err
	}
	l.Notes = append(l.Notes, e.Notes...)
	l.Graph.ListedEdges = e.Listed
	if l.Graph.Adjacency, err = graph.Adjacency(len(ids.Names), e.U, e.V, e.W); err != nil {
		return fmt.Errorf("%s: %w", t.Path, err)
	}
	return nil
}

// readMatrix sets the adjacency matrix from one in a file. If ids has none, its rows
// are the nodes.
func (l *Loaded) readMatrix(ctx context.Context, in Tables, ids *table.IDs) error {
	rows := &graph.Graph{Features: graph.Features{Dense: &blas32.General{Rows: len(ids.Names)}}}
	if err := read(ctx, in.Edges, "edges", func(f Format) ReadFunc { return f.Edges }, rows); err != nil {
		return err
	}
	l.Graph.Adjacency, l.Graph.ListedEdges = rows.Adjacency, rows.ListedEdges
	if len(ids.Names) > 0 {
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
func (l *Loaded) makeFeatures(ctx context.Context, in Tables, nodes *table.Table, matrix graph.Features) (err error) {
	g := l.Graph
	switch {
	case l.Recipe == nil && in.Features == "":
		var note string
		g.Features, g.FeatureNames, note, err = feature.Structure(ctx, g.Adjacency)
		l.note("no features: %s", note)
	case l.Recipe == nil:
		g.Features = matrix
	default:
		g.FeatureNames = l.Recipe.Names()
		if g.Features, err = l.Recipe.Features(nodes); err == nil && in.Features != "" {
			_, own := g.Features.Dims()
			_, more := matrix.Dims()
			g.Features = feature.SideBySide(g.Features, matrix)
			for j := range more {
				g.FeatureNames = append(g.FeatureNames, fmt.Sprintf("%s %d", stem(in.Features), j+1))
			}
			l.note("%d features of %s and %d of %s", own, nodes.Path, more, in.Features)
		}
	}
	return err
}

func (l *Loaded) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}
