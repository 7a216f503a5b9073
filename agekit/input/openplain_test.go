package input

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input/formats"
	"github.com/agekit/age/internal/inputtest"
	"gonum.org/v1/gonum/mat"
)

// folder writes edges.tsv, a file of features with a name, and labels.txt, unless labels is "", into a
// new folder, and returns the source of the three.
func folder(t *testing.T, edges, featuresName string, features []byte, labels string) Source {
	t.Helper()
	dir := t.TempDir()
	f := Source{Edges: filepath.Join(dir, "edges.tsv"), Features: filepath.Join(dir, featuresName)}
	inputtest.Write(t, f.Edges, []byte(edges))
	inputtest.Write(t, f.Features, features)
	if labels != "" {
		f.Labels = filepath.Join(dir, "labels.txt")
		inputtest.Write(t, f.Labels, []byte(labels))
	}
	return f
}

// TestReadFiles reads the same features in every format of a matrix, with the same list of edges and
// labels: the graph is written by hand.
func TestReadFiles(t *testing.T) {
	npz := inputtest.NPZ(inputtest.SavedCSR())
	for _, test := range []struct {
		name     string
		features []byte
	}{
		{"x.npz", npz},
		{"x.npy", inputtest.NPY(mat.NewDense(2, 3, []float64{0, 2.5, 0, 1, 0, 3}))},
		{"x.NPY", inputtest.RawNPY("<f4", "True", "(2, 3)", inputtest.Float32s(0, 1, 2.5, 0, 0, 3))},
		{"x.csv", []byte("word a,word b,word c\r\n0, 2.5 ,0\r\n# remark\r\n1,0,3e0\r\n\r\n")},
		{"x.csv", []byte("same;same;\"c\"\n0;2.5;0\n\"1\";0;3e0\n")},
		{"x.csv", []byte("sep=|\n0|2.5|0\n1|0|3\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := openGraphOf(t.Context(), folder(t, "# u v\n0\t1\n\n1\t0\n1\t1\n", test.name, test.features, "b\na\n"))
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Features.ToDense().Data; !slices.Equal(got, inputtest.SavedCSRDense) {
				t.Errorf("features %v, want %v", got, inputtest.SavedCSRDense)
			}
			if g.Name != "edges" || g.Edges() != 1 || g.Adjacency.Values != nil || g.ListedEdges != 3 {
				t.Errorf("graph %q: %d edges, weights %v, %d listed, want edges, 1, none, 3", g.Name, g.Edges(), g.Adjacency.Values, g.ListedEdges)
			}
			if !slices.Equal(g.Labels, []int{1, 0}) || !slices.Equal(g.ClassNames, []string{"a", "b"}) {
				t.Errorf("labels %v of %v", g.Labels, g.ClassNames)
			}
		})
	}
}

// TestNumericLabelsAndWeights: labels that are all integers are in numeric order, 9 before 10. Of a
// plain list, the larger weight of the two directions counts. The graph has the name that the source
// gives.
func TestNumericLabelsAndWeights(t *testing.T) {
	f := folder(t, "0 1 0.5\n1 0 2\n", "x.csv", []byte("1\n2\n3\n"), "10\n9\n10\n")
	f.Name = "mine"
	g, err := openGraphOf(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Labels, []int{1, 0, 1}) || !slices.Equal(g.ClassNames, []string{"9", "10"}) {
		t.Errorf("labels %v of %v, want 9 before 10", g.Labels, g.ClassNames)
	}
	if g.Name != "mine" || g.Adjacency.At(0, 1) != 2 || g.Adjacency.At(1, 0) != 2 {
		t.Errorf("%s: weight %v, want the larger, 2", g.Name, g.Adjacency.At(0, 1))
	}
}

// TestSparseOrDense: a matrix of which less than a quarter is not 0 is sparse, others are dense, with
// the values of the text. Long numbers make the file seem to have more rows than it has, so that it is
// known only at the end which it is.
func TestSparseOrDense(t *testing.T) {
	for _, test := range []struct {
		csv    string
		sparse bool
	}{
		{"0,0,0,1,0\n0,0,0,0,0\n", true},
		{"0,0,0,1\n", false}, // a quarter
		{"1,2\n", false},
		// Fewer rows than the file's size would allow: dense, but only at the end.
		{"0.00000000000000001,0.00000000000000000000000001\n", false},
		{"0,0,0,0,0,0,0.00000000000000000000000001\n0,0,0,0,0,0,0\n", true},
	} {
		x, _, err := Source{Features: inputtest.WriteText(t, "x.csv", test.csv)}.matrix(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []float32
		for field := range strings.FieldsFuncSeq(test.csv, func(r rune) bool { return r == ',' || r == '\n' }) {
			v, err := strconv.ParseFloat(field, 32)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, float32(v))
		}
		if (x.Sparse != nil) != test.sparse || !slices.Equal(x.ToDense().Data, want) {
			t.Errorf("%q: %+v, want sparse %v", test.csv, x, test.sparse)
		}
	}
}

