package input

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// shapeEdges are the edges of TestShapes, a circle of 12 nodes with two chords, between ids such as p3.
func shapeEdges() (edges [][2]int) {
	const n = 12
	for u := range n {
		edges = append(edges, [2]int{u, (u + 1) % n})
	}
	return append(edges, [2]int{0, 5}, [2]int{3, 8})
}

// TestShapes writes one graph as people write tables of edges: each is the same graph, in memory and built in
// a folder, and a part of a note or warning, written by hand, says how it was read.
func TestShapes(t *testing.T) {
	const n = 12
	edges := shapeEdges()
	lines := func(header string, line func(k, u, v int) string) string {
		text := header
		for k, e := range edges {
			text += line(k, e[0], e[1]) + "\n"
		}
		return text
	}
	isEdge := map[[2]int]bool{}
	for _, e := range edges {
		isEdge[e], isEdge[[2]int{e[1], e[0]}] = true, true
	}
	adjacent := func(separator, open, close, quote string) (text string) {
		for u := range n {
			var members []string
			for v := range n {
				if isEdge[[2]int{u, v}] {
					members = append(members, fmt.Sprintf("%sp%d%s", quote, v, quote))
				}
			}
			text += fmt.Sprintf("p%d\t%s%s%s\n", u, open, strings.Join(members, separator), close)
		}
		return text
	}
	matrix := func(names, rows bool, diagonal, edge string) (text string) {
		var all []string
		for v := range n {
			all = append(all, fmt.Sprint("p", v))
		}
		if names && rows {
			text = ","
		}
		if names {
			text += strings.Join(all, ",") + "\n"
		}
		for u := range n {
			var fields []string
			if rows {
				fields = append(fields, all[u])
			}
			for v := range n {
				switch {
				case u == v:
					fields = append(fields, diagonal)
				case isEdge[[2]int{u, v}]:
					fields = append(fields, edge)
				default:
					fields = append(fields, "0")
				}
			}
			text += strings.Join(fields, ",") + "\n"
		}
		return text
	}
	for name, test := range map[string]struct{ file, text, remark string }{
		"deals":        {"e.csv", lines("deal,buyer,seller\n", func(k, u, v int) string { return fmt.Sprintf("D%d,p%d,p%d", 7*k, u, v) }), "have ids in common: the first edge is from"},
		"dates":        {"e.csv", lines("day,caller,callee\n", func(k, u, v int) string { return fmt.Sprintf("2024-03-%02d,p%d,p%d", k+1, u, v) }), `columns "caller" and "callee" are taken`},
		"SIF":          {"e.txt", lines("", func(_, u, v int) string { return fmt.Sprintf("p%d\tpp\tp%d", u, v) }), `column 2 has one word, "pp"`},
		"kinds":        {"e.txt", lines("", func(k, u, v int) string { return fmt.Sprintf("p%d\t%s\tp%d", u, []string{"pp", "pd"}[k%2], v) }), `column 2 has 2 words, taken for kinds of edges, in the first 14 rows "pp" (7), "pd" (7)`},
		"a word first": {"e.txt", lines("", func(k, u, v int) string { return fmt.Sprintf("e p%d p%d", u, v) }), `column 1 has one word, "e"`},
		"Cytoscape": {"e.csv", lines("SUID,interaction,name,selected\n", func(k, u, v int) string { return fmt.Sprintf("%d,pp,p%d (pp) p%d,false", 100+k, u, v) }),
			`column "name" has both ends of each edge`},
		"semicolons":         {"e.tsv", "node\tneighbors\n" + adjacent(";", "", "", ""), `column "neighbors" has lists with semicolons`},
		"bars":               {"e.tsv", "node\tneighbors\n" + adjacent("|", "", "", ""), "lists with bars"},
		"spaces":             {"e.tsv", "node\tneighbors\n" + adjacent(" ", "", "", ""), "lists with spaces"},
		"Python":             {"e.tsv", "node\tneighbors\n" + adjacent(", ", "[", "]", "'"), "lists with brackets"},
		"without a header":   {"e.tsv", adjacent(";", "", "", ""), "lists with semicolons"},
		"matrix":             {"e.csv", matrix(false, false, "0", "1"), "adjacency matrix of 12 nodes: numbers"},
		"named matrix":       {"e.csv", matrix(true, true, "0", "1"), "adjacency matrix of 12 nodes with names"},
		"matrix with header": {"e.csv", matrix(true, false, "1", "1"), "adjacency matrix of 12 nodes"},
		"rows with names":    {"e.csv", matrix(false, true, "0", "1"), "adjacency matrix of 12 nodes with names"},
	} {
		path := inputtest.WriteText(t, test.file, test.text)
		d, err := Open(t.Context(), Source{Edges: path})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[[2]int]bool{}
		ids := d.Graph.NodeNames
		for u := range ids {
			for v := range d.Graph.Adjacency.Each(u) {
				var e [2]int
				fmt.Sscan(strings.TrimPrefix(ids[u], "p"), &e[0])
				fmt.Sscan(strings.TrimPrefix(ids[v], "p"), &e[1])
				got[e] = true
			}
		}
		if !reflect.DeepEqual(got, isEdge) || len(ids) != n || d.Graph.Adjacency.Values != nil {
			t.Errorf("%s: the graph has the ids %q and the edges %v", name, ids, got)
		}
		if all := strings.Join(append(slices.Clone(d.Notes), inputtest.Texts(d.Warnings)...), "\n"); !strings.Contains(all, test.remark) {
			t.Errorf("%s: %s: want %q", name, all, test.remark)
		}
		folder := filepath.Join(t.TempDir(), "graph")
		built, err := Build(t.Context(), Source{Edges: path}, Building{Folder: folder})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if all := strings.Join(built.Notes, "\n"); !strings.Contains(all, test.remark) {
			t.Errorf("%s: built: %s: want %q", name, all, test.remark)
		}
		again, err := Open(t.Context(), Source{Graph: folder})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Graph.NodeNames, ids) || !slices.Equal(again.Graph.Adjacency.Indices, d.Graph.Adjacency.Indices) {
			t.Errorf("%s: the graph that is built has other edges", name)
		}
	}
}

