package auto

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/testutil"
)

// realGraph is a real graph whose classes are known.
type realGraph struct {
	name string
	kind string // what sets graphs like it apart; one kind is left out at a time
	input.Source
}

// realGraphs are the graphs of the bench. Their files are in the folders graphs and toys of
// $AGEKIT_DATA (toys has scikit-learn's tables as CSV files with a column class), or in
// assets/examples.
func realGraphs() (graphs []realGraph) {
	add := func(kind, name string, s input.Source) { graphs = append(graphs, realGraph{name, kind, s}) }
	dir := filepath.Join(os.Getenv("AGEKIT_DATA"), "graphs")
	matrix := func(kind, name, edges, labels string) {
		at := filepath.Join(dir, name)
		add(kind, name, input.Source{Features: filepath.Join(at, "features.npz"), Edges: filepath.Join(at, edges), Labels: filepath.Join(at, labels)})
	}
	table := func(kind, name, label string, s input.Source) {
		s.Nodes, s.Label = filepath.Join(dir, name, "nodes.csv"), label
		if s.Neighbors == 0 {
			s.Edges = filepath.Join(dir, name, "edges.csv")
		}
		add(kind, name, s)
	}
	table("no features", "football", "conference", input.Source{})
	table("no features", "polbooks", "leaning", input.Source{})
	table("no features", "ukfaculty", "group", input.Source{})
	table("no features", "emaileu", "department", input.Source{})
	table("categories", "lawyers", "office", input.Source{})
	table("categories", "fb_reed98", "year", input.Source{})
	table("numbers", "states", "region", input.Source{})
	table("numbers", "usairports", "region", input.Source{EdgeColumns: input.EdgeColumns{Weight: "passengers"}, Columns: input.Columns{Drop: []string{"city"}}})
	table("nearest", "fgl", "type", input.Source{Neighbors: 10})
	table("nearest", "olive", "area", input.Source{Neighbors: 10, Columns: input.Columns{Drop: []string{"region"}}})
	add("nearest", "penguins", input.Source{Nodes: "../../assets/examples/penguins.csv", Edges: "../../assets/examples/penguins-edges.csv", Label: "species"})
	for _, name := range []string{"iris", "wine", "cancer", "digits"} {
		add("nearest", name, input.Source{Nodes: filepath.Join(os.Getenv("AGEKIT_DATA"), "toys", name+".csv"), Label: "class", Neighbors: 10})
	}
	add("no features", "karate", input.Source{Graph: "../../assets/examples/karate.graphml", Label: "club"})
	matrix("unlike", "wisconsin", "edges.csv", "labels.txt")
	matrix("unlike", "chameleon", "edges.csv", "labels.txt")
	table("words", "yeast", "class", input.Source{})
	for _, name := range []string{"cora", "citeseer", "wiki", "pubmed", "gostd"} {
		add("words", name, input.Source{})
	}
	matrix("words", "citeseer_full", "edges.csv", "labels.txt")
	for _, name := range []string{"pages", "blogs", "copurchase", "photos"} {
		matrix("words", name, "edges.tsv.gz", "labels.txt.gz")
	}
	return graphs
}

// load reads the graph.
func (b realGraph) load(t *testing.T) *graph.Graph {
	if b.Nodes+b.Features+b.Graph == "" {
		return testutil.LoadGraph(t, b.name)
	}
	d, err := input.Open(t.Context(), b.Source)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return d.Graph
}
