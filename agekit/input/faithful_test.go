package input

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// opened reads a graph from the texts of a table of nodes and of one of edges.
func opened(t *testing.T, nodes, edges string, s Source) *Data {
	t.Helper()
	if nodes != "" {
		s.Nodes = inputtest.WriteText(t, "n.csv", nodes)
	}
	s.Edges = inputtest.WriteText(t, "e.csv", edges)
	d, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// circle returns lines with the edges of a ring of nodes, in which each id is joined to the next, and
// the last to the first.
func circle(ids ...string) string {
	var b strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&b, "%s,%s\n", id, ids[(i+1)%len(ids)])
	}
	return b.String()
}

// TestIDsStayApart: ids that are different texts are different nodes, and values that are different
// texts are different categories, even if they are equal numbers, and ids may begin with #. But
// integers with .0, as pandas writes a column with gaps, are the ids without it.
func TestIDsStayApart(t *testing.T) {
	for _, ids := range [][]string{
		{"1e3", "1000", "7"}, {"1.1", "1.10", "2"}, {"+1", "1", "2"}, {"#a", "b", "c"}, {"#1", "1", "2"}, {"00", "0", "1"},
	} {
		d := opened(t, "id,v\n"+strings.Join(ids, ",1\n")+",2\n", "source,target\n"+circle(ids...), Source{})
		if !slices.Equal(d.Graph.NodeNames, ids) || d.Graph.Edges() != 3 {
			t.Errorf("%q: nodes %q with %d edges", ids, d.Graph.NodeNames, d.Graph.Edges())
		}
		if d := opened(t, "", "source,target\n"+circle(ids...), Source{}); !slices.Equal(d.Graph.NodeNames, ids) {
			t.Errorf("%q: edges alone have nodes %q", ids, d.Graph.NodeNames)
		}
	}
	// The name of their column may begin so too.
	for _, text := range []string{"#id,v,w\n#a,5,2\n#b,2,2\n#c,7,1\n", "\"#id\",v,w\n#a,5,2\n#b,2,2\n#c,7,1\n"} {
		if d := opened(t, text, "source,target\n"+circle("#a", "#b", "#c"), Source{}); !slices.Equal(d.Graph.NodeNames, []string{"#a", "#b", "#c"}) {
			t.Errorf("%q: nodes %q", text, d.Graph.NodeNames)
		}
	}
	if _, err := table.Read(t.Context(), inputtest.WriteText(t, "c.csv", "\"# a\",b\n"), table.Options{}); err == nil || !strings.Contains(err.Error(), "no lines: want a table") {
		t.Errorf("a comment in quotes alone: error %v", err)
	}
	d := opened(t, "id,v\n1,1\n2,1\n3,5\n", "source,target\n"+circle("1.0", "2.0", "3.0"), Source{})
	if !slices.Equal(d.Graph.NodeNames, []string{"1", "2", "3"}) {
		t.Errorf("pandas' integers: nodes %q", d.Graph.NodeNames)
	}
	d = opened(t, "id,v\na,1.1\nb,1.10\nc,1.1\nd,1.10\n", "source,target\n"+circle("a", "b", "c", "d"), Source{Columns: recipe.Columns{Category: []string{"v"}}})
	if !slices.Equal(d.Graph.FeatureNames, []string{"v = 1.1", "v = 1.10"}) {
		t.Errorf("categories %q", d.Graph.FeatureNames)
	}
}

