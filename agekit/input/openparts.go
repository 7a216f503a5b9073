package input

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"

	"gonum.org/v1/gonum/blas/blas32"
)

// openParts reads a graph from a table of edges and perhaps one of nodes, which may be in one file
// (s.Graph), or from features and edges between their rows.
func openParts(ctx context.Context, s Source) (*Data, error) {
	if err := s.readSchema(ctx); err != nil {
		return nil, err
	}
	l := &Data{Graph: &graph.Graph{Name: cmp.Or(s.Name, stem(cmp.Or(s.Graph, s.Nodes, s.Edges, s.Features)))}}
	matrix, rows, err := s.matrix(ctx) // s.Features, and how many rows it has; 0 without any
	if err != nil {
		return nil, err
	}
	var ids *idTable // the ids of the nodes; nil while they are not known
	if rows > 0 && s.Nodes == "" && s.Graph == "" {
		ids = numberedIDs(rows)
	}
	if s.Nodes != "" && formats.HasEdges(s.Edges) { // before the table, whose last row may be a node by it
		if err := l.readAdjacency(ctx, s, 0); err != nil {
			return nil, err
		}
	}
	nodes, edges, err := s.tables(ctx, ids, func(row int) bool {
		a := l.Graph.Adjacency
		return row < rows || a != nil && row < a.Rows && a.Indptr[row] < a.Indptr[row+1]
	})
	if err != nil {
		return nil, err
	}
	switch {
	case nodes != nil:
		if s.Labels != "" { // before the columns become features: those that tell the labels do not
			err = readLabelsOf(ctx, nodes.Rows, s.Labels, l.Graph, nodes.Path, &l.Remarks)
		}
		if err == nil {
			ids, err = l.readNodes(s, nodes, edges)
		}
		if err == nil && s.Features != "" && rows != nodes.Rows {
			err = fmt.Errorf("%s: %d rows, want one for each of the %d nodes of %s", s.Features, rows, nodes.Rows, nodes.Path)
		}
	case s.Schema != "":
		err = message.Errorf("%s is of the columns of a table of nodes: want %s too", sourceSchema, sourceNodes)
	case s.ID != "" || s.Label != "":
		err = message.Errorf("%s and %s are columns of a table of nodes: want %s too", sourceID, sourceLabel, sourceNodes)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case s.Neighbors > 0:
		err = l.joinNearest(ctx, s, nodes, matrix, ids)
	case l.Graph.Adjacency != nil:
		err = l.fitAdjacency(s, nodes)
	case edges == nil: // a matrix of edges
		if ids != nil {
			rows = ids.len()
		}
		err = l.readAdjacency(ctx, s, rows)
	default:
		if edges, err = s.withHeader(ctx, edges, ids); err != nil {
			break
		}
		if ids == nil { // the nodes are the ends of the edges
			ids = edges.ids
		}
		err = l.setEdges(ctx, s, edges, ids)
	}
	if ids != nil && !s.isPlain() {
		l.Graph.NodeNames = ids.names()
	}
	if err == nil && s.Neighbors == 0 { // joinNearest makes the features itself
		err = l.makeFeatures(ctx, s, nodes, matrix)
	}
	if err != nil {
		return nil, err
	}
	if s.Labels != "" && nodes == nil {
		if err := readLabels(ctx, s.Labels, l.Graph, cmp.Or(s.Graph, s.Features, s.Edges), &l.Remarks); err != nil {
			return nil, err
		}
	}
	return l, l.Graph.Validate()
}

// readSchema sets s.Columns.Types to the types in the file s.Schema, if there is one.
func (s *Source) readSchema(ctx context.Context) error {
	if s.Schema == "" {
		return nil
	}
	f, err := table.OpenFile(ctx, s.Schema)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, readfile.MostRecords))
	if err == nil {
		s.Columns.Types, err = recipe.ReadTypes(text)
	}
	return f.Error(err)
}