// TestReadFilesRefuses reads edges, features and labels that are wrong in one way each: the errors,
// written by hand, name the file, and the place in it.
func TestReadFilesRefuses(t *testing.T) {
	const edges, csv = "0\t1\n", "1,2\n3,4\n"
	// without returns an archive that lacks an array, and with one in which an array is replaced.
	without := func(key string) []byte {
		m := inputtest.SavedCSR()
		delete(m, key)
		return inputtest.NPZ(m)
	}
	with := func(key string, content []byte) []byte {
		m := inputtest.SavedCSR()
		m[key] = content
		return inputtest.NPZ(m)
	}
	whole := inputtest.NPZ(inputtest.SavedCSR())
	for _, test := range []struct {
		name, edges, file, features, labels, want string
	}{
		{"edge out of range", "0\t1\n0\t2\n", "x.csv", csv, "", `edges.tsv:2: node "2", want 0 to 1: nodes are numbered from 0`},
		{"edge negative", "0\t-1\n", "x.csv", csv, "", `edges.tsv:1: node "-1", want 0 to 1`},
		{"edge with one endpoint", "0\n", "x.csv", csv, "", `edges.tsv: 1 columns: want two, the ends of each edge`},
		{"edge with four fields", "0 1 2 3\n", "x.csv", csv, "", `edges.tsv: 4 columns without names: want two`},
		{"huge node", "0 99999999999999999999\n", "x.csv", csv, "", `edges.tsv:1`},
		{"weight 0", "0 1 0\n", "x.csv", csv, "", `edges.tsv:1: weight 0 in column 3: want a positive`},
		{"weight NaN", "0 1 NaN\n", "x.csv", csv, "", `edges.tsv: 3 columns without names: want two, the ends of each edge, and perhaps one more of numbers`},
		{"weight NaN in a row", "0 1 NaN\n1 0 2\n", "x.csv", csv, "", `edges.tsv:1: weight NaN in column 3: want a positive`},
		{"weight below float32", "0 1 1e-60\n", "x.csv", csv, "", `weight 1e-60`},
		{"weights on some", "0 1 2\n0 1\n", "x.csv", csv, "", "edges.tsv:2: 2 fields, want 3 as in the first line"},
		{"ragged", edges, "x.csv", "1,2\n3\n", "", "x.csv:2: 1 fields, want 2"},
		{"NaN", edges, "x.csv", "1,2\n3,NaN\n", "", "x.csv:2: column 2: NaN, want a finite number"},
		{"NaN in the first line", edges, "x.csv", "1,NaN\n3,3\n", "", "x.csv:1: column 2"},
		{"infinite", edges, "x.csv", "1,2\n3,inf\n", "", "x.csv:2: column 2"},
		{"word", edges, "x.csv", "1,2\n3,x\n", "", `x.csv:2: column 2: "x", want a number`},
		{"word in the first line", edges, "x.csv", "1,x\n3,4\n", "", `x.csv:1: column 2: "x", want a number`},
		{"index", edges, "x.csv", ",a,b\n0,5,6\n1,7,8\n", "", "x.csv: column 1 has no name"},
		{"index without a header", edges, "x.csv", "1,5\n2,7\n3,5\n4,7\n", "", "x.csv: column 1 numbers the rows (1, 2, 3, …), as a table's index does: want features only"},
		{"empty", edges, "x.csv", "", "", "x.csv: no lines: want a table"},
		{"header only", edges, "x.csv", "a,b\n", "", "x.csv: no rows"},
		{"label count", edges, "x.csv", csv, "a\n", "labels.txt: 1 labels: want 2, one for each row of features"},
		{"label count", edges, "x.csv", csv, "a\nb\nc\n", "labels.txt: 3 labels: want 2"},
		{"extension", edges, "x.parquet", csv, "", `x.parquet: features of type ".parquet", want .csv or .npy or .npz`},
		{"not npy", edges, "x.npy", "abc", "", "x.npy: not a .npy array"},
		{"npy NaN", edges, "x.npy", string(inputtest.NPY(mat.NewDense(2, 2, []float64{1, 2, 3, math.NaN()}))), "", "x.npy: row 1, column 1 (from 0): value NaN"},
		{"npy of 1 dimension", edges, "x.npy", string(inputtest.NPY([]float32{1, 2})), "", "array of shape (2,): want rows × columns"},
		{"npy of objects", edges, "x.npy", string(inputtest.RawNPY("|O", "False", "(2, 2)", []byte("cos\nsystem\n"))), "", "values of type object: want float32"},
		{"npy too short", edges, "x.npy", string(inputtest.RawNPY("<f4", "False", "(2, 2)", make([]byte, 12))), "", "12 bytes of values for shape (2, 2) and type float32: want 16"},
		{"npy huge shape", edges, "x.npy", string(inputtest.RawNPY("<f4", "False", "(4294967296, 4294967296)", nil)), "", "want sizes that fit the file"},
		{"npy huge header", edges, "x.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "", "header of 4294967295 bytes"},
		{"npy header", edges, "x.npy", string(inputtest.RawNPY("<f4", "Perhaps", "(2, 2)", nil)), "", "x.npy: "},
		{"npz truncated", edges, "x.npz", string(whole[:len(whole)/2]), "", "x.npz: not an .npz archive, or a truncated one"},
		{"npz without format", edges, "x.npz", string(without("format")), "", "x.npz: has no array format: want an archive of scipy.sparse.save_npz"},
		{"npz without data", edges, "x.npz", string(without("data")), "", "x.npz: has no array data"},
		{"npz CSC", edges, "x.npz", string(with("format", inputtest.RawNPY("|S3", "False", "()", []byte("csc")))), "", "convert it with tocsr()"},
		{"npz NaN", edges, "x.npz", string(with("data", inputtest.NPY([]float64{1, 2, math.NaN()}))), "", "row 1, column 0 (from 0): value NaN"},
		{"npz column", edges, "x.npz", string(with("indices", inputtest.NPY([]int32{1, 2, 3}))), "", "row 1: column 3, want 0 to 2"},
		{"npz lengths", edges, "x.npz", string(with("indices", inputtest.NPY([]int32{1, 2}))), "", "array indices: 2 values, want 3"},
		{"npz shape", edges, "x.npz", string(with("shape", inputtest.NPY([]int64{1 << 40, 3}))), "", "array shape: 1099511627776×3 matrix, want at most 2147483647 rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := openGraphOf(t.Context(), folder(t, test.edges, test.file, []byte(test.features), test.labels))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if g != nil {
				t.Error("a graph was returned")
			}
		})
	}
}

