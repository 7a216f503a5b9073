package main

import (
	"context"
	"fmt"
	"io"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	_ "github.com/agekit/age/agekit/table/parquet" // reads .parquet
)

// GraphFlags name a graph: a data set, or the user's own files.
type GraphFlags struct {
	Dataset  string `placeholder:"NAME" help:"Data set: cora, citeseer, wiki, pubmed, gostd, debian, planted[:n=…,seed=…] (agekit data list), or a graph file FILE.npz, .graphml, .gexf or .json."`
	Data     string `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Edges    string `placeholder:"FILE" help:"Edges of your own graph: a table with the ids of both ends and perhaps a weight (.csv, .tsv, .txt, .edges, .parquet), or an adjacency matrix (.npz)."`
	Nodes    string `placeholder:"FILE" help:"Its nodes: a table with their ids and what is known of them (.csv, .tsv, .txt, .parquet)."`
	Features string `placeholder:"FILE" help:"Its features, one row per node: .npz, .npy or .csv."`
	GoModule string `name:"go-module" placeholder:"DIR" help:"The packages of the Go module in a folder, with their imports and words."`
	Labels   string `placeholder:"FILE" help:"Its labels, one line per node; used only for scores."`

	ID       string   `name:"id" group:"tables" placeholder:"COLUMN" help:"Column of --nodes with the ids (default: the one that has the ends of all edges)."`
	Label    string   `group:"tables" placeholder:"COLUMN" help:"Column of --nodes with the classes; used only for scores. Empty, NaN and ? are unknown."`
	Text     []string `group:"tables" placeholder:"COLUMN" help:"Columns of --nodes with text: TF-IDF weights."`
	Category []string `group:"tables" placeholder:"COLUMN" help:"Columns of --nodes with categories, whatever they look like."`
	Number   []string `group:"tables" placeholder:"COLUMN" help:"Columns of --nodes with numbers, whatever they look like."`
	Only     []string `group:"tables" placeholder:"COLUMN" help:"The only columns of --nodes that become features."`
	Drop     []string `group:"tables" placeholder:"COLUMN" help:"Columns of --nodes that become no features."`
	Source   string   `group:"tables" placeholder:"COLUMN" help:"Column of --edges with one end (default: source, from, …, or the first)."`
	Target   string   `group:"tables" placeholder:"COLUMN" help:"Column of --edges with the other end (default: target, to, …, or the second)."`
	Weight   string   `group:"tables" placeholder:"COLUMN" help:"Column of --edges with weights (default: weight, …, or a third without a name)."`
	Directed string   `group:"tables" enum:"symmetrize,error" default:"symmetrize" help:"What to do with a directed graph: ${enum}."`
	Header   *bool    `group:"tables" negatable:"" help:"Whether the first line of a table names its columns (default: found out)."`
}

// load reads the graph that the flags name, and writes what was done with its
// tables to progress.
func (f GraphFlags) load(ctx context.Context, progress io.Writer) (*graph.Graph, error) {
	l, err := f.loadAll(ctx, progress)
	if err != nil {
		return nil, err
	}
	for _, note := range l.Notes {
		fmt.Fprintln(progress, note)
	}
	return l.Graph, nil
}

// loadAll reads the graph that the flags name.
func (f GraphFlags) loadAll(ctx context.Context, progress io.Writer) (*format.Loaded, error) {
	own := f.Edges != "" || f.Nodes != "" || f.Features != "" || f.Labels != ""
	if f.GoModule != "" {
		if own || f.Dataset != "" || f.tableFlag() != "" {
			return nil, misused("--go-module: want no other graph beside it")
		}
		g, err := dataset.GoModule(ctx, f.GoModule)
		return &format.Loaded{Graph: g}, err
	}
	switch {
	case own && f.Dataset != "":
		return nil, misused("--dataset and --edges, --nodes, --features, --labels: want one or the other")
	case own && f.Edges == "":
		return nil, misused("a graph of your own needs --edges, and --nodes or --features if its nodes have any")
	case table.HoldsGraph(f.Dataset):
		return format.ReadTables(ctx, f.tables())
	case !own && f.tableFlag() != "":
		return nil, misused("--%s is for the tables of --edges and --nodes", f.tableFlag())
	case own:
		return f.loadOwn(ctx)
	case f.Dataset == "":
		return nil, misused("no graph named: want --dataset, or --edges with --nodes or --features")
	}
	g, err := dataset.Load(ctx, f.Dataset, dataset.Options{Dir: f.Data, Progress: progress})
	return &format.Loaded{Graph: g}, err
}

// loadOwn reads the user's files: with a matrix of features and a plain list of
// edges between its rows as they are, and as tables otherwise.
func (f GraphFlags) loadOwn(ctx context.Context) (*format.Loaded, error) {
	if f.Nodes == "" && f.Features != "" && f.tableFlag() == "" && format.HasEdges(f.Edges) {
		g, err := format.ReadFiles(ctx, format.Files{Edges: f.Edges, Features: f.Features, Labels: f.Labels})
		return &format.Loaded{Graph: g}, err
	}
	return format.ReadTables(ctx, f.tables())
}

// tables returns what the flags say about tables.
func (f GraphFlags) tables() format.Tables {
	in := format.Tables{
		Edges: f.Edges, Nodes: f.Nodes, Features: f.Features, Labels: f.Labels, ID: f.ID, Label: f.Label, Header: f.Header,
		Columns: feature.Options{Text: f.Text, Categories: f.Category, Numbers: f.Number, Only: f.Only, Without: f.Drop},
		Ends:    table.EdgeColumns{Source: f.Source, Target: f.Target, Weight: f.Weight},
	}
	if table.HoldsGraph(f.Dataset) {
		in.Graph = f.Dataset
	}
	if f.Directed == "error" {
		in.Direction = table.RefuseDirected
	}
	return in
}

// tableFlag returns the name of the first flag that only tables have, "" if none is
// set.
func (f GraphFlags) tableFlag() string {
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"id", f.ID != ""}, {"label", f.Label != ""}, {"text", len(f.Text) > 0}, {"category", len(f.Category) > 0}, {"number", len(f.Number) > 0},
		{"only", len(f.Only) > 0}, {"drop", len(f.Drop) > 0}, {"source", f.Source != ""}, {"target", f.Target != ""}, {"weight", f.Weight != ""},
		{"directed", f.Directed == "error"}, {"header", f.Header != nil},
	} {
		if flag.set {
			return flag.name
		}
	}
	return ""
}
