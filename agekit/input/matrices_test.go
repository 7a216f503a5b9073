package input

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestMatrixOfEdges reads an adjacency matrix as scipy writes it, of the edges 0–1 with weight 2 and
// 0–2: alone, with a matrix of features, and with a table of nodes. A table with fewer nodes than the
// matrix has rows is an error.
func TestMatrixOfEdges(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	inputtest.Write(t, path("a.npz"), inputtest.NPZ(map[string][]byte{
		"format": inputtest.RawNPY("|S3", "False", "()", []byte("csr")), "shape": inputtest.NPY([]int64{3, 3}),
		"indptr": inputtest.NPY([]int32{0, 2, 3, 4}), "indices": inputtest.NPY([]int32{1, 2, 0, 0}), "data": inputtest.NPY([]float64{2, 1, 2, 1}),
	}))
	inputtest.Write(t, path("x.csv"), []byte("1,2\n-3,4\n5,6\n"))
	inputtest.Write(t, path("n.csv"), []byte("who,age\nann,30\nbob,20\neve,25\n"))
	inputtest.Write(t, path("two.csv"), []byte("who,age\nann,30\nbob,20\n"))
	for _, test := range []struct {
		in    Source
		names string // the ids of the nodes; "" if they have none
		width int    // how many features a node has
	}{
		{Source{Edges: path("a.npz")}, "0 1 2", 3},
		{Source{Edges: path("a.npz"), Features: path("x.csv")}, "", 2},
		{Source{Edges: path("a.npz"), Nodes: path("n.csv"), ID: "who"}, "ann bob eve", 1},
		{Source{Edges: path("a.npz"), Nodes: path("n.csv")}, "0 1 2", 1},
	} {
		l, err := Open(t.Context(), test.in)
		if err != nil {
			t.Errorf("%+v: %v", test.in, err)
			continue
		}
		g := l.Graph
		if _, f := g.Features.Dims(); f != test.width || strings.Join(g.NodeNames, " ") != test.names || g.Edges() != 2 || g.Adjacency.At(1, 0) != 2 {
			t.Errorf("%+v: %d features of %q, %d edges", test.in, f, g.NodeNames, g.Edges())
		}
	}
	if _, err := Open(t.Context(), Source{Edges: path("a.npz"), Nodes: path("two.csv")}); err == nil || !strings.Contains(err.Error(), "a.npz: 3×3 matrix: want a square one with a row for each of the 2 nodes") {
		t.Errorf("two nodes: %v", err)
	}
}