// TestReadFilesRequires: a source without edges, labels that do not exist, and a canceled context are errors.
func TestReadFilesRequires(t *testing.T) {
	f := folder(t, "0 1\n", "x.csv", []byte("1\n2\n"), "")
	if _, err := openGraphOf(t.Context(), Source{Features: f.Features}); err == nil || !strings.Contains(err.Error(), "no edges: want Source.Edges") {
		t.Errorf("error %v, want one about the edges", err)
	}
	if _, err := openGraphOf(t.Context(), Source{Features: f.Features, Edges: f.Edges, Labels: "none" + f.Edges}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the labels do not exist", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openGraphOf(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// TestSignedFeatures: features may be negative in a text and in an array; the largest counts by its
// absolute value.
func TestSignedFeatures(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges := write("e.tsv", []byte("0\t1\n"))
	for _, features := range []string{
		write("x.csv", []byte("1,-2.5\n-3,0\n")),
		write("x.npy", inputtest.RawNPY("<f4", "False", "(2, 2)", inputtest.Float32s(1, -2.5, -3, 0))),
	} {
		g, err := openGraphOf(t.Context(), Source{Edges: edges, Features: features})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Features.ToDense(); !slices.Equal(got.Data, []float32{1, -2.5, -3, 0}) || graph.LargestFeature(g.Features) != 3 || graph.FeatureUnit(g.Features) != 2 {
			t.Errorf("%s: %v", features, got.Data)
		}
	}
}

// TestPlainLists reads the list 0–1, 0–1, 1–2 in all ways in which a table of edges may be written: the
// graph has two edges, and the repeated one keeps the largest weight, 1, where in a table the weights
// would add up.
func TestPlainLists(t *testing.T) {
	for _, text := range []string{
		"0\t1\n0\t1\n1\t2\n", "0,1\n0,1\n1,2\n", "0 1\n0\t1\n1  2 \n", "source\ttarget\n0\t1\n0\t1\n1\t2\n", "0.0 1.0\n0.0 1.0\n1.0 2.0\n",
		"sep=;\n0;1\n0;1\n1;2\n", "# u v w\n0 1 1\n0 1 0.5\n1 2 1\n", "0 1 {'weight': 1.0}\n0 1 {}\n1 2 {}\n",
	} {
		g, err := openGraphOf(t.Context(), folder(t, text, "x.csv", []byte("1\n2\n3\n"), ""))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if g.Edges() != 2 || g.ListedEdges != 3 || g.NodeNames != nil {
			t.Errorf("%q: %d edges of %d listed, ids %q, want 2 of 3 and none", text, g.Edges(), g.ListedEdges, g.NodeNames)
		}
		if g.Adjacency.At(0, 1) != 1 || g.Adjacency.At(1, 2) != 1 {
			t.Errorf("%q: weights %v, want 1", text, g.Adjacency.Values)
		}
	}
}

// TestPairs: a list of lines of two numbers, which are read in a faster way than others, gives the
// graph that the same lines give with quotation marks, which are read in the usual way. Blank lines,
// comments and other odd lines are among them. A wrong line at the end is an error that names the line.
func TestPairs(t *testing.T) {
	const n = 20_000 // lines: more than a buffer holds
	var plain, quoted, features strings.Builder
	for k := range n {
		u, v := k*7%100, k*k%101%100
		// Lines that come before some of the lines, three of them with an edge.
		odd := map[int]string{0: "# comment\n", 300: "\n", 301: "# another\n", 900: "\"3\"\t4\n", 901: "5\t6\r\n", 902: " 7\t8\n"}[k%1000]
		fmt.Fprintf(&plain, "%s%d\t%d\n", odd, u, v)
		fmt.Fprintf(&quoted, "%s\"%d\"\t%d\n", odd, u, v)
		if k < 100 { // as many nodes
			fmt.Fprintf(&features, "%d.5,%d\n", k, k*k)
		}
	}
	read := func(edges string) (*Data, error) {
		s := folder(t, edges, "x.csv", []byte(features.String()), "")
		s.Name = "edges"
		return Open(t.Context(), s)
	}
	got, err := read(plain.String())
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(quoted.String())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Graph, want.Graph) {
		t.Errorf("%d edges, %d listed; quoted %d, %d", got.Graph.Edges(), got.Graph.ListedEdges, want.Graph.Edges(), want.Graph.ListedEdges)
	}
	if listed := n + 3*n/1000; got.Graph.ListedEdges != listed {
		t.Errorf("%d edges listed, want %d", got.Graph.ListedEdges, listed)
	}
	lines := strings.Count(plain.String(), "\n")
	for wrong, message := range map[string]string{
		"100\t1\n":           `node "100", want 0 to 99`,
		"1\t99999999999\n":   `node "99999999999", want 0 to 99`,
		"07\t1\n":            `node "07", want 0 to 99`,
		"1\t\n":              "column 2 is empty",
		"1\t2\t3\n":          "3 fields, want 2",
		"1\t2147483648\n":    `node "2147483648", want 0 to 99`,
		"\t\n100\t1\n":       "column 1 is empty",
		"1\t2\n\n3\t4\nx\t1": `node "x", want 0 to 99`,
	} {
		_, err := read(plain.String() + wrong)
		line := lines + 1 // the first wrong one is at fault, unless the last one has an x
		if strings.Contains(wrong, "x") {
			line += strings.Count(wrong, "\n")
		}
		if want := fmt.Sprintf("edges.tsv:%d: ", line); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: error %v, want %s… %s", wrong, err, want, message)
		}
	}
}

