package input

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestHeaderByNodes: the ids of the nodes decide whether the first line of a table of edges is an edge: both ends
// of it are ids, or neither is. The number of edges is counted by hand.
func TestHeaderByNodes(t *testing.T) {
	ring := circle("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	nodes := "id,v\n" + inputtest.Lines(10, func(i int) string { return string(rune('a'+i)) + ",1.5\n" })
	for name, test := range map[string]struct {
		nodes, edges string
		want         int
	}{
		"a first edge apart from all others": {nodes + "Zed,2.5\nYara,2\n", "Zed,Yara\n" + ring, 11},
		"names that are no ids":              {nodes, "Zed,Yara\n" + ring, 10},
		"names of ends":                      {nodes, "user,product\n" + ring, 10},
	} {
		d := opened(t, test.nodes, test.edges, Source{})
		if got := d.Graph.Edges(); got != test.want {
			t.Errorf("%s: %d edges, want %d", name, got, test.want)
		}
	}
}

// TestFeaturesHeader: a matrix in CSV may have numbers as names of its columns, which a warning says; the option
// for the header decides.
func TestFeaturesHeader(t *testing.T) {
	matrix := "0,1,2,3\n" + inputtest.Lines(12, func(i int) string { return strings.Repeat("1.25,", 3) + []string{"2.5", "3.75"}[i%2] + "\n" })
	edges := inputtest.WriteText(t, "e.tsv", "0\t1\n1\t2\n3\t4\n")
	yes, no := true, false
	for name, test := range map[string]struct {
		header *bool
		rows   int
		says   string
	}{
		"detected": {nil, 12, `x.csv: the first line, "0,1,2,3", is read as the names of the columns: its numbers`},
		"a header": {&yes, 12, ""},
		"a row":    {&no, 13, ""},
	} {
		d, err := Open(t.Context(), Source{Edges: edges, Features: inputtest.WriteText(t, "x.csv", matrix), Header: test.header})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := inputtest.Texts(d.Warnings)
		isSaid := slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, "first line") })
		if rows, _ := d.Graph.Features.Dims(); rows != test.rows || isSaid != (test.says != "") || !strings.Contains(strings.Join(all, "\n"), test.says) {
			t.Errorf("%s: %d rows, want %d, warnings %q, want %q", name, rows, test.rows, all, test.says)
		}
	}
}
