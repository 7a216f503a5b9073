package main

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agekit/age/internal/checksum"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/agekit/recipe"
	_ "github.com/agekit/age/agekit/table/parquet" // reads and writes .parquet
)

// graphFlags name a graph: a data set, or the user's own files.
type graphFlags struct {
	Dataset  string `group:"data" placeholder:"NAME" help:"Data set (agekit data list): ${datasets}; or a graph file: ${graph_files}; or a folder of agekit graph build."`
	Data     string `more:"" group:"data" placeholder:"DIR" help:"Folder with data sets, searched first."`
	Edges    string `group:"data" placeholder:"FILE" help:"Edges of your own graph: a table with the ids of both ends and, if you like, a weight (.csv, .tsv, .txt or .edges, also with .gz; .parquet), or an adjacency matrix (.npz)."`
	Nodes    string `group:"data" placeholder:"FILE" help:"Its nodes: a table with their ids and what is known of them (.csv, .tsv or .txt, also with .gz; .parquet)."`
	Features string `group:"data" placeholder:"FILE" help:"Its features, one row per node: .npz, .npy or .csv."`
	KNN      int    `group:"data" name:"knn" placeholder:"K" help:"Without --edges: join each of the --nodes or --features to the K with the nearest features."`
	Project  string `group:"data" more:"" placeholder:"SIDE" help:"Of nodes of two kinds, such as persons and events, keep one alone, joined by what they share: the column of --edges with these nodes, or source or target; of two kinds that no columns tell, first or second."`
	Labels   string `more:"" group:"data" placeholder:"FILE" help:"Its labels, one line per node; used only for scores."`

	tableFlags `group:"tables"`
}

// tableFlags say what the columns of --nodes and --edges are.
type tableFlags struct {
	ID    string `more:"" name:"id" placeholder:"COLUMN" help:"Column of --nodes with the ids (default: the one that has the ends of all edges)."`
	Label string `group:"data" placeholder:"COLUMN" help:"Column of --nodes with the classes; used only for scores, and to leave out columns that repeat it. Empty, NaN and ? are unknown."`
	featureColumns
	Schema string `more:"" placeholder:"FILE" help:"What is known of the columns of --nodes, so that nothing is guessed: a JSON file such as {\"columns\": {\"zip\": \"text\"}} with number, category, date, tags or text."`
	edgeFlags
	headerFlag
}

// edgeFlags say what the edges of --edges are.
type edgeFlags struct {
	edgeColumns
	Directed string `more:"" enum:"symmetrize,error" default:"symmetrize" help:"What to do with a directed graph: ${enum}."`
}

// featureColumns are those of [recipe.Columns].
type featureColumns struct {
	Text     []string `more:"" placeholder:"COLUMN" help:"Columns of --nodes with text: TF-IDF weights."`
	Category []string `more:"" placeholder:"COLUMN" help:"Columns of --nodes to take as categories; also those that would be left out."`
	Number   []string `more:"" placeholder:"COLUMN" help:"Columns of --nodes to take as numbers; also keys, copies and others that would be left out."`
	Only     []string `more:"" placeholder:"COLUMN" help:"The only columns of --nodes that become features."`
	Drop     []string `more:"" placeholder:"COLUMN" help:"Columns of --nodes to leave out of the features."`
}

// edgeColumns are [input.EdgeColumns].
type edgeColumns struct {
	Source string `more:"" placeholder:"COLUMN" help:"Column of --edges with one end (default: the two that fit best as ends are found)."`
	Target string `more:"" placeholder:"COLUMN" help:"Column of --edges with the other end."`
	Weight string `more:"" placeholder:"COLUMN" help:"Column of --edges with weights, or 1/COLUMN of distances (default: weight, …, or a third without a name)."`
}

type headerFlag struct {
	Header *bool `more:"" negatable:"" help:"Whether the first line of a table names its columns (default: detected)."`
}

// graphVars returns what the help of the flags lists.
func graphVars() kong.Vars {
	var names []string
	for _, d := range dataset.List() {
		names = append(names, d.Name)
	}
	return kong.Vars{"datasets": strings.Join(names, ", "), "graph_files": strings.Join(formats.Extensions(), ", ")}
}

