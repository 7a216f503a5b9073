package input

import (
	"path/filepath"
	"slices"
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

// TestTotalBesideMatrix: a last row with the sums of the rows above leaves the table and the matrix of edges beside
// it, as it leaves a table beside one of edges, with a warning that names it. If it has edges in the matrix, or a row
// of features, it stays. What stays has the edges that it had.
func TestTotalBesideMatrix(t *testing.T) {
	const rows = "who,a,b\nann,1,2\nbob,4,7\neve,9,1\n"
	const total = `n.csv: the last row, "Total,14,10" in line 5, has the sums of the rows above`
	// matrix returns an archive with the edges from each node to the next of a path of some nodes, on n nodes.
	matrix := func(along, n int64) []byte {
		indptr, indices := []int64{0}, []int64{}
		for i := range n {
			if i > 0 && i < along {
				indices = append(indices, i-1)
			}
			if i+1 < along {
				indices = append(indices, i+1)
			}
			indptr = append(indptr, int64(len(indices)))
		}
		ones := slices.Repeat([]float32{1}, len(indices))
		return inputtest.NPZ(map[string][]byte{
			"format": inputtest.RawNPY("|S3", "False", "()", []byte("csr")), "shape": inputtest.NPY([]int64{n, n}), "indptr": inputtest.NPY(indptr), "indices": inputtest.NPY(indices), "data": inputtest.NPY(ones),
		})
	}
	path := writeInputs(t, map[string]string{
		"n.csv": rows + "Total,14,10\n", "x3.csv": "1,2\n3,5\n4,6\n", "x4.csv": "1,2\n3,5\n4,6\n8,13\n",
		"3.npz": string(matrix(3, 3)), "4.npz": string(matrix(3, 4)), "joined.npz": string(matrix(4, 4)), "5.npz": string(matrix(3, 5)),
	})
	const leftOut, stays = total + " and is left out", total + ", but other files have a row or edges for it: it counts as any other row"
	for _, test := range []struct {
		edges, features string
		nodes, joined   int
		says            string
	}{
		{"3.npz", "", 3, 2, leftOut},
		{"4.npz", "", 3, 2, leftOut},
		{"4.npz", "x3.csv", 3, 2, leftOut},
		{"4.npz", "x4.csv", 4, 2, stays},
		{"joined.npz", "", 4, 3, stays},
	} {
		name := test.edges + " " + test.features
		d, err := Open(t.Context(), Source{Nodes: path("n.csv"), ID: "who", Edges: path(test.edges), Features: path(test.features)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.Graph.N() != test.nodes || d.Graph.Edges() != test.joined || d.Graph.Adjacency.At(0, 1) != 1 || d.Graph.Adjacency.At(1, 2) != 1 {
			t.Errorf("%s: %d nodes, %d edges, want %d and %d", name, d.Graph.N(), d.Graph.Edges(), test.nodes, test.joined)
		}
		if said := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(said, test.says) {
			t.Errorf("%s: warnings %q, want %q", name, said, test.says)
		}
	}
	if _, err := Open(t.Context(), Source{Nodes: path("n.csv"), ID: "who", Edges: path("5.npz")}); err == nil || !strings.Contains(err.Error(), "5.npz: 5×5 matrix: want a square one with a row for each of the 3 nodes") {
		t.Error(err)
	}
}
