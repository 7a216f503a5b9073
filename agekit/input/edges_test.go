package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
	"pgregory.net/rapid"
)

// TestEdges reads small tables of edges: which columns are used, and what becomes of loops, repeated
// edges and directions, is written by hand.
func TestEdges(t *testing.T) {
	for _, test := range []struct {
		name, text string
		columns    EdgeColumns
		want       string   // the edges as shownEdges shows them
		ids        string   // the ids of nodes 0, 1, …
		notes      []string // parts of the notes and warnings
	}{
		{"names", "weight,to,from\n2,b,a\n", EdgeColumns{}, "0-1:2", "a b", nil},
		{"first two", "x y\ny z\n", EdgeColumns{}, "0-1 1-2", "x y z", []string{"no header"}},
		{"third is the weight", "x,y,2.5\n", EdgeColumns{}, "0-1:2.5", "x y", nil},
		{"others are not", "source,target,calls\nx,y,7\n", EdgeColumns{}, "0-1", "x y", []string{`no weights: column "calls" has positive numbers; Source.EdgeColumns.Weight "calls" uses them`}},
		{"years are none", "source,target,year\nx,y,1999\n", EdgeColumns{}, "0-1", "x y", nil},
		{"unless asked for", "source,target,year\nx,y,1999\n", EdgeColumns{Weight: "year"}, "0-1:1999", "x y", nil},
		{"by number", "q,a,b\n7,x,y\n", EdgeColumns{Source: "2", Target: "3"}, "0-1", "x y", nil},
		{"repeated", "x,y,1\nx,y,2\nx,z,4\n", EdgeColumns{}, "0-1:3 0-2:4", "x y z", []string{"1 lines repeat an edge: its weights are added"}},
		{"repeated without weights", "x,y\nx,y\nx,z\n", EdgeColumns{}, "0-1:2 0-2:1", "x y z", nil},
		{"loops", "x,x\nx,y\n", EdgeColumns{}, "0-1", "x y", []string{"1 loops dropped"}},
		{"directions", "x,y,1\ny,x,2\n", EdgeColumns{}, "0-1:2", "x y", []string{"1 edges are there in both directions"}},
		{"numbers as ids", "source,target\n10,7\n7,1\n", EdgeColumns{}, "0-1 1-2", "10 7 1", nil},
	} {
		edges, err := readEdgeText(t, test.text, test.columns)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		e, err := edges.edges(t.Context(), nil, false)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, ids := shownEdges(e), edges.ids.names(); got != test.want || strings.Join(ids, " ") != test.ids {
			t.Errorf("%s: %s of %v, want %s of %s", test.name, got, ids, test.want, test.ids)
		}
		for _, note := range test.notes {
			if all := strings.Join(append(e.Notes, inputtest.Texts(e.Warnings)...), "\n"); !strings.Contains(all, note) {
				t.Errorf("%s: notes %q, want %q", test.name, all, note)
			}
		}
	}
}

// readEdgeText reads the text of a table of edges.
func readEdgeText(t *testing.T, text string, columns EdgeColumns) (*edgeTable, error) {
	t.Helper()
	return Source{Edges: inputtest.WriteText(t, "e.csv", text), EdgeColumns: columns}.edgeTable(t.Context(), table.Options{}, nil)
}

