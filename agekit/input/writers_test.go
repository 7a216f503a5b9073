package input

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/internal/inputtest"
)

// planted is a graph of two groups, of six nodes and six edges: ids, a column of numbers and one of
// words for the nodes, and ends and weights for the edges.
var planted = struct {
	ids, town []string
	age       []float64
	ends      [][2]int // the places of the two nodes in ids
	weight    []float64
}{
	ids:    []string{"ann", "bo", "cy", "dée", "eve", "fay"},
	town:   []string{"Köln", "Köln", "Bonn", "Bonn", "Ulm", "Ulm"},
	age:    []float64{1.5, 1022.25, -3, 12.5, 7, 30},
	ends:   [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {2, 3}},
	weight: []float64{1, 2.5, 1, 9, 1, 0.25},
}

// source and target return the ids of the two ends of edge k of the planted graph.
func source(k int) string { return planted.ids[planted.ends[k][0]] }
func target(k int) string { return planted.ids[planted.ends[k][1]] }

// nodeLines returns a line for each node of the planted graph: its fields with a separator between
// them, numbers with a decimal mark, and the line's end.
func nodeLines(separator, decimal, end string) string {
	return inputtest.Lines(6, func(i int) string {
		age := strings.Replace(fmt.Sprint(planted.age[i]), ".", decimal, 1)
		if decimal == separator {
			age = `"` + age + `"`
		}
		return strings.Join([]string{planted.ids[i], age, planted.town[i]}, separator) + end
	})
}

// edgeLines is nodeLines for the edges.
func edgeLines(separator, decimal, end string) string {
	return inputtest.Lines(6, func(k int) string {
		weight := strings.Replace(fmt.Sprint(planted.weight[k]), ".", decimal, 1)
		return strings.Join([]string{source(k), target(k), weight}, separator) + end
	})
}

// inUTF16 returns a text in UTF-16, little-endian, with a byte-order mark.
func inUTF16(text string) string {
	b := []byte{0xff, 0xfe}
	for _, c := range utf16.Encode([]rune(text)) {
		b = append(b, byte(c), byte(c>>8))
	}
	return string(b)
}