// tables reads the tables of nodes and of edges; either is nil if there is none. Ids are those of the
// nodes, among which the ends of edges must be, if they are known before the tables are read; else nil.
// HasRow is that of [table.Options] for the table of nodes.
func (s Source) tables(ctx context.Context, ids *idTable, hasRow func(row int) bool) (nodes *table.Table, edges *edgeTable, err error) {
	if s.Graph != "" {
		g, err := formats.ReadTables(ctx, s.Graph)
		if err != nil {
			return nil, nil, err
		}
		edges, err = edgesOf(g, s.EdgeColumns)
		return g.Nodes, edges, err
	}
	if s.Edges != "" && !formats.HasEdges(s.Edges) { // a table, and no matrix
		edges, err = s.edgeTable(ctx, table.Options{Header: s.Header, Names: s.EdgeColumns.names()}, ids)
	}
	if err != nil || s.Nodes == "" {
		return nil, edges, err
	}
	o := table.Options{Header: s.Header, Names: slices.Concat([]string{s.ID, s.Label}, s.Columns.Names()), Words: s.Columns.Types.Words(), Progress: s.Progress, HasRow: hasRow}
	if edges != nil {
		o.IsKey = func(field string) bool {
			_, ok := edges.ids.find(field)
			return ok
		}
	}
	nodes, err = table.Read(ctx, s.Nodes, o)
	return nodes, edges, err
}

// withHeader returns the table of edges as it is, unless its first line turns out to be a header that
// was taken for an edge: if neither end in that line is the id of a node, while both ends in the second
// line are. Then it reads the table again, with a header; or without one if the header turns out to be an
// edge. Nodes has the ids of the nodes; nil if any end is a node.
func (s Source) withHeader(ctx context.Context, edges *edgeTable, nodes *idTable) (*edgeTable, error) {
	if nodes != nil && s.hasEdgeAsHeader(edges, nodes) {
		header := false
		return s.edgeTable(ctx, table.Options{Header: &header}, nil)
	}
	if !edges.headless || len(edges.ends) < 2 || nodes == nil {
		return edges, nil
	}
	isNode := func(row int, target bool) bool {
		_, ok := nodes.find(edges.end(row, target))
		return ok
	}
	const source, target = false, true
	firstHasNode := isNode(0, source) || isNode(0, target)
	secondIsEdge := isNode(1, source) && isNode(1, target)
	if firstHasNode || !secondIsEdge {
		return edges, nil
	}
	header := true
	return s.edgeTable(ctx, table.Options{Header: &header}, nil)
}

// isPlain reports whether the nodes are the rows of Features, known by their numbers, and the edges are
// a matrix or a plain list ([Source].Edges): neither tables nor options for them are given.
func (s Source) isPlain() bool {
	return s.Graph == "" && s.Nodes == "" && s.Features != "" && !s.forTables() && (table.IsList(s.Edges) || formats.HasEdges(s.Edges))
}

// readNodes takes what the table of nodes says: it sets the labels and the recipe of l, adds notes, and
// returns the ids of the nodes. Edges is the table of edges, by which the column of ids is found; nil
// if there is none.
func (l *Data) readNodes(s Source, nodes *table.Table, edges *edgeTable) (*idTable, error) {
	l.About(nodes.Path, nodes.Remarks)
	if nodes.Rows == 0 {
		return nil, fmt.Errorf("%s: no rows: want one per node", nodes.Path)
	}
	column, err := s.idColumn(nodes, edges)
	if err == nil {
		column, err = s.splitLists(nodes, column, s.Recipe)
	}
	if err != nil {
		return nil, err
	}
	l.Nodes, l.IDColumn, l.LabelColumn = nodes, column, noColumn
	var without []string // the columns of ids and labels, which become no features
	if column != noColumn {
		l.ID = nodes.Columns[column].Name
		without = append(without, cmp.Or(nodes.Columns[column].Name, strconv.Itoa(column+1)))
		if s.ID == "" && s.Graph == "" {
			l.Note("%s: column %s has the ids", nodes.Path, nodes.Label(column))
		}
	}
	if s.Label != "" {
		label, err := nodes.Find(s.Label)
		if err != nil {
			return nil, err
		}
		if label == column {
			return nil, fmt.Errorf("%s: column %s is both the ids and the labels: want different ones", nodes.Path, nodes.Label(column))
		}
		if err := setLabels(l.Graph, nodes, label); err != nil {
			return nil, err
		}
		if l.Graph.Classes < 2 {
			return nil, fmt.Errorf("%s: column %s: %d classes: want two or more", nodes.Path, nodes.Label(label), l.Graph.Classes)
		}
		if missing := nodes.Columns[label].Missing(); missing > 0 {
			l.Note("column %s: %d classes, %d nodes of unknown class, which no score counts", nodes.Label(label), l.Graph.Classes, missing)
		} else {
			l.Note("column %s: %d classes, only for scores", nodes.Label(label), l.Graph.Classes)
		}
		without, l.LabelColumn = append(without, s.Label), label
	}
	columns := s.Columns
	columns.Drop = append(without, columns.Drop...)
	if s.Recipe != nil {
		l.Recipe = s.Recipe
		l.Note("%s: %d columns become features as in the earlier data", nodes.Path, len(s.Recipe.Columns))
	} else if len(nodes.Columns) > len(without) {
		learned, remarks, err := recipe.NewBeside(l.Graph.Labels, nodes, columns)
		if err != nil {
			return nil, err
		}
		l.Notes, l.Warnings = append(l.Notes, remarks.Notes...), append(l.Warnings, remarks.Warnings...)
		if len(learned.Columns) > 0 {
			l.Recipe = learned
		}
	}
	if column == noColumn {
		return numberedIDs(nodes.Rows), nil
	}
	return idsOf(nodes, column)
}