// TestHeaders reads tables whose first line may be a header or a row: the ids of the nodes, written by
// hand, show which it was taken for. Comments are neither, and a warning counts those between rows.
func TestHeaders(t *testing.T) {
	long := circle("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	for name, test := range map[string]struct {
		nodes, edges string
		in           Source
		ids          string
	}{
		"numbers in a header of nodes":      {"id,2019,2020,city\na,1,2,x\nb,3,4,y\nc,5,6,x\n", "source,target\n" + circle("a", "b", "c"), Source{ID: "id"}, "a b c"},
		"found by the ids":                  {"node,2019\na,1\nb,3\nc,5\n", "source,target\n" + circle("a", "b", "c"), Source{}, "a b c"},
		"no header of nodes":                {"a,x\nb,y\nc,x\n", "source,target\n" + circle("a", "b", "c"), Source{}, "a b c"},
		"unknown names of ends and nodes":   {"page,v\na,1\nb,2\nc,1\n", "referrer,referred\n" + circle("a", "b", "c"), Source{}, "a b c"},
		"unknown names of ends alone":       {"", "referrer,referred\n" + long, Source{}, "a b c d e f g h i j"},
		"a named column":                    {"", "referrer,referred,when\na,b,x\nb,c,y\n", Source{EdgeColumns: EdgeColumns{Source: "referrer"}}, "a b c"},
		"a first edge like the others":      {"", long, Source{}, "a b c d e f g h i j"},
		"comments at the beginning":         {"", "# made by \"hand\"\n# from\tto\nsource,target\n" + circle("a", "b", "c"), Source{}, "a b c"},
		"comments between, with few fields": {"", "source,target\na,b\n# half\nb,c\n#x\n", Source{}, "a b c"},
	} {
		if d := opened(t, test.nodes, test.edges, test.in); strings.Join(d.Graph.NodeNames, " ") != test.ids {
			t.Errorf("%s: nodes %q, want %s", name, d.Graph.NodeNames, test.ids)
		}
	}
	d := opened(t, "", "source,target\na,b\n# half\nb,c\n#x\n", Source{})
	if all := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(all, "2 lines that begin with # were read as comments") {
		t.Errorf("warnings %q", all)
	}
}