// TestWriters reads the planted graph as many programs write it, in tables and in graph files: ids,
// features and edges are those of the plain tables.
func TestWriters(t *testing.T) {
	const nodeHead, edgeHead = "id,age,town\n", "source,target,weight\n"
	plainNodes, plainEdges := nodeHead+nodeLines(",", ".", "\n"), edgeHead+edgeLines(",", ".", "\n")
	want := described(t, Source{Nodes: inputtest.WriteText(t, "n.csv", plainNodes), Edges: inputtest.WriteText(t, "e.csv", plainEdges)})
	semicolons := func(text string) string { return strings.ReplaceAll(text, ",", ";") }
	tables := []struct{ name, nodesName, nodes, edgesName, edges string }{
		{"pandas, tabs", "n.tsv", strings.ReplaceAll(plainNodes, ",", "\t"), "e.tsv", strings.ReplaceAll(plainEdges, ",", "\t")},
		{"Excel, German", "n.csv", "\ufeff" + semicolons(nodeHead) + nodeLines(";", ",", "\r\n"), "e.csv", "\ufeff" + semicolons(edgeHead) + edgeLines(";", ",", "\r\n")},
		{"Excel's separator line", "n.csv", "sep=;\r\n" + semicolons(nodeHead) + nodeLines(";", ".", "\r\n"), "e.csv", "\"sep=;\"\r\n" + semicolons(edgeHead) + edgeLines(";", ".", "\r\n")},
		{"Excel's empty rows", "n.csv", plainNodes + ",,\n,,\n", "e.csv", plainEdges + ",,\n"},
		{"old Macs", "n.csv", strings.ReplaceAll(plainNodes, "\n", "\r"), "e.csv", strings.ReplaceAll(plainEdges, "\n", "\r")},
		{"Unicode text of Excel", "n.txt", inUTF16(strings.ReplaceAll(plainNodes, ",", "\t")), "e.txt", inUTF16(strings.ReplaceAll(plainEdges, ",", "\t"))},
		{"decimal commas and tabs", "n.tsv", strings.ReplaceAll(nodeHead, ",", "\t") + nodeLines("\t", ",", "\n"), "e.tsv", strings.ReplaceAll(edgeHead, ",", "\t") + edgeLines("\t", ",", "\n")},
		{"quoted decimal commas", "n.csv", nodeHead + nodeLines(",", ",", "\n"), "e.csv", plainEdges},
		{"decomposed names of edges", "n.csv", plainNodes, "e.csv", inputtest.Decomposed(plainEdges)},
		{"decomposed names of nodes", "n.csv", inputtest.Decomposed(plainNodes), "e.csv", plainEdges},
		{"aligned columns", "n.csv", plainNodes, "e.txt", inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("%5s  %-5s %8.4f \n", source(k), target(k), planted.weight[k])
		})},
		{"KONECT", "n.csv", plainNodes, "out.txt", "% sym weighted\n% 6 6 6\n" + edgeLines(" ", ".", " \n")},
		{"write_edgelist", "n.csv", plainNodes, "e.edgelist", inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("%s %s {'kind': 'a, b', 'weight': %v}\n", source(k), target(k), planted.weight[k])
		})},
		{"write_edgelist, commas", "n.csv", plainNodes, "e.csv", inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("%s,%s,{'weight': %v, 'kind': 'x'}\n", source(k), target(k), planted.weight[k])
		})},
		{"Neo4j", "n.csv", plainNodes, "e.csv", "no,:START_ID(Person),:END_ID(Person),weight:double,:TYPE\n" + inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("%d,%s,%s,%v,KNOWS\n", 7*k, source(k), target(k), planted.weight[k])
		})},
		{"ArangoDB", "n.csv", plainNodes, "e.csv", "_key,_from,_to,weight\n" + inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("k%d,%s,%s,%v\n", 7*k, source(k), target(k), planted.weight[k])
		})},
		{"pandas' index", "n.csv", plainNodes, "e.csv", ",person_a,person_b,weight\n" + inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("%d,%s,%s,%v\n", k, source(k), target(k), planted.weight[k])
		})},
		{"numbered edges", "n.csv", plainNodes, "e.csv", "tie,person_a,person_b,weight\n" + inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf("t%d,%s,%s,%v\n", k+9, source(k), target(k), planted.weight[k])
		})},
	}
	for _, test := range tables {
		if got := described(t, Source{Nodes: inputtest.WriteText(t, test.nodesName, test.nodes), Edges: inputtest.WriteText(t, test.edgesName, test.edges)}); got != want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, want)
		}
	}
	graphs := []struct{ name, file, text string }{
		{"NetworkX's GraphML", "g.graphml", graphML("utf-8", "string", "double", func(v float64) string { return fmt.Sprint(v) })},
		{"graph-tool's GraphML", "g.graphml", graphML("UTF-8", "string", "double", func(v float64) string { return fmt.Sprintf("%x", v) })},
		{"Latin-1", "g.graphml", latin1(graphML("ISO-8859-1", "string", "double", func(v float64) string { return fmt.Sprint(v) }))},
		{"UTF-16", "g.graphml", inUTF16(graphML("UTF-16", "string", "double", func(v float64) string { return fmt.Sprint(v) }))},
		{"Gephi's GEXF", "g.gexf", gephi()},
		{"NetworkX's JSON", "g.json", nodeLink(func(i int) string { return fmt.Sprintf("%q", planted.ids[i]) })},
		{"JSON of Windows", "g.json", "\ufeff" + nodeLink(func(i int) string { return fmt.Sprintf("%q", planted.ids[i]) })},
		{"JSON in UTF-16", "g.json", inUTF16(nodeLink(func(i int) string { return fmt.Sprintf("%q", planted.ids[i]) }))},
		{"NetworkX 1", "g.json", nodeLink(func(i int) string { return fmt.Sprint(i) })},
		{"igraph's GML", "g.gml", gml()},
		{"GML in Latin-1", "g.gml", latin1(gml())},
	}
	want = strings.ReplaceAll(want, "id: ", "")
	for _, test := range graphs {
		if got := described(t, Source{Graph: inputtest.WriteText(t, test.file, test.text)}); got != want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, want)
		}
	}
}

// graphML returns the planted graph as GraphML that names an encoding, and the types of words and
// numbers; number writes a number.
func graphML(encoding, words, numbers string, number func(float64) string) string {
	return `<?xml version="1.0" encoding="` + encoding + `"?><graphml><key id="d0" for="node" attr.name="age" attr.type="` + numbers + `"/><key id="d1" for="node" attr.name="town" attr.type="` + words +
		`"/><key id="w" for="edge" attr.name="weight" attr.type="` + numbers + `"/><graph edgedefault="undirected">` +
		inputtest.Lines(6, func(i int) string {
			return fmt.Sprintf(`<node id="%s"><data key="d0">%s</data><data key="d1">%s</data></node>`, planted.ids[i], number(planted.age[i]), planted.town[i])
		}) +
		inputtest.Lines(6, func(k int) string {
			return fmt.Sprintf(`<edge source="%s" target="%s"><data key="w">%s</data></edge>`, source(k), target(k), number(planted.weight[k]))
		}) + "</graph></graphml>"
}

