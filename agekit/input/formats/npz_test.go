package formats

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

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/readfile"
)

// readBytes returns the graph in the bytes of an archive.
func readBytes(data []byte) (*graph.Graph, error) {
	a, err := npy.OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	g := &graph.Graph{}
	return g, archiveGraph(context.Background(), a, g)
}

// readArrays reads a file that holds a whole graph.
func readArrays(ctx context.Context, path string) (*graph.Graph, error) {
	g := &graph.Graph{}
	if err := ReadGraph(ctx, path, g); err != nil {
		return nil, err
	}
	return g, g.Validate()
}

// TestBomb reads archives whose array unpacks to 1 MiB of zeros. Those that declare more bytes than an
// archive may unpack to are refused for that; one that declares fewer than it has is cut there, and its
// zeros are no array.
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
		readfile.Unpacked(0) + 1: "unpacks to more than",
		1 << 63:                  "unpacks to more than",
		1000:                     "array adj_shape: not a .npy array",
	} {
		if _, err := readBytes(bomb(declared)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("declared %d: error %v, want %q", declared, err, want)
		}
	}
}

// TestNPZRoundTrip writes random graphs as archives of CSR matrices and reads them: they have the same
// fingerprint, and each edge, which is there from both ends, counts as one listed edge.
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
		arrays := []npy.NamedArray{{Name: "adj_", Value: g.Adjacency}, {Name: "attr_", Value: g.Features.Sparse}}
		if g.Labels != nil {
			arrays = append(arrays, npy.NamedArray{Name: "labels", Value: g.Labels})
		}
		if err := atomicfile.Write(path, func(w io.Writer) error { return npy.WriteArchive(w, arrays...) }); err != nil {
			r.Fatal(err)
		}
		got, err := readArrays(t.Context(), path)
		if err != nil {
			r.Fatal(err)
		}
		if got.Fingerprint() != g.Fingerprint() || got.ListedEdges != g.Edges() {
			r.Errorf("read %+v, wrote %+v", got, g)
		}
	})
}

// TestDirectedNPZ reads a directed graph with a loop, dense features, and an array of another kind,
// which is not read. By hand, 0→1 and 1→0 are one edge, 1→2 is another, and the loop 2→2 is listed, but
// no edge.
func TestDirectedNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "directed.npz")
	inputtest.Write(t, path, inputtest.NPZ(map[string][]byte{
		"adj_data":    inputtest.NPY([]float32{1, 1, 1, 1}),
		"adj_indices": inputtest.NPY([]int64{1, 0, 2, 2}), // 0→1, 1→0, 1→2, 2→2
		"adj_indptr":  inputtest.NPY([]int64{0, 1, 3, 4}),
		"adj_shape":   inputtest.NPY([]int64{3, 3}),
		"attr_matrix": inputtest.NPY(mat.NewDense(3, 1, []float64{1, 2, 3})),
		"labels":      inputtest.NPY([]int8{7, -1, 7}),
		"names":       inputtest.RawNPY("|O", "False", "(3,)", []byte("not read")),
	}))
	g, err := readArrays(t.Context(), path)
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

// readMatrix returns the bytes of a .npy file as a matrix, by another way than the features are read.
func readMatrix(data []byte) (m blas32.General, err error) {
	archive := inputtest.NPZ(map[string][]byte{"x": data})
	a, err := npy.OpenArchive(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return m, err
	}
	return a.Matrix("x")
}

