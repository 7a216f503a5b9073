package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
)

// Source names the files of a graph: Graph alone; or Edges with Features, whose nodes are
// numbered from 0 if nothing else names them; or Edges with a table of Nodes, whose
// columns become features. The extensions select the formats.
//
// All must be regular files. Text files are UTF-8, or UTF-16 with a byte-order mark, or else a
// table is read as Windows-1252; see [table.Options] for lines that start with #. Tables, lists and
// graphs with ids may be packed by gzip, as in nodes.csv.gz: they are unpacked among the system's temporary
// files, to at most 1 GB or 100 times their size, whichever is more.
type Source struct {
	// Graph is a file with a whole graph, instead of Nodes and Edges: arrays (.npz; see
	// package formats), or nodes and edges with ids (.graphml, .gexf, .gml or .json
	// as NetworkX writes it); or a folder that [Build] made.
	Graph string
	// Edges is a table with one edge per row (.csv, .tsv, .txt, .edges, .edgelist,
	// a name without an extension, or .parquet), or an adjacency matrix (.npz as
	// scipy.sparse.save_npz writes it) with a row for each of Nodes or Features.
	// With Features and without Nodes, ends are numbers from 0, and a table in a format
	// other than .csv, .tab and .parquet is a plain list, "u TAB v" or "u TAB v TAB
	// weight" without names: an edge listed twice keeps the larger weight.
	Edges string
	// Neighbors, instead of Edges, joins each node to as many others, those with the
	// nearest features by Euclidean distance, and to the nodes that it is nearest to. The
	// columns of Nodes count as their features do, and those of Features standardized.
	// All pairs of rows are compared. Default 0: none.
	Neighbors int
	// Nodes is a table with one node per row. Default: the ids in Edges, in the order in
	// which they appear, or, with Features, its rows, with the ids 0, 1, 2, ….
	Nodes string
	// Features has one row of finite numbers per node, not all 0: .npz (a CSR matrix
	// as scipy's save_npz writes it), .npy (a 2-dimensional array of bool, integers,
	// float16, float32 or float64) or .csv (a table of decimal numbers;
	// a first line of names is a header), with at most 2²⁴ columns. They follow
	// the features of Nodes. Default: the features of Nodes alone, or of the structure:
	// one for each node up to 2,000 nodes, 64 eigenvectors and the degree for more.
	Features string
	// Labels is a table of one column, without a header: one label per node, a word or an
	// integer, or a missing value for an unknown class. Classes are in numeric order if
	// all labels are integers (1, +1 and 01 are the same), otherwise in lexical order.
	// Other numbers are errors if no label is a word. Default: no labels.
	Labels string

	// ID is the column of Nodes with the ids. Default: the one that has a different value
	// in each row and contains the ends of all edges; with Neighbors, the one named id, or
	// else the numbers of the rows.
	ID string
	// Label is the column of Nodes with the class of each node, a word or an integer, or
	// a missing value for an unknown class. It replaces Labels. Columns that tell the
	// classes, of either, are no features ([recipe.NewBeside]).
	Label string
	// Columns says which columns of Nodes become features, and how.
	Columns recipe.Columns
	// Schema is a file of JSON with what is known of the columns of Nodes, such as
	// {"columns": {"zip": "text", "born": "date"}}: see [recipe.Types]. Columns that Columns names
	// are as it says, and so is Recipe. Default: what columns hold is guessed from their values.
	Schema string
	// Recipe, if set, makes the features of Nodes in place of Columns, as it made those of
	// earlier data ([Data].Recipe). Default nil.
	Recipe *recipe.Recipe
	// EdgeColumns are the columns of the table Edges.
	EdgeColumns EdgeColumns
	// RefuseDirected makes a directed graph an error. Default: the two directions of an
	// edge become one, with the larger weight.
	RefuseDirected bool
	// Header says whether the tables' first lines name the columns. Default: detected.
	Header *bool

	// Project keeps the nodes of one of two kinds alone, such as persons of persons and events:
	// those that share neighbors are joined ([graph.Project]). It is the name of the column of
	// Edges with these nodes, or "source" or "target"; or, of two kinds that the edges show
	// without columns ([graph.TwoKinds]), "first" for that of the first node with edges, or
	// "second". Columns become features as their values in the nodes that are kept have it.
	// Default: all nodes.
	Project string

	// Progress hears how many bytes of a large table have been read, if it is not nil.
	Progress progress.Func

	// Name is the graph's name. Default: the name of the file Graph, Nodes,
	// Edges or Features.
	Name string
}

