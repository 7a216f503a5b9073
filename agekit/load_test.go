package agekit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/testutil"
)

// TestLarge: where the list of Debian's packages is missing, Large returns a generated graph
// that has about as many nodes, classes, edges and words, and prints that it is generated.
// Any other error in loading the list is returned.
func TestLarge(t *testing.T) {
	withoutDebian := func(name string, o dataset.Options) (*graph.Graph, error) {
		if name == "debian" {
			return nil, fmt.Errorf("data set debian: %w", dataset.ErrMissing)
		}
		return dataset.Load(t.Context(), name, o)
	}
	var g *graph.Graph
	text := printed(t, func() {
		var err error
		if g, err = large(withoutDebian); err != nil {
			t.Fatal(err)
		}
	})
	if s := g.Stats(); s.Nodes < 60000 || s.Classes != 50 || s.Edges < 240000 || s.NonZeros < 200000 {
		t.Errorf("%+v, want Debian's 63,000 nodes, 50 classes, 240,000 edges and 200,000 words, or about as many", s)
	}
	if text != "There is no list of Debian's packages here: this is a generated graph of about the same size.\n" {
		t.Errorf("it printed %q", text)
	}
	damaged := errors.New("damaged")
	if _, err := large(func(string, dataset.Options) (*graph.Graph, error) { return nil, damaged }); err != damaged {
		t.Errorf("error %v, want %v", err, damaged)
	}
}

// TestSelectSampled compares the thresholds of a sample with those of [Select]: with all nodes
// as anchors, they are the same and have no error; with 300, they are within four standard
// errors. Fewer than two anchors, or more than nodes, are an error.
func TestSelectSampled(t *testing.T) {
	x := must(Smooth(cora(), 2./3, 4))
	exact := must(Select(x, 0.01, 0.5))
	for _, anchors := range []int{300, cora().N()} {
		s := must(SelectSampled(x, 0.01, 0.5, anchors))
		near(t, "positive threshold", float64(s.PosThreshold), float64(exact.PosThreshold), 4*float64(s.PosThresholdError)+1e-4)
		near(t, "negative threshold", float64(s.NegThreshold), float64(exact.NegThreshold), 4*float64(s.NegThresholdError)+1e-4)
		if all := anchors == cora().N(); all != (s.PosThresholdError == 0) {
			t.Errorf("%d anchors: error %v", anchors, s.PosThresholdError)
		}
	}
	for _, anchors := range []int{1, cora().N() + 1} {
		if _, err := SelectSampled(x, 0.01, 0.5, anchors); err == nil || err.Error() != fmt.Sprintf("%d anchors: want 2 to 2708, the number of nodes", anchors) {
			t.Errorf("%d anchors: %v", anchors, err)
		}
	}
}

// TestOpenTables: graphs from tables and from GraphML have the ids, classes and features of their
// files. A table of nodes without edges is an error.
func TestOpenTables(t *testing.T) {
	example := func(name string) string { return filepath.Join("..", "assets", "examples", name) }
	g := testutil.Value(Open(input.Source{Nodes: example("penguins.csv"), Edges: example("penguins-edges.csv"), Label: "species"})).OrFatal(t)
	if g.N() != 344 || g.NodeNames[343] != "p343" || g.Classes != 3 || g.FeatureNames[0] != "island = Biscoe" {
		t.Errorf("%d nodes up to %q, %d classes, first feature %q", g.N(), g.NodeNames[g.N()-1], g.Classes, g.FeatureNames[0])
	}
	if _, err := Open(input.Source{Nodes: example("penguins.csv")}); err == nil {
		t.Error("no error without edges")
	}
	if g, err := Load("input/formats/testdata/people.graphml"); err != nil || g.N() != 4 || g.NodeNames[1] != "bob & co" {
		t.Errorf("GraphML: %+v (%v)", g, err)
	}
}

// TestLoad: Load loads the data set with a name, or else that of $AGEKIT_DATASET, or else Cora.
// An unknown name is an error, and so is a table, which is named with what opens it.
func TestLoad(t *testing.T) {
	t.Setenv("AGEKIT_DATASET", small)
	if g := load(t, ""); g.Name != small || g.N() != 250 || g.Edges() != 750 || g.Classes != 3 {
		t.Errorf("%s: %d nodes, %d edges, %d classes", g.Name, g.N(), g.Edges(), g.Classes)
	}
	if g := load(t, "planted:n=60"); g.N() != 60 {
		t.Errorf("%s: $AGEKIT_DATASET overrides an explicit name", g.Name)
	}
	t.Setenv("AGEKIT_DATASET", "")
	if g := load(t, ""); g.Name != "cora" || g.N() != 2708 {
		t.Errorf("%s: %d nodes, want cora", g.Name, g.N())
	}
	t.Setenv("AGEKIT_DATASET", "coral")
	testutil.Value(Load("")).Fails(t, `unknown data set "coral"`)
	for _, name := range []string{"mine.csv", "Mine.TSV.gz", "nodes.parquet"} {
		testutil.Value(Load(name)).Fails(t, name+` is a table, and Load reads data sets and whole graphs: want agekit.Open(input.Source{Edges: "`+name+`"})`)
	}
}

// TestOpenFiles: Open returns the graph of a file of edges and a file of features, and Load the
// same graph from one .npz file. A file with too few labels is an error.
func TestOpenFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	edges, features := write("mine.tsv", "0\t1\n1\t2\n"), write("x.csv", "1,2\n3,4\n5,6\n")
	g := testutil.Value(Open(input.Source{Edges: edges, Features: features})).OrFatal(t)
	if g.Name != "mine" || g.N() != 3 || g.Edges() != 2 || g.Labels != nil {
		t.Errorf("%+v", g)
	}
	path := filepath.Join(dir, "whole.npz")
	arrays := []npy.NamedArray{{Name: "adj_", Value: g.Adjacency}, {Name: "attr_matrix", Value: *g.Features.Dense}}
	testutil.NoError(t, atomicfile.Write(path, func(w io.Writer) error { return npy.WriteArchive(w, arrays...) }))
	if whole := load(t, path); whole.Name != "whole" || whole.Edges() != 2 || !slices.Equal(whole.Features.ToDense().Data, g.Features.ToDense().Data) {
		t.Errorf("%+v", whole)
	}
	testutil.Value(Open(input.Source{Edges: edges, Features: features, Labels: write("l.txt", "a\nb\n")})).Fails(t, "l.txt: 2 labels: want 3")
}

// TestTooltip: the doc comment of Smooth, which Shift+Tab shows in a notebook, explains it in
// words before the first formula.
func TestTooltip(t *testing.T) {
	_, doc, _ := strings.Cut(string(must(os.ReadFile("load.go"))), "\n// Smooth ")
	doc, _, _ = strings.Cut(doc, "X̃")
	if !strings.Contains(doc, "features of each node with those of its neighbors") {
		t.Errorf("the description of Smooth begins with %q", doc)
	}
}