// openGraphOf opens a source and returns its graph.
func openGraphOf(ctx context.Context, s Source) (*graph.Graph, error) {
	d, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}

// readWhole opens a file that holds a whole graph.
func readWhole(ctx context.Context, path string) (*graph.Graph, error) {
	return openGraphOf(ctx, Source{Graph: path})
}

// TestUnknownExtension checks that the error names the file, its extension and
// the extensions that hold the requested part.
func TestUnknownExtension(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	x := filepath.Join(dir, "x.csv")
	inputtest.Write(t, x, []byte("1\n2\n"))
	edges := filepath.Join(dir, "e.tsv")
	inputtest.Write(t, edges, []byte("0\t1\n"))
	for _, test := range []struct {
		name string
		do   func() (*graph.Graph, error)
		want string
	}{
		{"graph", func() (*graph.Graph, error) { return readWhole(ctx, "g.pajek") }, `g.pajek: graph of type ".pajek", want .gexf or .gml or .graphml or .json or .npz`},
		{"known for another part", func() (*graph.Graph, error) { return readWhole(ctx, "g.csv") }, `g.csv: graph of type ".csv", want .gexf or .gml or .graphml or .json or .npz`},
		{"no extension", func() (*graph.Graph, error) { return readWhole(ctx, "graph") }, `graph: graph of type "", want .gexf or .gml or .graphml or .json or .npz`},
		{"written", func() (*graph.Graph, error) { _, err := formats.Writer("g.csv"); return nil, err }, `g.csv: graph of type ".csv", want .gexf or .graphml`},
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