// TestNPZRefuses reads archives that are ambiguous, encrypted or damaged, and graphs of which one array
// is wrong: the errors, written by hand, name the array.
func TestNPZRefuses(t *testing.T) {
	// archive returns an archive of members with names, whose headers change after they were written,
	// before the directory at the end is.
	archive := func(change func(k int, h *zip.FileHeader), names ...string) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for k, name := range names {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate}
			f, err := w.CreateHeader(h)
			if err != nil {
				t.Fatal(err)
			}
			f.Write(inputtest.NPY([]int64{2, 2}))
			change(k, h)
		}
		w.Close()
		return b.Bytes()
	}
	same := func(int, *zip.FileHeader) {}
	many := make([]string, readfile.MostArrays+1)
	for k := range many {
		many[k] = fmt.Sprint(k)
	}
	broken := archive(same, "adj_shape.npy")
	const header = 30                          // bytes before the name of a member, which its content follows
	broken[header+len("adj_shape.npy")] = 0xff // no type of block has this number
	for _, test := range []struct {
		what, want string
		data       []byte
	}{
		{"a name twice", `array "adj_shape" is there twice`, archive(same, "adj_shape.npy", "adj_shape.npy")},
		{"a name with and without extension", `array "adj_shape" is there twice`, archive(same, "adj_shape", "adj_shape.npy")},
		{"many members", "archive of 1025 arrays: want at most 1024", archive(same, many...)},
		{"encrypted", "array adj_shape: is encrypted: want an archive without a password", archive(func(_ int, h *zip.FileHeader) { h.Flags |= 1 }, "adj_shape.npy")},
		{"compression", "array adj_shape: compression method 93: want 0 (none) or 8 (deflate)", archive(func(_ int, h *zip.FileHeader) { h.Method = 93 }, "adj_shape.npy")},
		{"damaged", "array adj_shape: damaged: it cannot be unpacked", broken},
		{"text", "not an .npz archive, or a truncated one", []byte("PK text")},
	} {
		if _, err := readBytes(test.data); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.what, err, test.want)
		}
	}
	// parts returns an archive of a whole graph with one array replaced. Its features are checked as
	// those of a file are.
	parts := func(name string, content []byte) []byte {
		m := map[string][]byte{
			"adj_data": inputtest.NPY([]float32{1, 1}), "adj_indices": inputtest.NPY([]int64{1, 0}), "adj_indptr": inputtest.NPY([]int64{0, 1, 2}), "adj_shape": inputtest.NPY([]int64{2, 2}),
			"attr_data": inputtest.NPY([]float32{1, 1}), "attr_indices": inputtest.NPY([]int64{1, 0}), "attr_indptr": inputtest.NPY([]int64{0, 1, 2}), "attr_shape": inputtest.NPY([]int64{2, 2}),
		}
		m[name] = content
		return inputtest.NPZ(m)
	}
	for _, test := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"attr_matrix", inputtest.RawNPY("<f4", "False", "(2, 2)", inputtest.Float32s(1, 2, float32(math.NaN()), 0)), "array attr_matrix: row 1, column 0 (from 0): value NaN, want a finite number"},
		{"attr_matrix", inputtest.RawNPY("<f4", "True", "(2, 2)", inputtest.Float32s(0, 0, 0, 0)), "array attr_matrix: all features are 0"},
		{"attr_data", inputtest.NPY([]float32{1, float32(math.Inf(1))}), "array attr_data: row 1, column 0 (from 0): value +Inf, want a finite number"},
		{"attr_data", inputtest.NPY([]float64{1, 1e39}), "array attr_data: value 1 (from 0): value 1e+39: want at most 3.4028235e+38"},
		{"attr_data", inputtest.NPY([]float32{0, 0}), "array attr_data: all features are 0"},
		{"attr_indices", inputtest.NPY([]int64{1, 1 << 32}), "array attr_indices: value 1 (from 0): value 4294967296: want an integer of 32 bits"},
		{"attr_indices", inputtest.NPY([]float32{1, 0}), "array attr_indices: values of type float32: want integers"},
		{"attr_indptr", inputtest.NPY([]int64{0, 1, 5}), "array attr_indptr: 5 entries, want 0 to 4 for a 2×2 matrix"},
		{"attr_shape", inputtest.NPY([]int64{2, 1 << 25}), "array attr_shape: 2×33554432 matrix, want at most 2147483647 rows and 16777216 columns"},
		{"attr_shape", inputtest.NPY([]int64{2}), "array attr_shape: 1 values, want 2"},
		{"labels", inputtest.NPY([]uint64{1, 1<<64 - 1}), "array labels: value 1 (from 0): value 18446744073709551615: want at most 9223372036854775807"},
	} {
		if _, err := readBytes(parts(test.name, test.content)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// TestDataArrays reads a graph from arrays named as in PyTorch Geometric's Data: a triangle of the
// edges 0–1, 1–2 and 2–0 with the weights 1, 2 and 3, features, and the classes 5, unknown (-1) and 3,
// which become 1, unknown and 0. The ends of the edges are stored both by rows and by columns. Then
// each array in turn is replaced by one of another shape, which is an error.
func TestDataArrays(t *testing.T) {
	for fortran, ends := range map[string][]byte{ // the header fortran_order, and the values in that order
		"False": inputtest.Int64s(0, 1, 2, 1, 2, 0), // the sources 0, 1, 2, then the targets 1, 2, 0
		"True":  inputtest.Int64s(0, 1, 1, 2, 2, 0), // source and target of each edge
	} {
		arrays := map[string][]byte{
			"edge_index":  inputtest.RawNPY("<i8", fortran, "(2, 3)", ends),
			"edge_weight": inputtest.NPY([]float32{1, 2, 3}),
			"x":           inputtest.NPY(mat.NewDense(3, 2, []float64{1, -2, 3, 4, 5, 6})),
			"y":           inputtest.NPY([]int64{5, -1, 3}),
		}
		path := filepath.Join(t.TempDir(), "data.npz")
		inputtest.Write(t, path, inputtest.NPZ(arrays))
		g, err := readArrays(t.Context(), path)
		if err != nil {
			t.Fatalf("fortran %s: %v", fortran, err)
		}
		if g.N() != 3 || g.Edges() != 3 {
			t.Errorf("fortran %s: %d nodes, %d edges, want 3 and 3", fortran, g.N(), g.Edges())
		}
		if a := g.Adjacency; a.At(0, 1) != 1 || a.At(1, 2) != 2 || a.At(2, 0) != 3 {
			t.Errorf("fortran %s: weights %v, %v and %v, want 1, 2 and 3", fortran, a.At(0, 1), a.At(1, 2), a.At(2, 0))
		}
		if !slices.Equal(g.Labels, []int{1, graph.Unknown, 0}) || g.Classes != 2 {
			t.Errorf("fortran %s: labels %v of %d classes", fortran, g.Labels, g.Classes)
		}
		if v := g.Features.ToDense().Data[1]; v != -2 {
			t.Errorf("fortran %s: feature %v, want -2", fortran, v)
		}
		for name, test := range map[string]struct {
			content []byte
			want    string
		}{
			"edge_index":  {inputtest.NPY([]int64{0, 1}), "want 2×E ends of edges"},
			"edge_weight": {inputtest.NPY([]float32{1}), "array edge_weight: 1 values, want 3"},
			"y":           {inputtest.NPY([]int64{0}), "array y: 1 values, want 3"},
			"x":           {inputtest.NPY(mat.NewDense(2, 1, []float64{1, 2})), "edge 1: node 2, want 0 to 1"},
		} {
			bad := maps.Clone(arrays)
			bad[name] = test.content
			inputtest.Write(t, path, inputtest.NPZ(bad))
			if _, err := readArrays(t.Context(), path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", name, err, test.want)
			}
		}
	}
}