// TestMatrixOfWeights: of a matrix, numbers are weights, and those of distances only as the user says.
func TestMatrixOfWeights(t *testing.T) {
	text := func(diagonal string, number func(u, v int) string) (text string) {
		const n = 5
		for u := range n {
			for v := range n {
				if u == v {
					text += diagonal
				} else {
					text += number(min(u, v), max(u, v))
				}
				text += map[bool]string{true: "\n", false: ","}[v == n-1]
			}
		}
		return text
	}
	distances := text("0", func(u, v int) string { return fmt.Sprint(4 * (v - u)) })
	similar := text("1", func(u, v int) string { return fmt.Sprint(.5) })
	for _, test := range []struct {
		name, text, weight string
		want               float32 // the weight between 0 and 1
		remark             string  // a part of the error, or of the notes and warnings
	}{
		{"distances", distances, "", 0, "Source.EdgeColumns.Weight 1/value takes the reciprocals of distances, Source.EdgeColumns.Weight value takes the numbers as weights"},
		{"reciprocals", distances, "1/value", .25, "the weights are 1 by its numbers"},
		{"numbers", distances, "value", 4, "each pair of nodes is an edge"},
		{"similarities", similar, "", .5, "as similarities are: each pair of nodes is an edge, weighted; Source.Neighbors joins"},
		{"correlations", strings.ReplaceAll(similar, "0.5", "-0.5"), "", 0, "has the number -0.5: want weights"},
		{"another name", similar, "w", 0, "want Source.EdgeColumns.Weight value, or 1/value"},
		{"a row twice", ",a,b,c\na,0,1,1\na,0,1,1\nc,1,1,0\n", "", 0, `m.csv:3: the table looks like an adjacency matrix, and two rows are named "a"`},
		{"not square", similar[:strings.LastIndex(similar[:len(similar)-1], "\n")+1], "", 0, "has 4 rows: want as many rows"},
	} {
		d, err := Open(t.Context(), Source{Edges: inputtest.WriteText(t, "m.csv", test.text), EdgeColumns: EdgeColumns{Weight: test.weight}})
		if test.want == 0 {
			if err == nil || !strings.Contains(err.Error(), test.remark) {
				t.Errorf("%s: %v, want %q", test.name, err, test.remark)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		all := strings.Join(append(slices.Clone(d.Notes), inputtest.Texts(d.Warnings)...), "\n")
		if got := d.Graph.Adjacency.Values[0]; got != test.want || !strings.Contains(all, test.remark) {
			t.Errorf("%s: weight %v, %s: want %v, %q", test.name, got, all, test.want, test.remark)
		}
	}
	// Each row of a matrix without names is a node of the table, in order.
	nodes := inputtest.WriteText(t, "n.csv", "id,age\na,1\nb,2\nc,3\nd,5\ne,4\n")
	edges := inputtest.WriteText(t, "m.csv", similar)
	if d := openedSource(t, Source{Edges: edges, Nodes: nodes, ID: "id"}); strings.Join(d.Graph.NodeNames, "") != "abcde" {
		t.Errorf("ids %q", d.Graph.NodeNames)
	}
	nodes = inputtest.WriteText(t, "n.csv", "id,age\na,1\nb,2\n")
	if _, err := Open(t.Context(), Source{Edges: edges, Nodes: nodes}); err == nil || !strings.Contains(err.Error(), "an adjacency matrix of 5 rows: want one for each of the 2 nodes") {
		t.Error(err)
	}
}

// TestFar: the hint about a column of distances says that a large weight means close, and its reciprocals are
// weights; a distance of 0 has none.
func TestFar(t *testing.T) {
	for name, want := range map[string]bool{
		"distance": true, "Distance (km)": true, "travelTime": true, "length_km": true, "Kosten": true, "durée": true, "tiempo": true,
		"weight": false, "rating": false, "times_met": false, "strength": false, "country": false,
	} {
		if meansFar(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	path := inputtest.WriteText(t, "e.csv", "source,target,distance\na,b,4\nb,c,2\n")
	d := openedSource(t, Source{Edges: path})
	if all := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(all, `a large one means far apart, while a large weight means close; Source.EdgeColumns.Weight "1/distance" uses their reciprocals`) {
		t.Error(all)
	}
	d = openedSource(t, Source{Edges: path, EdgeColumns: EdgeColumns{Weight: "1/distance"}})
	if got := d.Graph.Adjacency.Values; !slices.Equal(got, []float32{.25, .25, .5, .5}) {
		t.Errorf("weights %v", got)
	}
	d = openedSource(t, Source{Edges: path, EdgeColumns: EdgeColumns{Weight: "distance"}})
	if all := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(all, `a large weight means close; Source.EdgeColumns.Weight "1/distance" turns them`) {
		t.Error(all)
	}
	path = inputtest.WriteText(t, "e.csv", "source,target,distance\na,b,4\nb,c,0\n")
	if _, err := Open(t.Context(), Source{Edges: path, EdgeColumns: EdgeColumns{Weight: "1/distance"}}); err == nil || !strings.Contains(err.Error(), `e.csv:3: number 0 in column "distance", whose reciprocal is the weight`) {
		t.Error(err)
	}
}

// TestIDHints: the error about ids that no node has names three, and says in which form they would fit.
func TestIDHints(t *testing.T) {
	for _, test := range []struct{ edges, nodes, want string }{
		{"01\t02\n02\t03\n03\t01\n", "id,x\n1,5\n2,5\n3,5\n", `such as "01", "02", "03": want Source.ID with one of "id", "x"; of column "id", 3 of these 3 would be nodes' ids without leading zeros: a node has "1", where the edges have "01"`},
		{"a\tB\nB\tC\nC\tD\nD\tE\n", "id,x\na,5\nb,5\nc,5\nd,5\ne,5\n", `no node has the id "B" in column 2, nor have 3 others ("C", "D", …): want the 5 ids of the nodes; 4 of these 4 would be nodes' ids in lower case`},
		{"a\tb c\nb c\td e\n", "id,x\na,5\nbc,5\nde,5\n", `would be nodes' ids without spaces`},
		{"a\tp1\np1\tp2\n", "id,x\na,5\n1,5\n2,5\n", `without what is before the number: a node has "1", where the edges have "p1"`},
		{"a\tb\nb\tc\n", "id,x\na,5\nb,5\nb,5\nc,5\n", `the ids in e.tsv are in a column of the nodes, but: n.csv:4: column "id": id "b" is also that of row 2`},
		{"a\tb\nb\tc\n", "id,x\n3.5E+11,5\n3.5E+11,5\n3.6E+11,5\n", `column "id": "3.5E+11" is also that of row 1: ids in this form were rounded`},
		{"3.5E+11\t3.6E+11\n3.7E+11\t3.6E+11\n", "", `column 1: "3.7E+11": ids in this form were rounded`},
	} {
		s := Source{Edges: inputtest.WriteText(t, "e.tsv", test.edges)}
		if test.nodes != "" {
			s.Nodes = inputtest.WriteText(t, "n.csv", test.nodes)
		}
		_, err := Open(t.Context(), s)
		if err == nil {
			t.Errorf("%q: no error", test.edges)
			continue
		}
		text := strings.ReplaceAll(strings.ReplaceAll(err.Error(), filepath.Dir(s.Edges)+"/", ""), filepath.Dir(cmp.Or(s.Nodes, s.Edges))+"/", "")
		if !strings.Contains(text, test.want) {
			t.Errorf("%s\nwant %s", text, test.want)
		}
	}
}
