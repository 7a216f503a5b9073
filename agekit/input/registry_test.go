package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// TestRegister adds a format as a separate package would.
func TestRegister(t *testing.T) {
	const ext = ".pair"
	RegisterGraph(GraphFormat{
		Extensions: []string{ext},
		Graph: func(_ context.Context, f *os.File, g *graph.Graph) (err error) {
			g.Features.Sparse = &graph.CSR{Rows: 2, Cols: 1, Indptr: []int{0, 1, 2}, Indices: []int32{0, 0}}
			g.Adjacency, err = graph.Adjacency(2, []int32{0}, []int32{1}, nil)
			return err
		},
	})
	defer delete(graphFormats, ext)
	path := filepath.Join(t.TempDir(), "a.b.PAIR")
	write(t, path, nil)
	g, err := readWhole(t.Context(), path)
	if err != nil || g.Name != "a.b" || g.Edges() != 1 {
		t.Errorf("read %+v (%v)", g, err)
	}

	defer func() {
		if recover() == nil {
			t.Error("an extension registered twice: no panic")
		}
	}()
	RegisterGraph(GraphFormat{Extensions: []string{ext}})
}

// TestUnknownExtension checks that the error names the file, its extension and
// the extensions that hold the requested part.
func TestUnknownExtension(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	x := filepath.Join(dir, "x.csv")
	write(t, x, []byte("1\n2\n"))
	edges := filepath.Join(dir, "e.tsv")
	write(t, edges, []byte("0\t1\n"))
	for _, test := range []struct {
		name string
		do   func() (*graph.Graph, error)
		want string
	}{
		{"graph", func() (*graph.Graph, error) { return readWhole(ctx, "g.pajek") }, `g.pajek: graph of type ".pajek", want .gexf or .gml or .graphml or .json or .npz`},
		{"known for another part", func() (*graph.Graph, error) { return readWhole(ctx, "g.csv") }, `g.csv: graph of type ".csv", want .gexf or .gml or .graphml or .json or .npz`},
		{"no extension", func() (*graph.Graph, error) { return readWhole(ctx, "graph") }, `graph: graph of type "", want .gexf or .gml or .graphml or .json or .npz`},
		{"written", func() (*graph.Graph, error) { _, err := GraphWriter("g.csv"); return nil, err }, `g.csv: graph of type ".csv", want .gexf or .graphml`},
		{"edges", func() (*graph.Graph, error) { return openGraphOf(ctx, Source{Features: x, Edges: "e.xml"}) },
			`e.xml: table of type ".xml", want .csv or .edgelist or .edges or .tab or .tsv or .txt`},
		{"labels", func() (*graph.Graph, error) {
			return openGraphOf(ctx, Source{Features: x, Edges: edges, Labels: "l.npy"})
		},
			`l.npy: table of type ".npy", want .csv or .edgelist`},
	} {
		if g, err := test.do(); g != nil || err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}
