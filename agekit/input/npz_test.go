package input

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

// npyBytes returns v as a .npy file.
func npyBytes(v any) []byte {
	var b bytes.Buffer
	if err := npy.Write(&b, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// npyRaw returns a .npy file with that header and content.
func npyRaw(kind, order, shape string, content []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), byte(len(header) >> 8)}, []byte(header), content)
}

// npzBytes returns an archive of arrays, always the same bytes.
func npzBytes(arrays map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, key := range slices.Sorted(maps.Keys(arrays)) {
		f, err := w.Create(key + ".npy")
		if err == nil {
			_, err = f.Write(arrays[key])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// savedCSR is what scipy.sparse.save_npz writes for [[0, 2.5, 0], [1, 0, 3]].
func savedCSR() map[string][]byte {
	return map[string][]byte{
		"data":    npyBytes([]float64{2.5, 3, 1}),
		"indices": npyBytes([]int32{1, 2, 0}), // unsorted, as scipy allows
		"indptr":  npyBytes([]int32{0, 1, 3}),
		"shape":   npyBytes([]int64{2, 3}),
		"format":  npyRaw("|S3", "False", "()", []byte("csr")),
	}
}

var savedCSRDense = []float32{0, 2.5, 0, 1, 0, 3}

func bytesOf32(values ...float32) (b []byte) {
	for _, v := range values {
		bits := math.Float32bits(v)
		b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	return b
}

// readBytes returns the graph of an archive.
func readBytes(data []byte) (*graph.Graph, error) {
	a, err := files.OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	g := &graph.Graph{}
	return g, archiveGraph(context.Background(), a, g)
}

// TestBomb reads an archive that declares more bytes than it may unpack to,
// and one that unpacks to more than it declares.
func TestBomb(t *testing.T) {
	bomb := func(declared uint64) []byte {
		var content, b bytes.Buffer
		z, err := flate.NewWriter(&content, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(make([]byte, 1<<20))
		z.Close()
		w := zip.NewWriter(&b)
		f, err := w.CreateRaw(&zip.FileHeader{Name: "adj_shape.npy", Method: zip.Deflate,
			CompressedSize64: uint64(content.Len()), UncompressedSize64: declared})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(content.Bytes())
		w.Close()
		return b.Bytes()
	}
	for declared, want := range map[uint64]string{
		files.Unpacked(0) + 1: "unpacks to more than",
		1 << 63:               "unpacks to more than",
		1000:                  "array adj_shape: not a .npy array",
	} {
		if _, err := readBytes(bomb(declared)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("declared %d: error %v, want %q", declared, err, want)
		}
	}
}

// TestNPZRoundTrip writes random graphs and reads them back.
func TestNPZRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "n")
		node := rapid.Int32Range(0, int32(n-1))
		u := rapid.SliceOfN(node, 0, 20).Draw(r, "u")
		v := rapid.SliceOfN(node, len(u), len(u)).Draw(r, "v")
		w := rapid.SliceOfN(rapid.Float32Range(0.1, 3), len(u), len(u)).Draw(r, "w")
		a, err := graph.Adjacency(n, u, v, w)
		if err != nil {
			r.Fatal(err)
		}
		x := make([]graph.Entry, rapid.IntRange(1, 10).Draw(r, "entries"))
		for k := range x {
			x[k] = graph.Entry{Row: node.Draw(r, "row"), Col: rapid.Int32Range(0, 4).Draw(r, "column"), Value: rapid.Float32Range(0.5, 2).Draw(r, "value")}
		}
		g := &graph.Graph{Name: "g", Adjacency: a, Features: graph.Features{Sparse: graph.FromEntries(n, 5, x)}}
		if rapid.Bool().Draw(r, "labeled") {
			// Every class has a node, because only classes that occur are
			// numbered.
			g.Classes = min(3, n)
			for i := range n {
				g.Labels = append(g.Labels, i%g.Classes)
			}
		}
		path := filepath.Join(dir, "g.npz")
		arrays := []files.NamedArray{{Name: "adj_", Value: g.Adjacency}, {Name: "attr_", Value: g.Features.Sparse}}
		if g.Labels != nil {
			arrays = append(arrays, files.NamedArray{Name: "labels", Value: g.Labels})
		}
		if err := files.Write(path, func(w io.Writer) error { return files.WriteArchive(w, arrays...) }); err != nil {
			r.Fatal(err)
		}
		got, err := readWhole(t.Context(), path)
		if err != nil {
			r.Fatal(err)
		}
		if got.Name != "g" || got.Fingerprint() != g.Fingerprint() || got.ListedEdges != g.Edges() {
			r.Errorf("read %+v, wrote %+v", got, g)
		}
	})
}

// TestDirectedNPZ reads a directed graph with a self loop and dense features.
func TestDirectedNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "directed.npz")
	write(t, path, npzBytes(map[string][]byte{
		"adj_data":    npyBytes([]float32{1, 1, 1, 1}),
		"adj_indices": npyBytes([]int64{1, 0, 2, 2}), // 0→1, 1→0, 1→2, 2→2
		"adj_indptr":  npyBytes([]int64{0, 1, 3, 4}),
		"adj_shape":   npyBytes([]int64{3, 3}),
		"attr_matrix": npyBytes(mat.NewDense(3, 1, []float64{1, 2, 3})),
		"labels":      npyBytes([]int8{7, -1, 7}),
		"names":       npyRaw("|O", "False", "(3,)", []byte("not read")),
	}))
	g, err := readWhole(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if g.Edges() != 2 || g.ListedEdges != 3 || g.Adjacency.At(2, 1) != 1 {
		t.Errorf("%d edges, %d listed, want 2 and 3", g.Edges(), g.ListedEdges)
	}
	if !slices.Equal(g.Labels, []int{1, 0, 1}) || !slices.Equal(g.Features.Dense.Data, []float32{1, 2, 3}) {
		t.Errorf("labels %v, features %v", g.Labels, g.Features.Dense)
	}
}

// readMatrix returns a .npy array as a matrix.
func readMatrix(data []byte) (m blas32.General, err error) {
	archive := npzBytes(map[string][]byte{"x": data})
	a, err := files.OpenArchive(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return m, err
	}
	return a.Matrix("x")
}