// Data is a graph and what its files said about it.
type Data struct {
	Graph *graph.Graph
	// Nodes is the table of nodes; nil if there was none. IDColumn and LabelColumn are
	// the indices of its ids and labels, −1 if it has none. Results depend on the graph that
	// is made of the table, so stored ones know the data by the graph.
	Nodes                 *table.Table `key:"-"`
	IDColumn, LabelColumn int
	// Kinds are the two kinds of nodes that the columns of the edges tell: no id is in both
	// columns, and the columns have the names of different things, such as person and
	// event, or the edges have cycles, in which no order of the ends would keep the
	// columns apart unless the nodes are of two kinds. Nil if the columns do not tell.
	Kinds *graph.Kinds
	// Files are those of the [Source]: with the checksums of the bytes that were read, where they were read from
	// their beginning to their end, as all text is; [checksum.File.Whole] gives those of others ([table.WithSums]).
	Files []checksum.File `key:"-"`
	Reading
	table.Remarks

	firstEdges []Edge // of the table of edges; nil without one
}

// Reading says how data was read, so that more can be read in the same way ([Extend]).
type Reading struct {
	// Recipe says how the columns of the nodes became features; nil if none did.
	Recipe *recipe.Recipe `json:"recipe,omitempty"`
	// ID is the name of the column of the nodes with the ids; "" if it has none.
	ID string `json:"id,omitempty"`
	// Nearest is the Neighbors of the [Source], by which new nodes without edges are joined to the
	// old ones; 0 if the edges were given.
	Nearest int `json:"nearest,omitempty"`
}

// Open reads a graph. The nodes of tables keep their ids as [graph.Graph.NodeNames].
// Features become a sparse matrix if less than a quarter of them are nonzero, and are read
// in blocks, without a second copy. A .npy file of more than 64 MB that holds float32
// values in row-major order is memory-mapped; it must not change while the program runs. If
// it is cut meanwhile, Fit of package run returns an error, and other readers crash.
//
// A list or table without edges is an error; a matrix or a graph file without any has
// isolated nodes, which a note says.
//
// Errors name the file and the line, row, column or array at fault, or the field of
// Source, what was found and what was expected. A graph that needs more memory than is
// free, or than $AGEKIT_MEMORY, such as 8GB, is an error.
func Open(ctx context.Context, s Source) (d *Data, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	// Each file that is read to its end under the context appends its checksum to sums.
	var sums []checksum.File
	ctx = table.WithSums(ctx, &sums)
	var remarks table.Remarks // of readers of arrays
	ctx = table.WithArrays(ctx, s.Header, &remarks)
	if s.Graph != "" {
		d, err = openGraph(ctx, s)
	} else {
		d, err = openParts(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	d.Warnings = append(d.Warnings, remarks.Warnings...)
	if s.Project != "" {
		if err := d.project(ctx, s); err != nil {
			return nil, err
		}
	}
	if d.Graph.Adjacency.NNZ() == 0 {
		d.Warn("%s: no edges: all nodes are isolated, and only their features count", cmp.Or(s.Graph, s.Edges))
	}
	d.warnOfWeight(cmp.Or(s.Graph, s.Edges))
	d.Files = sums // of all files, which are closed by now
	return d, nil
}

// check returns an error if fields of the source that are set do not go together, or there are no edges.
func (s Source) check() error {
	switch {
	case s.Neighbors < 0:
		return message.Errorf("%s is %d: want 1 or more", sourceNeighbors, s.Neighbors)
	case s.Neighbors > 0 && s.Project != "":
		return message.Errorf("%s is for edges between nodes of two kinds, and %s makes edges by features: want one or the other", sourceProject, sourceNeighbors)
	case s.Neighbors > 0 && (s.Graph != "" || s.Edges != ""):
		return message.Errorf("%s makes the edges: want no others", sourceNeighbors)
	case s.Neighbors > 0 && s.Nodes == "" && s.Features == "":
		return message.Errorf("%s compares features: want %s or %s", sourceNeighbors, sourceNodes, sourceFeatures)
	case s.Graph != "" && (s.Nodes != "" || s.Edges != ""):
		return message.Errorf("%s has nodes and edges: want no %s and %s", sourceGraph, sourceNodes, sourceEdges)
	case s.Labels != "" && s.Label != "":
		return message.Errorf("%s and %s: want one or the other", sourceLabels, sourceLabel)
	case s.Graph == "" && s.Edges == "" && s.Neighbors == 0:
		return message.Errorf("no edges: want %s with the two ends of each edge, %s to join similar nodes, or %s", sourceEdges, sourceNeighbors, sourceGraph)
	}
	return nil
}

// warnOfWeight adds a warning if one edge has more weight than all others together. The path of the edges is
// for the warning. Graphs of one or two edges, and folders, whose edges are too many to look at, get none.
func (d *Data) warnOfWeight(path string) {
	a := d.Graph.Adjacency
	const fewest = 2 * 3 // entries of three edges, each of which has two
	if len(a.Values) < fewest || graphfolder.IsFolder(path) {
		return
	}
	most, u, v := float32(0), 0, 0 // the largest weight, and the ends of its edge
	sum := 0.                      // of all weights
	for i := range a.Rows {
		for j, w := range a.Each(i) {
			if sum += float64(w) / 2; w > most { // an edge has two entries
				most, u, v = w, i, j
			}
		}
	}
	others := sum - float64(most)
	if float64(most) <= others {
		return
	}
	id := numberedIDs(a.Rows).id
	if d.Graph.NodeNames != nil {
		id = func(node int) string { return message.Quote(d.Graph.NodeNames[node]) }
	}
	d.Warn("%s: the edge between %s and %s has the weight %v, all others together %.4g: it alone decides where features spread", path, id(u), id(v), most, others)
}

// errNoEdges ends an error about a list without edges.
var errNoEdges = errors.New("no edges: want at least one; isolated nodes are a matrix without entries (.npz)")

// openGraph reads the whole graph in the file, or the folder, s.Graph.
func openGraph(ctx context.Context, s Source) (*Data, error) {
	if graphfolder.IsFolder(s.Graph) {
		return openFolder(ctx, s)
	}
	format, err := formats.FindGraph(s.Graph)
	if err != nil {
		return nil, err
	}
	if format.Tables != nil {
		return openParts(ctx, s)
	}
	if err := s.alone(); err != nil {
		return nil, err
	}
	g := &graph.Graph{Name: cmp.Or(s.Name, stem(s.Graph))}
	if err := formats.ReadGraph(ctx, s.Graph, g); err != nil {
		return nil, err
	}
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Graph, err)
	}
	return &Data{Graph: g}, nil
}