// gephi leaves out weights of 1 and the town that is the default, and puts nodes into another.
func gephi() string {
	node := func(i int) string {
		town := ""
		if planted.town[i] != "Ulm" {
			town = fmt.Sprintf(`<attvalue for="1" value="%s"/>`, planted.town[i])
		}
		return fmt.Sprintf(`<node id="%s" label="%[1]s"><attvalues><attvalue for="0" value="%v"/>%s</attvalues>`, planted.ids[i], planted.age[i], town)
	}
	return `<gexf version="1.3"><graph defaultedgetype="undirected"><attributes class="node"><attribute id="0" title="age" type="double"/><attribute id="1" title="town" type="string"><default>Ulm</default></attribute></attributes><nodes>` +
		inputtest.Lines(5, func(i int) string {
			if i == 4 {
				return node(4) + "<nodes>" + node(5) + "</node></nodes></node>"
			}
			return node(i) + "</node>"
		}) + "</nodes><edges>" +
		inputtest.Lines(6, func(k int) string {
			weight := ""
			if planted.weight[k] != 1 {
				weight = fmt.Sprintf(` weight="%v"`, planted.weight[k])
			}
			return fmt.Sprintf(`<edge source="%s" target="%s"%s/>`, source(k), target(k), weight)
		}) + "</edges></graph></gexf>"
}

// nodeLink returns the planted graph as node-link JSON, in which end writes the end of an edge that is a node.
func nodeLink(end func(i int) string) string {
	return `{"directed": false, "graph": {}, "nodes": [` + strings.TrimSuffix(inputtest.Lines(6, func(i int) string {
		return fmt.Sprintf(`{"id": %q, "age": %v, "town": %q}, `, planted.ids[i], planted.age[i], planted.town[i])
	}), ", ") + `], "links": [` + strings.TrimSuffix(inputtest.Lines(6, func(k int) string {
		return fmt.Sprintf(`{"source": %s, "target": %s, "weight": %v}, `, end(planted.ends[k][0]), end(planted.ends[k][1]), planted.weight[k])
	}), ", ") + "]}"
}

// gml returns the planted graph as GML, as igraph writes it, with entities, lists and comments.
func gml() string {
	return "Creator \"igraph version 0.10\"\nVersion 1\ngraph\n[\n  directed 0\n" + inputtest.Lines(6, func(i int) string {
		return fmt.Sprintf("  node\n  [\n    id %q\n    age %v\n    town \"%s\"\n    graphics [ x 1 y [ z 2 ] ]\n  ]\n", planted.ids[i], planted.age[i], strings.ReplaceAll(planted.town[i], "U", "&#85;"))
	}) + inputtest.Lines(6, func(k int) string {
		return fmt.Sprintf("  edge [ source %q target %q value %v ] # one\n", source(k), target(k), planted.weight[k])
	}) + "]\n"
}

