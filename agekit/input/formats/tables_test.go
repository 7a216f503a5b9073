package formats

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestReadGraph reads three files that NetworkX 3.6.1 wrote of one graph. The tables of nodes and edges
// that were put in are written here by hand.
func TestReadGraph(t *testing.T) {
	const (
		nodes = `"id" ann bob & co eve kim; "age"# 30 41.5 ∅ 52; "town" Rome Oslo Rome ∅; `
		edges = "0-1:2 0-2:0.5 1-2:1"
	)
	for _, name := range []string{"people.graphml", "people.gexf", "people.json"} {
		g, err := ReadTables(context.Background(), filepath.Join("testdata", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := inputtest.Shown(g.Nodes); got != nodes {
			t.Errorf("%s: %s, want %s", name, got, nodes)
		}
		if got := joinedNodes(g); got != edges || g.Directed {
			t.Errorf("%s: edges %s, directed %v, want %s", name, got, g.Directed, edges)
		}
	}
}

// joinedNodes shows the edges of a graph, sorted, as "source-target:weight", with the places of the
// ends in the table of nodes.
func joinedNodes(g *Tables) string {
	place := map[string]int{}
	for row := range g.Nodes.Rows {
		id, _ := g.Nodes.Columns[0].Text(row)
		place[id] = row
	}
	var edges []string
	for row := range g.Edges.Rows {
		source, _ := g.Edges.Columns[0].Text(row)
		target, _ := g.Edges.Columns[1].Text(row)
		edges = append(edges, fmt.Sprintf("%d-%d:%v", min(place[source], place[target]), max(place[source], place[target]), g.Edges.Columns[2].Numbers[row]))
	}
	slices.Sort(edges)
	return strings.Join(edges, " ")
}

// TestReadGraphForms reads texts in the forms that other programs write; the tables of nodes and edges
// are by hand, as [inputtest.Shown] shows them.
func TestReadGraphForms(t *testing.T) {
	for _, test := range []struct{ name, file, text, nodes, edges string }{
		{"defaults", "g.graphml", `<graphml><key id="c" for="node" attr.name="color"><default>red</default></key><graph edgedefault="directed">
			<node id="a"/><node id="b"><data key="c">blue</data></node><edge source="a" target="b"/></graph></graphml>`,
			`"id" a b; "color" red blue; `, `"source" a; "target" b; `},
		{"GEXF 1.1", "g.gexf", `<gexf version="1.1"><graph defaultedgetype="undirected"><attributes class="node"><attribute id="0" title="id"/></attributes>
			<nodes><node id="1" label="one"><attvalues><attvalue id="0" value="x"/></attvalues></node><node id="2" label="two"/></nodes>
			<edges><edge id="0" source="1" target="2" weight="3"/></edges></graph></gexf>`,
			`"id" 1 2; "label" one two; "id (attribute)" x ∅; `, `"source" 1; "target" 2; "weight"# 3; `},
		{"d3 numbers its nodes", "g.json", `{"links":[{"source":0,"target":1,"value":2}],"nodes":[{"group":"p","tags":["x","y"]},{"group":"q","tags":null}]}`,
			`"id" 0 1; "group" p q; "tags" ["x","y"] ∅; `, `"source" 0; "target" 1; "value"# 2; `},
		{"an encoding of two bytes", "g.graphml", "<?xml version='1.0' encoding='Shift_JIS'?><graphml><graph><node id='\x93\xfa'/><node id='b'/><edge source='\x93\xfa' target='b'/></graph></graphml>",
			`"id" 日 b; `, `"source" 日; "target" b; `},
	} {
		g, err := ReadTables(context.Background(), inputtest.WriteText(t, test.file, test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := inputtest.Shown(g.Nodes); got != test.nodes {
			t.Errorf("%s: nodes %s, want %s", test.name, got, test.nodes)
		}
		if got := inputtest.Shown(g.Edges); got != test.edges {
			t.Errorf("%s: edges %s, want %s", test.name, got, test.edges)
		}
	}
}

// TestReadGraphRefuses reads damaged texts, and graphs of kinds that are not read: the errors, written
// by hand, say what was found and what was expected. It also checks that a directed graph is known as
// one.
func TestReadGraphRefuses(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"g.graphml", "<graphml>\n<graph>\n<node id=", "g.graphml: line 3: unexpected EOF: want XML"},
		{"g.graphml", `<graphml><graph><node id="a"><data key="k">1</data></node></graph></graphml>`, `node "a": value of the unknown attribute "k": want a <key>`},
		{"g.graphml", `<graphml><graph><node id="a"><graph id="b"/></node></graph></graphml>`, `node "a" contains a <graph>`},
		{"g.graphml", `<graphml><graph><hyperedge/></graph></graphml>`, "want edges between two nodes"},
		{"g.graphml", `<graphml><graph/></graphml>`, "g.graphml: no nodes: want a graph"},
		{"g.gexf", `<gexf><graph mode="dynamic"/></gexf>`, `mode is "dynamic": want a static graph`},
		{"g.gexf", `<gexf><graph><nodes><node id="a"><attvalues><attvalue for="9" value="1"/></attvalues></node></nodes></graph></gexf>`, `node "a": value of the unknown attribute "9"`},
		{"g.gexf", `<gexf><graph><attributes class="graph"/></graph></gexf>`, "<attributes> of no class: want node or edge"},
		{"g.json", `[1]`, "want a JSON object with the lists nodes and links"},
		{"g.json", `{"nodes":[{"id":"a"}]}`, "no list links or edges"},
		{"g.json", `{"nodes":[{"id":"a","x":{"y":1}}],"links":[]}`, `nodes: entry 0: "x": an object: want words, numbers or lists of words`},
		{"g.json", `{"nodes":[{"id":"a"}],"links":[{"source":"a"}]}`, "links: entry 0: target is <nil>: want an id"},
		{"g.json", `{"nodes":[{"id":"a"`, "want JSON"},
	} {
		_, err := ReadTables(context.Background(), inputtest.WriteText(t, test.file, test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
	g, err := ReadTables(context.Background(), inputtest.WriteText(t, "g.graphml", `<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`))
	if err != nil {
		t.Fatal(err)
	}
	if !g.Directed {
		t.Error("a directed graph is not said to be")
	}
}

// FuzzReadGraph: any bytes are read or refused, and each column of the tables has as many values as the
// table has rows.
func FuzzReadGraph(f *testing.F) {
	f.Add([]byte(`<graphml><key id="d" for="node" attr.name="x"/><graph><node id="a"><data key="d">1</data></node><edge source="a" target="a"/></graph></graphml>`), ".graphml")
	f.Add([]byte(`<gexf><graph><nodes><node id="a" label="b"/></nodes><edges><edge source="a" target="a" weight="2"/></edges></graph></gexf>`), ".gexf")
	f.Add([]byte(`{"nodes":[{"id":1,"x":[1,"a"]}],"links":[{"source":1,"target":1}]}`), ".json")
	f.Fuzz(func(t *testing.T, data []byte, ext string) {
		if ext != ".graphml" && ext != ".gexf" && ext != ".json" {
			return
		}
		g, err := ReadTables(context.Background(), inputtest.WriteText(t, "g"+ext, string(data)))
		if err != nil {
			return
		}
		for _, part := range []*table.Table{g.Nodes, g.Edges} {
			for k := range part.Columns {
				if part.Rows > 0 && part.Columns[k].Len() != part.Rows {
					t.Fatalf("column %d has %d values in %d rows", k, part.Columns[k].Len(), part.Rows)
				}
			}
		}
	})
}

// TestLists reads the same lists of two numbers, and a gap, in every format: each place in the lists
// becomes a column.
func TestLists(t *testing.T) {
	const want = `"e 1"# 1 3 ∅; "e 2"# 2 -4.5 ∅; `
	for name, text := range map[string]string{
		"n.csv":     "id,e\na,\"[1, 2]\"\nb,\"(3.0, -4.5)\"\nc,\n",
		"n.tsv":     "id\te\na\t[1. 2.]\nb\t[ 3.  -4.5]\nc\t\n",
		"g.json":    `{"nodes":[{"id":"a","e":[1,2]},{"id":"b","e":[3,-4.5]},{"id":"c","e":null}],"links":[{"source":"a","target":"b"}]}`,
		"g.graphml": `<graphml><key id="e" for="node" attr.name="e" attr.type="vector_double"/><graph><node id="a"><data key="e">0x1p+0, 0x2p+0</data></node><node id="b"><data key="e">0x3p+0, -0x1.2p+2</data></node><node id="c"/><edge source="a" target="b"/></graph></graphml>`,
		"g.gml":     "graph [ node [ id a e 1 e 2 ] node [ id b e 3 e -4.5 ] node [ id c ] edge [ source a target b ] ]",
	} {
		var nodes *table.Table
		if strings.HasPrefix(name, "g") {
			g, err := ReadTables(t.Context(), inputtest.WriteText(t, name, text))
			if err != nil {
				t.Error(err)
				continue
			}
			nodes = g.Nodes
		} else {
			nodes = inputtest.ReadText(t, name, text, false)
		}
		if _, err := nodes.Spread(func(k int) bool { return k == 0 }); err != nil {
			t.Error(err)
		}
		if got := inputtest.Shown(nodes); got != `"id" a b c; `+want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestLongWord: a word in a graph file that is longer than a line of text may be is an error that names the
// file, the row and the column, in each form; one of the longest length is read.
func TestLongWord(t *testing.T) {
	defer func(longest int) { longestWord = longest }(longestWord)
	longestWord = 1000
	for file, text := range map[string]string{
		"g.json":    `{"nodes": [{"id": "a"}, {"id": "b", "note": "WORD"}], "links": [{"source": "a", "target": "b"}]}`,
		"g.gml":     `graph [ node [ id 0 label "a" ] node [ id 1 label "b" note "WORD" ] edge [ source 0 target 1 ] ]`,
		"g.graphml": `<graphml><key id="note" for="node" attr.name="note"/><graph><node id="a"/><node id="b"><data key="note">WORD</data></node><edge source="a" target="b"/></graph></graphml>`,
		"g.gexf":    `<gexf><graph><attributes class="node"><attribute id="note" title="note"/></attributes><nodes><node id="a"/><node id="b"><attvalues><attvalue for="note" value="WORD"/></attvalues></node></nodes><edges><edge source="a" target="b"/></edges></graph></gexf>`,
	} {
		for _, bytes := range []int{1000, 1001} {
			path := inputtest.WriteText(t, file, strings.ReplaceAll(text, "WORD", strings.Repeat("x", bytes)))
			_, err := ReadTables(t.Context(), path)
			const says = `: row 2: "note" has 1001 bytes: want at most 1000`
			if bytes == 1000 && err != nil || bytes > 1000 && (err == nil || !strings.Contains(err.Error(), file+says)) {
				t.Errorf("%s, %d bytes: error %v", file, bytes, err)
			}
		}
	}
}