// idColumn returns the index of the column of nodes with the ids, or noColumn if the nodes are known by
// their rows.
func (s Source) idColumn(nodes *table.Table, edges *edgeTable) (int, error) {
	switch {
	case s.Graph != "" && s.ID != "":
		return 0, message.Errorf("%s has its own ids: %s is for a table of nodes", s.Graph, sourceID)
	case s.Graph != "": // in whose table the ids come first
		return 0, nil
	case s.ID != "":
		return nodes.Find(s.ID)
	case s.Neighbors > 0:
		return slices.IndexFunc(nodes.Columns, func(c table.Column) bool { return strings.EqualFold(c.Name, "id") }), nil // -1 is noColumn
	case edges == nil || edges.byRow():
		return noColumn, nil
	}
	return findIDs(nodes, edges)
}

// noColumn, as the index of a column, says that there is no such column.
const noColumn = -1

// setLabels sets the labels and classes of g to the values in column k of a table, which must be words
// or integers.
func setLabels(g *graph.Graph, t *table.Table, k int) error {
	c := &t.Columns[k]
	if row := slices.IndexFunc(c.Numbers, func(v float64) bool { return !math.IsNaN(v) && v != math.Trunc(v) }); row >= 0 {
		return t.Errorf(row, "column %s: label %v: want words or integers", t.Label(k), c.Numbers[row])
	}
	if c.Numbers != nil {
		graph.SetClasses(g, t.Rows, func(row int) (int, bool) { return int(c.Numbers[row]), !math.IsNaN(c.Numbers[row]) })
	} else {
		graph.SetClasses(g, t.Rows, c.Text)
	}
	return nil
}

// setEdges sets the adjacency matrix of l from a table of edges, whose ends must be among the ids of
// the nodes, and the kinds of nodes if the columns of the ends tell them.
func (l *Data) setEdges(ctx context.Context, s Source, t *edgeTable, nodes *idTable) error {
	if len(t.ends) == 0 && s.Graph == "" {
		return fmt.Errorf("%s: %w", t.path, errNoEdges)
	}
	l.firstEdges = t.first()
	e, err := t.edges(ctx, nodes, s.RefuseDirected)
	if err != nil {
		return err
	}
	l.Notes, l.Warnings = append(l.Notes, e.Notes...), append(l.Warnings, e.Warnings...)
	l.Graph.ListedEdges = e.listed
	if l.Graph.Adjacency, err = graph.Adjacency(nodes.len(), e.u, e.v, e.w); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	// No id is in both columns. That means two kinds if the names of the columns say so, or if it
	// cannot be by chance.
	if e.sides != nil && (t.unlike || l.Graph.Adjacency.Cycles() > 0) {
		l.Kinds = &graph.Kinds{Of: e.sides, Names: t.endNames}
	}
	return nil
}

// readAdjacency sets the adjacency matrix of l from a matrix of edges, which has no ids. N is how many
// nodes there are, 0 if that is not known; then the matrix decides, and the nodes get their numbers as
// ids.
func (l *Data) readAdjacency(ctx context.Context, s Source, n int) error {
	// ReadEdges takes the number of nodes from the features, of which there are only rows here.
	g := &graph.Graph{Features: graph.Features{Dense: &blas32.General{Rows: n}}}
	if err := formats.ReadEdges(ctx, s.Edges, g); err != nil {
		return err
	}
	l.Graph.Adjacency, l.Graph.ListedEdges = g.Adjacency, g.ListedEdges
	if n == 0 {
		l.Graph.NodeNames = numberedIDs(g.Adjacency.Rows).names()
	}
	return nil
}