// flagsOf returns the names of the flags that the fields of the struct T declare, as kong makes them of
// the fields' names and tags.
func flagsOf[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if !f.Anonymous {
			names = append(names, cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)))
		}
	}
	return names
}

// load reads the graph that the flags name, or returns an error for flags that do not fit together. If the
// recipe is not nil, the columns of the nodes' table become features as the recipe says.
func (f graphFlags) load(rt *Runtime, recipe *recipe.Recipe) (*input.Data, error) {
	userFiles := f.Edges != "" || f.Nodes != "" || f.Features != "" || f.Labels != "" || f.KNN != 0
	ofTables, ofEdges := rt.given(flagsOf[tableFlags]()...), rt.given(flagsOf[edgeFlags]()...)
	switch {
	case userFiles && f.Dataset != "":
		return nil, misused("--dataset and --edges, --nodes, --features, --labels, --knn: want one or the other")
	case f.KNN < 0:
		return nil, misused("--knn is %d: want 1 or more", f.KNN)
	case f.KNN > 0 && f.Edges != "":
		return nil, misused("--knn and --edges: want one or the other")
	case f.KNN > 0 && f.Nodes == "" && f.Features == "":
		return nil, misused("--knn compares features: want --nodes or --features")
	case f.KNN > 0 && ofEdges != "":
		return nil, misused("--%s is for --edges, in place of which --knn makes edges", ofEdges)
	case f.Project != "" && f.KNN > 0:
		return nil, misused("--project is for edges between nodes of two kinds: want --edges or a graph file")
	case userFiles && f.Edges == "" && f.KNN == 0:
		return nil, misused("a graph of your own needs --edges, and --nodes or --features if its nodes have any; or --knn, to join nodes with similar features")
	case !userFiles && ofTables != "" && f.namesGraphWithoutTables():
		return nil, misused("--%s is for the tables of --edges and --nodes", ofTables)
	case !userFiles && f.Dataset == "":
		return nil, misused("no graph named: want --dataset, or --edges with --nodes or --features")
	}
	source := f.source()
	if f.Nodes != "" || formats.HasTables(f.Dataset) {
		source.Recipe = recipe
	}
	return dataset.Open(rt.Context, source, dataset.Options{Dir: f.Data, Progress: viewOn(rt.Stderr).Show})
}

// namesGraphWithoutTables reports whether --dataset names a data set, a folder or a graph file without
// tables. A file of another kind is left to the reader, whose error lists the kinds.
func (f graphFlags) namesGraphWithoutTables() bool {
	extension := filepath.Ext(f.Dataset)
	isKnown := extension == "" || slices.Contains(formats.Extensions(), extension)
	return isKnown && !formats.HasTables(f.Dataset)
}

// inputs returns the files that data was read from, with the checksums of what was read, and those of an earlier
// run, if there is one. Files that were not read from their beginning to their end, such as archives, are read
// again: one that has changed meanwhile is an error.
func (f graphFlags) inputs(rt *Runtime, data *input.Data, earlier []checksum.File) (all []checksum.File, err error) {
	paths, err := dataset.Files(rt.Context, f.source(), dataset.Options{Dir: f.Data})
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		var file checksum.File
		if k := slices.IndexFunc(data.Files, func(file checksum.File) bool { return file.Path == path }); k >= 0 {
			file, err = data.Files[k].Whole(rt.Context)
		} else { // of a data set, which has pinned checksums, or of a folder with checksums
			file, err = checksum.Describe(rt.Context, path)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	for _, file := range earlier {
		file, err = file.Whole(rt.Context)
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	return all, nil
}

// source returns what the flags say of the graph's files.
func (f graphFlags) source() input.Source {
	return input.Source{
		Graph: f.Dataset,

		Edges: f.Edges, EdgeColumns: input.EdgeColumns(f.edgeColumns), RefuseDirected: f.Directed == "error", Neighbors: f.KNN, Project: f.Project,
		Nodes: f.Nodes, ID: f.ID, Label: f.Label, Schema: f.Schema,
		Columns:  recipe.Columns{Text: f.Text, Category: f.Category, Number: f.Number, Only: f.Only, Drop: f.Drop},
		Features: f.Features, Labels: f.Labels, Header: f.Header,
	}
}
