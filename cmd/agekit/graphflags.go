package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	_ "github.com/agekit/age/agekit/input/parquet" // reads and writes .parquet
	"github.com/agekit/age/internal/downloads"
)

// GraphFlags name a graph: a data set, or the user's own files.
type GraphFlags struct {
	Dataset  string `placeholder:"NAME" help:"Data set (agekit data list): ${datasets}; or a graph file: ${graph_files}."`
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
	Header   *bool    `group:"tables" negatable:"" help:"Whether the first line of a table names its columns (default: detected)."`
}

// graphVars returns what the help of the flags lists.
func graphVars() map[string]string {
	var names []string
	for _, d := range dataset.List() {
		names = append(names, d.Name)
	}
	return map[string]string{"datasets": strings.Join(names, ", "), "graph_files": strings.Join(input.GraphExtensions(), ", ")}
}

// load reads the graph that the flags name, and writes what was done with its
// tables to progress.
func (f GraphFlags) load(ctx context.Context, progress io.Writer) (*graph.Graph, error) {
	d, err := f.loadAll(ctx, progress)
	if err != nil {
		return nil, err
	}
	for _, note := range d.Notes {
		fmt.Fprintln(progress, note)
	}
	return d.Graph, nil
}

// loadAll reads the graph that the flags name.
func (f GraphFlags) loadAll(ctx context.Context, progress io.Writer) (*input.Data, error) {
	own := f.Edges != "" || f.Nodes != "" || f.Features != "" || f.Labels != ""
	switch tables := f.tableFlag(); {
	case f.GoModule != "" && (own || f.Dataset != "" || tables != ""):
		return nil, misused("--go-module: want no other graph beside it")
	case own && f.Dataset != "":
		return nil, misused("--dataset and --edges, --nodes, --features, --labels: want one or the other")
	case own && f.Edges == "":
		return nil, misused("a graph of your own needs --edges, and --nodes or --features if its nodes have any")
	case !own && tables != "" && !input.HasTables(f.Dataset):
		return nil, misused("--%s is for the tables of --edges and --nodes", tables)
	case !own && f.Dataset == "" && f.GoModule == "":
		return nil, misused("no graph named: want --dataset, or --edges with --nodes or --features")
	}
	d, err := dataset.Open(ctx, f.source(), dataset.Options{Dir: f.Data, Progress: downloads.Show(progress)})
	if err != nil {
		return nil, withFlags(err)
	}
	for i, note := range d.Notes {
		d.Notes[i] = sourceFlags(note)
	}
	return d, nil
}

// source returns what the flags name.
func (f GraphFlags) source() input.Source {
	s := input.Source{
		Graph: f.Dataset, Edges: f.Edges, Nodes: f.Nodes, Features: f.Features, Labels: f.Labels, ID: f.ID, Label: f.Label, Header: f.Header,
		Columns:        input.Columns{Text: f.Text, Category: f.Category, Number: f.Number, Only: f.Only, Drop: f.Drop},
		Ends:           input.Ends{Source: f.Source, Target: f.Target, Weight: f.Weight},
		RefuseDirected: f.Directed == "error",
	}
	if f.GoModule != "" {
		s.Graph = "gomodule:" + f.GoModule
	}
	return s
}

// withFlags returns an error about fields of [input.Source] in words of the flags.
func withFlags(err error) error { return sourceError{err} }

type sourceError struct{ error }

func (e sourceError) Error() string { return sourceFlags(e.error.Error()) }

func (e sourceError) Unwrap() error { return e.error }

var sourceField = regexp.MustCompile(`\bSource\.(?:Columns\.|Ends\.)?([A-Z]\w*)`)

// sourceFlags replaces the names of fields of [input.Source] by the flags'.
func sourceFlags(text string) string {
	return sourceField.ReplaceAllStringFunc(text, func(field string) string {
		switch name := sourceField.FindStringSubmatch(field)[1]; name {
		case "Graph":
			return "--dataset"
		case "RefuseDirected":
			return "--directed error"
		default:
			return "--" + strings.ToLower(name)
		}
	})
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