// fitAdjacency fits the adjacency matrix of l, which was read before the table of nodes, to the table: a last row
// of sums that the table has left out, and that has no edges, leaves the matrix, too. It returns an error if the
// matrix has not a row for each node then.
func (l *Data) fitAdjacency(s Source, nodes *table.Table) error {
	a, n := l.Graph.Adjacency, nodes.Rows
	if nodes.LeftOut && a.Rows == n+1 && a.Indptr[n] == a.Indptr[n+1] {
		a.Rows, a.Cols, a.Indptr = n, n, a.Indptr[:n+1]
	}
	if err := formats.CheckNodes(a, n); err != nil {
		return fmt.Errorf("%s: %w", s.Edges, err)
	}
	return nil
}

// makeFeatures sets the features of l and their names: those that the recipe makes of the table of
// nodes, those of a matrix, both side by side, or, if there is neither, those of the structure.
func (l *Data) makeFeatures(ctx context.Context, s Source, nodes *table.Table, matrix graph.Features) (err error) {
	g := l.Graph
	switch {
	case l.Recipe == nil && s.Features == "":
		var note string
		g.Features, g.FeatureNames, note, err = structure(ctx, g.Adjacency)
		l.Note("no features: %s", note)
	case l.Recipe == nil:
		g.Features = matrix
	default:
		g.FeatureNames = l.Recipe.Names()
		if g.Features, _, err = l.Recipe.Features(nodes); err == nil && s.Features != "" {
			_, fromTable := g.Features.Dims()
			_, width := matrix.Dims()
			g.Features = graph.SideBySide(g.Features, matrix)
			for j := range width {
				g.FeatureNames = append(g.FeatureNames, fmt.Sprintf("%s %d", stem(s.Features), j+1))
			}
			l.Note("%d features of %s and %d of %s", fromTable, nodes.Path, width, s.Features)
		}
		if err != nil && s.Recipe != nil {
			err = fmt.Errorf("features are made as in the earlier data: %w", err)
		}
	}
	return err
}

// matrix reads the file s.Features, and returns the features x and how many rows they have. Without a file it
// returns no features and 0.
func (s Source) matrix(ctx context.Context) (x graph.Features, rows int, err error) {
	if s.Features == "" {
		return x, 0, nil
	}
	g := &graph.Graph{}
	err = formats.ReadFeatures(ctx, s.Features, g)
	if rows, _ = g.Features.Dims(); err == nil && rows == 0 {
		err = fmt.Errorf("%s: no rows: want one per node", s.Features)
	}
	return g.Features, rows, err
}

// readLabels is readLabelsOf for as many nodes as g's features have rows.
func readLabels(ctx context.Context, path string, g *graph.Graph, nodes string, remarks *table.Remarks) error {
	n, _ := g.Features.Dims()
	return readLabelsOf(ctx, n, path, g, nodes, remarks)
}

// readLabelsOf sets the labels of g to those in the lines of the file at path, one for each of n nodes, and
// adds what the reader of the file warns of to remarks. Nodes is the path of the file that says how many
// nodes there are, for errors.
func readLabelsOf(ctx context.Context, n int, path string, g *graph.Graph, nodes string, remarks *table.Remarks) error {
	header, separator := false, '\t'
	if table.Extension(table.Unpacked(path)) == ".csv" {
		separator = ','
	}
	t, err := table.Read(ctx, path, table.Options{Header: &header, EveryLine: true, Separator: separator})
	if err != nil {
		return err
	}
	remarks.About(path, table.Remarks{Warnings: t.Warnings})
	switch {
	case len(t.Columns) != 1:
		return fmt.Errorf("%s: %d columns: want one label per line", path, len(t.Columns))
	case t.Rows != n:
		comments := strings.Join(append([]string{""}, (&table.Remarks{Warnings: t.Warnings}).Texts()...), "; ")
		return fmt.Errorf("%s: %d labels: want %d, one for each row of features (%s), and no header%s", path, t.Rows, n, nodes, comments)
	}
	c := &t.Columns[0]
	if missing := c.Missing(); missing > 0 {
		remarks.Warn("%s: %d labels are missing: the classes of these nodes are unknown", path, missing)
	}
	var integers []float64 // of the values, if all are integers
	for _, word := range c.Values {
		if v, err := strconv.ParseInt(word, 10, 53); err == nil { // also +1 and 01, which are no numbers elsewhere
			integers = append(integers, float64(v))
		}
	}
	if c.Codes != nil && len(integers) == len(c.Values) {
		c.Numbers = c.PerRow(integers)
	}
	return setLabels(g, t, 0)
}