// shownEdges shows edges as "source-target:weight", by the numbers of the nodes, and without the weight
// if all are 1.
func shownEdges(e *edgeList) string {
	var parts []string
	for k := range e.u {
		s := fmt.Sprintf("%d-%d", e.u[k], e.v[k])
		if e.w != nil {
			s += fmt.Sprintf(":%v", e.w[k])
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// TestEdgesRefuse reads tables that do not fit the nodes x and y, or are wrong in another way: the
// errors, written by hand, name the line, the column or the ids. All edges in both directions are no
// directed graph.
func TestEdgesRefuse(t *testing.T) {
	known, err := newIDs([]string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		columns    EdgeColumns
		refuse     bool // directed graphs are refused
		want       string
	}{
		{"unknown id", "source,target\nx,y\nx,q\n", EdgeColumns{}, false, `e.csv:3: no node has the id "q" in column "target": want one of the 2 ids of the nodes`},
		{"unknown ids", "source,target\nx,q\nx,p\nr,y\n", EdgeColumns{}, false, `"q" in column "target", nor have 2 others ("p", "r"): want the 2 ids`},
		{"empty end", "source,target\nx,\nx,y\n", EdgeColumns{}, false, `e.csv:2: column "target" is empty: want the id of a node`},
		{"weight 0", "x,y,0\n", EdgeColumns{}, false, `e.csv:1: weight 0 in column 3: want a positive finite number`},
		{"no weight", "source,target,weight\nx,y,\n", EdgeColumns{}, false, `e.csv:2: weight NaN in column "weight"`},
		{"words as weights", "source,target,kind\nx,y,friend\n", EdgeColumns{Weight: "kind"}, false, `weight "friend" in column "kind": want positive numbers; Source.EdgeColumns.Weight names another column`},
		{"no such column", "source,target\nx,y\n", EdgeColumns{Weight: "w"}, false, `no column "w": want one of "source", "target"`},
		{"same column", "source,target\nx,y\n", EdgeColumns{Source: "target", Target: "target"}, false, "want different ones"},
		{"one column", "source\nx\n", EdgeColumns{}, false, "1 columns: want two"},
		{"directed", "x,y,1\ny,x,2\n", EdgeColumns{}, true, "1 edges are there in both directions, 1 of them with different weights: the graph is directed"},
	} {
		edges, err := readEdgeText(t, test.text, test.columns)
		if err == nil {
			_, err = edges.edges(t.Context(), known, test.refuse)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	edges, err := readEdgeText(t, "x,y\ny,x\n", EdgeColumns{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edges.edges(t.Context(), known, true); err != nil {
		t.Errorf("all edges in both directions: %v", err)
	}
}

// TestDirectedFile: a graph file that says that its edges are directed is refused where that is asked.
func TestDirectedFile(t *testing.T) {
	for direction, want := range map[string]string{"directed": "says that its edges are directed", "undirected": ""} {
		path := inputtest.WriteText(t, "g.graphml", `<graphml><graph edgedefault="`+direction+`"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`)
		_, err := Open(t.Context(), Source{Graph: path, RefuseDirected: true})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", direction, err, want)
		}
	}
}

// TestFindIDs finds the column of ids, which is known by hand, among those of tables of nodes for the
// edges 7–8 and 8–9; two columns that could be it, and none, are errors, and so are ids that are
// missing or there twice.
func TestFindIDs(t *testing.T) {
	edges, err := readEdgeText(t, "source,target\n7,8\n8,9\n", EdgeColumns{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, nodes, want string }{ // want is the label of the column, or a part of the error
		{"among others", "rank,key,size\n1,7,5\n2,8,5\n3,9,6\n4,10,7\n", `"key"`},
		{"pandas' index as ids", ",age\n7,30\n8,31\n9,30\n", "1"},
		{"two", "a,b\n7,7\n8,8\n9,9\n", `columns "a" and "b" could both be the ids`},
		{"none", "a,b\nx,1\ny,1\nz,2\n", "no column has a different value in each row"},
		{"one end is missing", "a,b\n7,p\n8,q\n", `"a"`},
	} {
		nodes := inputtest.ReadText(t, "n.csv", test.nodes, false)
		k, err := findIDs(nodes, edges)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = nodes.Label(k)
		}
		if err == nil && got != test.want || err != nil && !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	for _, test := range []struct{ nodes, want string }{
		{"a,b\nx,1\nx,2\n", `n.csv:3: column "a": id "x" is also that of row 1`},
		{"a,b\nx,1\n,2\n", `n.csv:3: column "a": the id is missing`},
	} {
		if _, err := idsOf(inputtest.ReadText(t, "n.csv", test.nodes, false), 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestEdgesSum draws tables of weighted edges: the weights of each direction of an edge, which the test
// adds up in a map, give the edge the larger sum, and there is one edge for each pair of nodes.
func TestEdgesSum(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		b.WriteString("source,target,weight\n")
		sums := map[[2]string]float64{} // of each direction
		for range rapid.IntRange(1, 40).Draw(r, "lines") {
			u, v, w := rapid.IntRange(0, 6).Draw(r, "u"), rapid.IntRange(0, 6).Draw(r, "v"), rapid.IntRange(1, 9).Draw(r, "w")
			fmt.Fprintf(&b, "n%d,n%d,%d\n", u, v, w)
			if u != v {
				sums[[2]string{fmt.Sprintf("n%d", u), fmt.Sprintf("n%d", v)}] += float64(w)
			}
		}
		edges, err := readEdgeText(t, b.String(), EdgeColumns{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := edges.edges(t.Context(), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		both := 0
		for ends := range sums {
			if _, ok := sums[[2]string{ends[1], ends[0]}]; ok {
				both++
			}
		}
		if len(e.u) != len(sums)-both/2 {
			t.Fatalf("%d edges, want %d", len(e.u), len(sums)-both/2)
		}
		for k, w := range e.w {
			u, v := edges.ids.id(int(e.u[k])), edges.ids.id(int(e.v[k]))
			if want := max(sums[[2]string{u, v}], sums[[2]string{v, u}]); float64(w) != want {
				t.Fatalf("%s–%s has weight %v, want %v", u, v, w, want)
			}
		}
	})
}

// TestMixedIDs: ids of a column lose .0 only if all have it: versions keep it. Notes and warnings, by
// hand, tell of decimal commas in weights, of control characters in ids, and of ids that are formulas.
func TestMixedIDs(t *testing.T) {
	for _, test := range []struct {
		text, ids, notes, warnings string
	}{
		{"source,target\n1.0,2.0\n2.0,3.5\n", "1 2.0 2 3.5", "comma-separated, header source, target", ""},
		{"source,target\n1,2.0\n2.0,3.0\n", "1 2 2.0 3", "comma-separated, header source, target", ""},
		{"source;target;weight\na;b;1,5\n", "a b", `semicolon-separated, header source, target, weight; column "weight": numbers with a decimal comma`, ""},
		{"source,target\na\x01,b\n", "a\ufffd b", "comma-separated, header source, target", "1 control characters were replaced by \ufffd"},
		{"source,target\n=a,b\n", "=a b", "comma-separated, header source, target", `1 different texts, such as "=a", are formulas`},
	} {
		edges, err := readEdgeText(t, test.text, EdgeColumns{})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		notes, warnings := strings.Join(edges.Notes, "; "), strings.Join(inputtest.Texts(edges.Warnings), "; ")
		if ids := strings.Join(edges.ids.names(), " "); ids != test.ids || notes != test.notes || !strings.HasPrefix(warnings, test.warnings) || (warnings == "") != (test.warnings == "") {
			t.Errorf("%q: ids %q, notes %q, warnings %q", test.text, ids, notes, warnings)
		}
	}
}

// TestLostAttributes: a warning names the first attributes of NetworkX's edges, other than the weight,
// that are left out.
func TestLostAttributes(t *testing.T) {
	for text, want := range map[string]string{
		"a b {'weight': 9.0, 'color': 'red'}\nb c {'weight': 2.0}\n": `attributes of edges but the weight are left out, such as "{'weight': 9.0, 'color': 'red'}" in line 1`,
		"a b {}\nb c {'color': 'red'}\n":                             `such as "{'color': 'red'}" in line 2`,
		"a b {'weight': 9.0}\nb c {}\n":                              "",
	} {
		edges, err := readEdgeText(t, text, EdgeColumns{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if warnings := strings.Join(inputtest.Texts(edges.Warnings), "; "); !strings.Contains(warnings, want) || want == "" && warnings != "" {
			t.Errorf("%q: warnings %q, want %q", text, warnings, want)
		}
	}
}