// latin1 returns a text, whose characters must be below U+0100, in Latin-1: a byte for each.
func latin1(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

// described opens a source and returns the ids, features and edges of its graph as text.
func described(t *testing.T, s Source) string {
	t.Helper()
	d, err := Open(t.Context(), s)
	if err != nil {
		t.Error(err)
		return ""
	}
	var b strings.Builder
	x := d.Graph.Features.ToDense()
	fmt.Fprintln(&b, d.Graph.NodeNames, d.Graph.FeatureNames)
	for i := range x.Rows {
		for j := range x.Cols {
			fmt.Fprintf(&b, "%.4f ", x.Data[i*x.Stride+j])
		}
		for j, w := range d.Graph.Adjacency.Each(i) {
			fmt.Fprintf(&b, "%d:%v ", j, w)
		}
	}
	return b.String()
}

// TestSaid opens sources in which something is dropped, guessed or changed: a warning, written by hand,
// says so, with the first row as example. The contents of the files stand where their paths will be.
func TestSaid(t *testing.T) {
	nodes := func(text string) Source { return Source{Nodes: text, Edges: "source,target\na,b\nb,c\nc,d\n"} }
	for _, test := range []struct {
		source Source
		want   string
	}{
		{nodes("id,v\na,1\nb,2\nc,3\nd,5\n,\n"), "1 rows at the end have nothing in them and are left out"},
		{nodes("id\tv\na\t1,5\nb\t2\nc\t3\nd\t4\n"), `column "v": numbers with a decimal comma, such as "1,5" in line 2; Source.Columns.Category`},
		{nodes("id,v\na,7\nb,\"1,200\"\nc,\"3,100\"\nd,4\n"), `column "v": numbers with ',' between thousands, such as "1,200" in line 3`},
		{nodes("id,v\na,x\nb,None\nc,x\nd,y\n"), `column "v": words that say that a value is missing count as gaps, such as "None" in line 3`},
		{nodes("id,v\na,[1 2]\nb,[1 2 3]\nc,[4]\nd,[5]\n"), `column "v": left out, its values are lists such as "[1 2]": want as many numbers in each`},
		{nodes("id,v,w\na,,x\nb,,y\nc,,x\nd,,y\n"), `column "v": left out, it has no values`},
		{Source{Edges: "user,item\n1,2\n2,3\n3,4\n"}, `columns "user" and "item" have ids in common, such as "2", which are taken for the same nodes`},
		{Source{Edges: "a,b,1\nb,c,1\nc,d,1e6\n"}, `the edge between "c" and "d" has the weight 1e+06, all others together 2: it alone`},
		{Source{Edges: "no,a,b\n1,x,y\n2,y,z\n3,z,x\n"}, `column "no" numbers the rows: columns "a" and "b" are taken for the ends of the edges; Source.EdgeColumns.Source names another`},
		{Source{Edges: inputtest.Decomposed("é,a\n") + "é,b\na,b\n"}, `1 texts with letters and accents apart`},
		{Source{Graph: `{"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}],"links":[{"source":0,"target":1},{"source":1,"target":2}]}`}, `ends of edges are no ids: numbers are places in the list of nodes, from 0: the first is "0"`},
		{Source{Graph: `<gexf><graph><attributes class="node"><attribute id="0" title="t"/></attributes><nodes><node id="a"><attvalues><attvalue for="0" value="1" start="1"/><attvalue for="0" value="2" start="2"/></attvalues></node><node id="b"/><node id="c"/></nodes><edges><edge source="a" target="b"/></edges></graph></gexf>`},
			`1 values of an attribute follow another, as over time: the last one counts: the first is "t" of node "a"`},
	} {
		s := test.source
		for _, part := range []*string{&s.Nodes, &s.Edges, &s.Graph} {
			name := map[byte]string{'{': "g.json", '<': "g.gexf"}
			if *part != "" {
				ext := name[(*part)[0]]
				if ext == "" {
					ext = "t.csv"
				}
				*part = inputtest.WriteText(t, ext, *part)
			}
		}
		d, err := Open(t.Context(), s)
		if err != nil {
			t.Errorf("want %q: %v", test.want, err)
			continue
		}
		if all := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(all, test.want) {
			t.Errorf("warnings %q, want %q", all, test.want)
		}
	}
}

// TestWordsOfFormats: in graph files, where a missing value is left out, null or NaN, the words None,
// null and NA are words. In a table of text, which has no such sign, they are missing values, and
// errors as ids.
func TestWordsOfFormats(t *testing.T) {
	for name, text := range map[string]string{
		"g.json":    `{"nodes":[{"id":"NA","v":"None","n":NaN},{"id":"b","v":null,"n":2},{"id":"c","v":"null","n":3}],"links":[{"source":"NA","target":"b"}]}`,
		"g.graphml": `<graphml><key id="v" for="node" attr.name="v"/><key id="n" for="node" attr.name="n"/><graph><node id="NA"><data key="v">None</data><data key="n">nan</data></node><node id="b"><data key="n">2</data></node><node id="c"><data key="v">null</data><data key="n">3</data></node><edge source="NA" target="b"/></graph></graphml>`,
		"g.gml":     `graph [ node [ id "NA" v "None" n NaN ] node [ id "b" n 2 ] node [ id "c" v "null" n 3 ] edge [ source "NA" target "b" ] ]`,
	} {
		g, err := formats.ReadTables(t.Context(), inputtest.WriteText(t, name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := inputtest.Shown(g.Nodes)
		for _, want := range []string{`"id" NA b c; `, `"v" None ∅ null; `, `"n"# ∅ 2 3; `} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
	// A table of text has no such sign: NA as an id is named.
	_, err := Open(t.Context(), Source{Edges: inputtest.WriteText(t, "e.csv", "source,target\na,b\nb,NA\n")})
	if err == nil || !strings.Contains(err.Error(), `e.csv:3: column "target" is "NA", which says that it is missing`) {
		t.Error(err)
	}
	_, err = Open(t.Context(), Source{Nodes: inputtest.WriteText(t, "n.csv", "id,v\na,1\nNA,2\n"), Edges: inputtest.WriteText(t, "e.csv", "source,target\na,a\n"), ID: "id"})
	if err == nil || !strings.Contains(err.Error(), `n.csv:3: column "id": the id is "NA", which says that it is missing`) {
		t.Error(err)
	}
}
