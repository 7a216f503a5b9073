package input

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// result is a table of nodes as results have it, and a weighted graph.
func result(t *testing.T) (*Table, *graph.CSR) {
	t.Helper()
	a, err := graph.Adjacency(3, []int32{0, 1}, []int32{1, 2}, []float32{2, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return &Table{Rows: 3, Columns: []Column{
		NewWords("id", []string{"ann", "bob & co", "<eve>"}),
		NewNumbers("cluster", []int{0, 1, 1}),
		NewNumbers("confidence", []float64{0.5, math.NaN(), -0.25}),
		NewWords("note", []string{"said \"hi\", twice", "", "two\nlines"}),
	}}, a
}

const resultShown = `"id" ann bob & co <eve>; "cluster"# 0 1 1; "confidence"# 0.5 ∅ -0.25; "note" said "hi", twice ∅ two` + "\nlines; "

// TestWrite: what is written is read as it was.
func TestWrite(t *testing.T) {
	nodes, _ := result(t)
	for _, name := range []string{"t.csv", "t.tsv"} {
		path := filepath.Join(t.TempDir(), name)
		write, err := TableWriter(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, nodes); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTable(context.Background(), path, TableOptions{})
		if err != nil || shown(got) != resultShown {
			t.Errorf("%s: %v, %v; want %s", name, got, err, resultShown)
		}
	}
	if _, err := TableWriter("t.xlsx"); err == nil || !strings.Contains(err.Error(), `t.xlsx: table of type ".xlsx", want .csv`) {
		t.Error(err)
	}
}

// TestWriteHash: ids and names that begin with # are no comments.
func TestWriteHash(t *testing.T) {
	write, err := TableWriter("t.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]Column{
		{NewWords("#id", []string{"#1", `#"2"`, "three"}), NewNumbers("cluster", []int{0, 1, 1})},
		{NewWords("#id", []string{"#1", `#"2"`, "three"})},
	} {
		want := &Table{Rows: 3, Columns: columns}
		var b bytes.Buffer
		if err := write(&b, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadTable(context.Background(), writeText(t, "t.csv", b.String()), TableOptions{})
		if err != nil || shown(got) != shown(want) {
			t.Errorf("%q is read as %v, %v; want %s", b.String(), got, err, shown(want))
		}
	}
}

// TestWriteGraph: GraphML and GEXF are read as they were written.
func TestWriteGraph(t *testing.T) {
	nodes, a := result(t)
	place := &Place{X: []float64{0, 1, 2}, Y: []float64{5, -1.5, 0}, Color: func(i int) (r, g, b uint8) { return uint8(i), 0, 255 }}
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"g.graphml": func(b *bytes.Buffer) error { return graphMLForm.write(b, nodes, a, nil) },
		"g.gexf":    func(b *bytes.Buffer) error { return gexfForm.write(b, nodes, a, place) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := ReadTables(context.Background(), path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := shown(g.Nodes); got != resultShown {
			t.Errorf("%s: nodes %s, want %s", name, got, resultShown)
		}
		if got := joinedNodes(g); got != "0-1:2 1-2:0.5" {
			t.Errorf("%s: edges %s", name, got)
		}
		if place := `<viz:color r="1" g="0" b="255"/><viz:position x="1" y="-1.5" z="0"/>`; name == "g.gexf" && !strings.Contains(b.String(), place) {
			t.Errorf("%s lacks %s", b.String(), place)
		}
	}
}