// stem returns the name of the file at path without its folder and extension, and without .gz if it is packed.
func stem(path string) string {
	path = table.Unpacked(path)
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// alone returns an error if a field is set beside Graph that does not go with a graph of arrays or a
// folder, which have their own features and labels.
func (s Source) alone() error {
	if s.Features != "" || s.Labels != "" || s.forTables() {
		return message.Errorf("%s has its own features and labels: want %s and no other field of Source", s.Graph, sourceGraph)
	}
	return nil
}

// forTables reports whether a field is set that only tables have.
func (s Source) forTables() bool {
	return s.ID != "" || s.Label != "" || s.Schema != "" || len(s.Columns.Names()) > 0 || s.EdgeColumns != EdgeColumns{} || s.RefuseDirected || s.Header != nil
}

// Names of the fields of [Source], in errors and warnings.
const (
	sourceGraph          message.Option = "Source.Graph"
	sourceEdges          message.Option = "Source.Edges"
	sourceNeighbors      message.Option = "Source.Neighbors"
	sourceNodes          message.Option = "Source.Nodes"
	sourceFeatures       message.Option = "Source.Features"
	sourceLabels         message.Option = "Source.Labels"
	sourceSchema         message.Option = "Source.Schema"
	sourceID             message.Option = "Source.ID"
	sourceLabel          message.Option = "Source.Label"
	sourceRefuseDirected message.Option = "Source.RefuseDirected"
	sourceProject        message.Option = "Source.Project"
	edgeSource           message.Option = "Source.EdgeColumns.Source"
	edgeTarget           message.Option = "Source.EdgeColumns.Target"
	edgeWeight           message.Option = "Source.EdgeColumns.Weight"
)

// badWeight returns an error about the column of the weights of edges, with the advice to name another column.
func badWeight(format string, args ...any) error {
	return &message.Error{Message: message.Sprintf(format, args...).Advise("%s names another column", edgeWeight, "")}
}
