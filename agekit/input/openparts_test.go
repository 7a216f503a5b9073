package input

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
)

// people is a table of nodes with a gap in two columns, and ties a table of their edges, with a
// repeated edge and a loop.
const (
	people = "name,age,town,team\nann,30,Rome,red\nbob,41,Oslo,blue\neve,,Rome,\nkim,52,Oslo,red\n"
	ties   = "from,to,weight\nann,bob,2\nbob,eve,1\neve,ann,0.5\nann,bob,1\nkim,kim,1\n"
)

// writeInputs writes files into a new folder and returns the path of each.
func writeInputs(t *testing.T, contents map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string {
		if name == "" {
			return ""
		}
		return filepath.Join(dir, name)
	}
}

// TestOpen reads a table of nodes and one of edges: the ids, labels, features, weights and notes are
// written by hand.
func TestOpen(t *testing.T) {
	path := writeInputs(t, map[string]string{"people.csv": people, "ties.csv": ties})
	l, err := Open(t.Context(), Source{Nodes: path("people.csv"), Edges: path("ties.csv"), Label: "team"})
	if err != nil {
		t.Fatal(err)
	}
	g := l.Graph
	if g.Name != "people" || !slices.Equal(g.NodeNames, []string{"ann", "bob", "eve", "kim"}) {
		t.Errorf("graph %q of %q", g.Name, g.NodeNames)
	}
	if !slices.Equal(g.Labels, []int{1, 0, graph.Unknown, 1}) || !slices.Equal(g.ClassNames, []string{"blue", "red"}) {
		t.Errorf("labels %v of %q", g.Labels, g.ClassNames)
	}
	if !slices.Equal(g.FeatureNames, []string{"age", "age is missing", "town = Oslo", "town = Rome"}) {
		t.Errorf("features %q", g.FeatureNames)
	}
	if g.Edges() != 3 || g.ListedEdges != 5 {
		t.Errorf("%d edges of %d listed, want 3 of 5", g.Edges(), g.ListedEdges)
	}
	if annBob, eveAnn := g.Adjacency.At(0, 1), g.Adjacency.At(2, 0); annBob != 3 || eveAnn != 0.5 { // 3 is 2 and 1
		t.Errorf("weights %v and %v, want 3 and 0.5", annBob, eveAnn)
	}
	if g.Degree(3) != 0 { // kim has only a loop
		t.Errorf("degree %v, want 0", g.Degree(3))
	}
	notes := strings.Join(l.Notes, "\n")
	for _, want := range []string{`column "name" has the ids`, `"team": 2 classes, 1 nodes of unknown class`, "1 lines repeat an edge", "1 loops dropped", `"age": number`} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\nwant %q", notes, want)
		}
	}
}

// TestReadTablesParts reads graphs from some of the parts that a graph may have: edges, a table of nodes, a
// matrix of features, and labels. The parts decide the ids, the features and a note about them, which are
// compared with those that follow by hand from the texts of the files. One-hot features are four, since the
// four nodes have one each; and x.csv has two columns.
func TestReadTablesParts(t *testing.T) {
	path := writeInputs(t, map[string]string{
		"people.csv": people, "ties.csv": ties, "ids.csv": "name\nann\nbob\neve\nkim\n", "numbers.csv": "a,b\n0,1\n1,2\n",
		"x.csv": "1,-1\n0,2\n3,0\n4,5\n", "l.txt": "p\nq\np\nq\n",
	})
	for _, test := range []struct {
		name     string
		in       Source
		nodes    string // the ids
		features int    // how many a node has
		names    bool   // the features have names
		note     string // a part of the notes; "" for any
	}{
		{"edges alone", Source{Edges: path("ties.csv")}, "ann bob eve kim", 4, false, "one-hot"},
		{"ids alone", Source{Edges: path("ties.csv"), Nodes: path("ids.csv")}, "ann bob eve kim", 4, false, "one-hot"},
		{"a matrix", Source{Edges: path("numbers.csv"), Features: path("x.csv"), Labels: path("l.txt")}, "0 1 2 3", 2, false, ""},
		{"ids and a matrix", Source{Edges: path("ties.csv"), Nodes: path("ids.csv"), Features: path("x.csv")}, "ann bob eve kim", 2, false, ""},
		// The features are the two columns of x.csv and the two towns.
		{"a table and a matrix", Source{Edges: path("ties.csv"), Nodes: path("people.csv"), Features: path("x.csv"), Columns: recipe.Columns{Only: []string{"town"}}},
			"ann bob eve kim", 4, true, "2 features of"},
	} {
		l, err := Open(t.Context(), test.in)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		g := l.Graph
		if _, f := g.Features.Dims(); f != test.features || strings.Join(g.NodeNames, " ") != test.nodes || (g.FeatureNames != nil) != test.names {
			t.Errorf("%s: %d features %q of %q, want %d of %q", test.name, f, g.FeatureNames, g.NodeNames, test.features, test.nodes)
		}
		if notes := strings.Join(l.Notes, "\n"); !strings.Contains(notes, test.note) {
			t.Errorf("%s: notes\n%s\nwant %q", test.name, notes, test.note)
		}
	}
}

// TestReadTablesRefuses: files and options that do not fit together are errors, written by hand.
func TestReadTablesRefuses(t *testing.T) {
	path := writeInputs(t, map[string]string{
		"people.csv": people, "ties.csv": ties, "others.csv": "name,age\nann,3\nbob,4\n", "x.csv": "1,2\n", "same.csv": "name,c\nann,1\nbob,1\neve,1\nkim,1\n",
	})
	for _, test := range []struct {
		in   Source
		want string
	}{
		{Source{Nodes: path("people.csv")}, "no edges: want Source.Edges"},
		{Source{Edges: path("ties.csv"), ID: "name"}, "want Source.Nodes too"},
		{Source{Edges: path("ties.csv"), Nodes: path("others.csv")}, `ties.csv:3: no node has the id "eve" in column "to", nor have 1 others ("kim"`},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), ID: "town"}, `people.csv:4: column "town": id "Rome" is also that of row 1`},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), Label: "name"}, `column "name" is both the ids and the labels`},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), Label: "class"}, `no column "class"`},
		{Source{Edges: path("ties.csv"), Nodes: path("same.csv"), Label: "c"}, `column "c": 1 classes: want two or more`},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), Features: path("x.csv")}, "x.csv: 1 rows, want one for each of the 4 nodes of"},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), EdgeColumns: EdgeColumns{Weight: "to"}}, "want different ones"},
		{Source{Edges: path("ties.csv"), Nodes: path("people.csv"), Label: "team", Labels: path("x.csv")}, "Source.Labels and Source.Label: want one or the other"},
	} {
		if _, err := Open(t.Context(), test.in); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
