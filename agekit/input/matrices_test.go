package input

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/agekit/graph"
)

// TestDataArrays reads arrays named as in PyTorch Geometric's Data, in both orders
// of edge_index, with an unknown class.
func TestDataArrays(t *testing.T) {
	for order, ends := range map[string][]byte{"False": int64Bytes(0, 1, 2, 1, 2, 0), "True": int64Bytes(0, 1, 1, 2, 2, 0)} {
		arrays := map[string][]byte{
			"edge_index":  npyRaw("<i8", order, "(2, 3)", ends),
			"edge_weight": npyBytes([]float32{1, 2, 3}),
			"x":           npyBytes(mat.NewDense(3, 2, []float64{1, -2, 3, 4, 5, 6})),
			"y":           npyBytes([]int64{5, -1, 3}),
		}
		path := filepath.Join(t.TempDir(), "data.npz")
		write(t, path, npzBytes(arrays))
		g, err := readWhole(t.Context(), path)
		if err != nil {
			t.Fatalf("fortran %s: %v", order, err)
		}
		if g.N() != 3 || g.Edges() != 3 || g.Adjacency.At(0, 1) != 1 || g.Adjacency.At(1, 2) != 2 || g.Adjacency.At(2, 0) != 3 {
			t.Errorf("fortran %s: %d nodes, %d edges", order, g.N(), g.Edges())
		}
		if !slices.Equal(g.Labels, []int{1, graph.Unknown, 0}) || g.Classes != 2 || g.Features.ToDense().Data[1] != -2 {
			t.Errorf("fortran %s: labels %v of %d classes", order, g.Labels, g.Classes)
		}
		for name, test := range map[string]struct {
			content []byte
			want    string
		}{
			"edge_index":  {npyBytes([]int64{0, 1}), "want 2×E ends of edges"},
			"edge_weight": {npyBytes([]float32{1}), "array edge_weight: 1 values, want 3"},
			"y":           {npyBytes([]int64{0}), "array y: 1 values, want 3"},
			"x":           {npyBytes(mat.NewDense(2, 1, []float64{1, 2})), "edge 1: node 2, want 0 to 1"},
		} {
			bad := map[string][]byte{}
			for k, v := range arrays {
				bad[k] = v
			}
			bad[name] = test.content
			write(t, path, npzBytes(bad))
			if _, err := readWhole(t.Context(), path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
		}
	}
}

func int64Bytes(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(v>>shift))
		}
	}
	return b
}

// TestMatrixOfEdges: an adjacency matrix as scipy writes it, alone, with a matrix of
// features and with a table of nodes.
func TestMatrixOfEdges(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a.npz"), npzBytes(map[string][]byte{
		"format": npyRaw("|S3", "False", "()", []byte("csr")), "shape": npyBytes([]int64{3, 3}),
		"indptr": npyBytes([]int32{0, 2, 3, 4}), "indices": npyBytes([]int32{1, 2, 0, 0}), "data": npyBytes([]float64{2, 1, 2, 1}),
	}))
	write(t, at("x.csv"), []byte("1,2\n-3,4\n5,6\n"))
	write(t, at("n.csv"), []byte("who,age\nann,30\nbob,20\neve,25\n"))
	write(t, at("two.csv"), []byte("who,age\nann,30\nbob,20\n"))
	for _, test := range []struct {
		in    Source
		names string
		width int
	}{
		{Source{Edges: at("a.npz")}, "0 1 2", 3},
		{Source{Edges: at("a.npz"), Features: at("x.csv")}, "", 2},
		{Source{Edges: at("a.npz"), Nodes: at("n.csv"), ID: "who"}, "ann bob eve", 1},
		{Source{Edges: at("a.npz"), Nodes: at("n.csv")}, "0 1 2", 1},
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
	if _, err := Open(t.Context(), Source{Edges: at("a.npz"), Nodes: at("two.csv")}); err == nil || !strings.Contains(err.Error(), "a.npz: 3×3 matrix: want a square one with a row for each of the 2 nodes") {
		t.Errorf("two nodes: %v", err)
	}
}