// TestExtendSays adds new nodes and edges to a ring of four: warnings, notes and errors, written by
// hand, tell what a model cannot know well. It also checks that the header of edges, and the column of
// ids, are found by the old nodes.
func TestExtendSays(t *testing.T) {
	d := opened(t, "who,kind,2\na,x,1\nb,y,2\nc,x,3\nd,y,1\n", "source,target\n"+circle("a", "b", "c", "d"), Source{})
	for name, test := range map[string]struct{ nodes, edges, want string }{
		"an unseen category":     {"who,kind,2\ne,z,1\n", "e,a\n", `column "kind": 1 of 1 values were not there in the training, and say nothing: "z"`},
		"no edge to the old":     {"who,kind,2\ne,x,1\nf,y,1\n", "e,f\n", "no edge leads to a node of the training"},
		"edges between old ones": {"who,kind,2\ne,x,1\n", "e,a\na,c\n", "1 edges between nodes of the training are left out"},
	} {
		_, _, warnings, err := Extend(t.Context(), d.Graph, d.Reading, Source{Nodes: inputtest.WriteText(t, "n.csv", test.nodes), Edges: inputtest.WriteText(t, "e.csv", test.edges)})
		if all := strings.Join(inputtest.Texts(warnings), "\n"); err != nil || !strings.Contains(all, test.want) {
			t.Errorf("%s: warnings %q, %v, want %q", name, all, err, test.want)
		}
	}
	for name, test := range map[string]struct{ nodes, edges, want string }{
		"edges of old nodes alone": {"who,kind,2\ne,x,1\n", "a,c\n", "no edge has a new node: all 1 are between nodes of the training"},
		"a column that is gone":    {"who,kind\ne,x\n", "e,a\n", `no column "2": want all that the training had`},
	} {
		_, _, _, err := Extend(t.Context(), d.Graph, d.Reading, Source{Nodes: inputtest.WriteText(t, "n.csv", test.nodes), Edges: inputtest.WriteText(t, "e.csv", test.edges)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
	// A word among numbers is said, also where these have decimal commas.
	numbers := &recipe.Recipe{Columns: []recipe.Column{{Name: "n", Kind: "number", Deviation: 1, Gaps: true}}}
	withWord := inputtest.ReadText(t, "n.csv", "n;m\n1,5;x\n2,5;y\nunknown;z\n", false)
	_, unseen, err := numbers.Features(withWord)
	if err != nil || len(unseen) != 1 || !strings.HasSuffix(unseen[0].String(), `1 of 3 values were not there in the training, and say nothing: "unknown"`) {
		t.Errorf("warnings %q, %v", unseen, err)
	}
	_, notes, _, err := Extend(t.Context(), d.Graph, d.Reading, Source{Nodes: inputtest.WriteText(t, "n.csv", "who,kind,2\ne,x,1\nf,y,1\n"), Edges: inputtest.WriteText(t, "e.csv", "e,a\n")})
	if text := strings.Join(notes, "\n"); err != nil || !strings.Contains(text, "1 of 2 new nodes have no edge: their features alone decide") {
		t.Errorf("a node without edges: notes %q, %v", text, err)
	}
	// A table of edges of unknown ends has a header if its names are no ids.
	for _, edges := range []string{"referrer,referred\ne,a\n", "referrer,referred\ne,a\ne,b\n"} {
		g, _, _, err := Extend(t.Context(), d.Graph, d.Reading, Source{Nodes: inputtest.WriteText(t, "n.csv", "who,kind,2\ne,x,1\n"), Edges: inputtest.WriteText(t, "e.csv", edges)})
		if want := 4 + strings.Count(edges, "e,"); err != nil || g.Edges() != want { // the ring, and those of e
			t.Errorf("%q: %v, %v, want %d edges", edges, g, err, want)
		}
	}
	// The ids are in the same column as in the training, wherever it is.
	var g *graph.Graph
	g, _, _, err = Extend(t.Context(), d.Graph, d.Reading, Source{Nodes: inputtest.WriteText(t, "n.csv", "kind,2,who\nx,1,e\n"), Edges: inputtest.WriteText(t, "e.csv", "e,a\n")})
	if err != nil || g.NodeNames[4] != "e" || filepath.Base(g.Name) != g.Name {
		t.Errorf("ids %q, %v", g.NodeNames, err)
	}
}

// TestOddTables: 2,000 nodes with an attribute each of its own would make a table of 2,000 rows and
// columns, which is refused for its memory before it is made. Control characters in the name of an
// attribute are replaced, and a table of nodes without rows is an error.
func TestOddTables(t *testing.T) {
	var nodes, links []string
	for i := range 2000 {
		nodes = append(nodes, fmt.Sprintf(`{"id": %d, "a%d": 1}`, i, i))
		links = append(links, fmt.Sprintf(`{"source": %d, "target": %d}`, i, (i+1)%2000))
	}
	path := inputtest.WriteText(t, "g.json", fmt.Sprintf(`{"nodes": [%s], "links": [%s]}`, strings.Join(nodes, ","), strings.Join(links, ",")))
	t.Setenv("AGEKIT_MEMORY", "10MB")
	if _, err := Open(t.Context(), Source{Graph: path}); err == nil || !strings.Contains(err.Error(), "g.json: table of 2000 rows and 2001 columns: 48 MB of memory") {
		t.Errorf("%v", err)
	}
	odd, err := Open(t.Context(), Source{Graph: inputtest.WriteText(t, "odd.json", `{"nodes": [{"id": "a", "x\u001b[1m": 1}, {"id": "b", "x\u001b[1m": 2}], "links": [{"source": "a", "target": "b"}]}`)})
	if err != nil || odd.Graph.FeatureNames[0] != "x\ufffd[1m" {
		t.Errorf("an escape sequence in a name: %q, %v", odd.Graph.FeatureNames, err)
	}
	none := Source{Nodes: inputtest.WriteText(t, "n.csv", "id,v\n"), Edges: inputtest.WriteText(t, "e.csv", "source,target\na,b\n"), ID: "id"}
	if _, err := Open(t.Context(), none); err == nil || !strings.Contains(err.Error(), "n.csv: no rows: want one per node") {
		t.Errorf("no rows: %v", err)
	}
}

// TestExtendAddsWeights: edges of new nodes are a table, whose repeated weights, 1 and 2, add up to 3,
// also in a file that would be a plain list, with the largest weight, when the old graph is read.
func TestExtendAddsWeights(t *testing.T) {
	path := writeInputs(t, map[string]string{"e.tsv": "0\t1\n", "x.csv": "1,2\n3,4\n", "new-x.csv": "5,6\n", "new-e.tsv": "2\t0\t1\n2\t0\t2\n"})
	old, err := Open(t.Context(), Source{Edges: path("e.tsv"), Features: path("x.csv")})
	if err != nil {
		t.Fatal(err)
	}
	g, _, _, err := Extend(t.Context(), old.Graph, old.Reading, Source{Features: path("new-x.csv"), Edges: path("new-e.tsv")})
	if err != nil || g.Adjacency.At(2, 0) != 3 {
		t.Errorf("weight %v (%v), want 3", g.Adjacency.At(2, 0), err)
	}
}
