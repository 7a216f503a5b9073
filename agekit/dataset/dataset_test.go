package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/npy"
)

// golden has the figures of a data set in testdata/golden.json, which numpy, scipy and networkx
// computed from the original files.
type golden struct {
	Nodes      int   `json:"nodes"`
	Edges      int   `json:"edges_distinct_no_loops"`
	Features   int   `json:"features"`
	NonZeros   int   `json:"nnz"`
	Classes    int   `json:"classes"`
	ClassSizes []int `json:"class_sizes"`
	MaxDegree  int   `json:"degree_max"`
	Isolated   int   `json:"isolated"`
}

// readGolden returns the figures of the named data set.
func readGolden(t *testing.T, name string) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(all[name], &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// tables has further figures of each data set, which golden.json lacks: listed is the number of
// edges in Table 1 of the paper; components, the number of connected ones, and zeroRows, the number
// of nodes without features, were counted with scipy.
var tables = map[string]struct{ listed, components, zeroRows int }{
	"cora":     {listed: 5429, components: 78, zeroRows: 0},
	"citeseer": {listed: 4732, components: 438, zeroRows: 15},
	"wiki":     {listed: 17981, components: 45, zeroRows: 88},
	"pubmed":   {listed: 44338, components: 1, zeroRows: 0},
}

// load loads the named data set from disk. It skips the test if the files are not there.
func load(t testing.TB, name string) *graph.Graph {
	t.Helper()
	g, err := Load(context.Background(), name, Options{Offline: true})
	if errors.Is(err, ErrMissing) {
		t.Skipf("%s is not on this machine: set AGEKIT_DATA to the folder that has it", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPublishedFigures: each data set's statistics and sizes of classes are those that numpy, scipy
// and networkx count in the original files; the number of listed edges is that in the paper's
// Table 1. All classes have names.
func TestPublishedFigures(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			g := load(t, name)
			counted := readGolden(t, name)
			want := graph.Statistics{
				Nodes: counted.Nodes, ListedEdges: table.listed, Edges: counted.Edges, Features: counted.Features,
				NonZeros: counted.NonZeros, Classes: counted.Classes, Isolated: counted.Isolated,
				ZeroRows: table.zeroRows, Components: table.components, MaxDegree: counted.MaxDegree,
			}
			if got := g.Stats(); got != want {
				t.Errorf("statistics\n got %+v\nwant %+v", got, want)
			}
			sizes := make([]int, g.Classes)
			for _, c := range g.Labels {
				sizes[c]++
			}
			for c, size := range sizes {
				if size != counted.ClassSizes[c] {
					t.Errorf("class %d has %d nodes, want %d", c, size, counted.ClassSizes[c])
				}
			}
			if len(g.ClassNames) != g.Classes {
				t.Errorf("%d class names for %d classes", len(g.ClassNames), g.Classes)
			}
		})
	}
}

// TestLoadFile: a name with an extension is that of a file, relative or absolute, and loads the
// graph that was written to it. An extension of no graph file, and an unknown name without an
// extension, are errors that say what is wanted.
func TestLoadFile(t *testing.T) {
	g, err := Planted(t.Context(), PlantedConfig{Nodes: 50, Classes: 2, Features: 20, Words: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	arrays := []npy.NamedArray{{Name: "adj_", Value: g.Adjacency}, {Name: "attr_", Value: g.Features.Sparse}, {Name: "labels", Value: g.Labels}}
	if err := atomicfile.Write("mine.npz", func(w io.Writer) error { return npy.WriteArchive(w, arrays...) }); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs("mine.npz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.npz", path} {
		got, err := Load(t.Context(), name, Options{Offline: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.Name != "mine" {
			t.Errorf("%s: the graph's name is %q, want that of the file without its extension", name, got.Name)
		}
		if got.Fingerprint() != g.Fingerprint() {
			t.Errorf("%s: another graph than was written", name)
		}
	}
	for name, want := range map[string]string{
		"mine.net":            `mine.net: graph of type ".net", want .gexf or .gml or .graphml or .json or .npz`,
		"coral":               `unknown data set "coral": want one of citeseer, cora, `,
		"planetd:degree=3.95": `unknown data set "planetd": want one of citeseer, cora, `,
	} {
		if _, err := Load(t.Context(), name, Options{Offline: true}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// TestReadWiki: three small files of 3 nodes give the classes, edges and scaled features that were
// found by hand. A column that is no number is an error with the file's name and line.
func TestReadWiki(t *testing.T) {
	contents := [][]byte{
		[]byte("1\t0\n2\t2\n"),                  // graph.txt: an edge and a self loop
		[]byte("0\t9\n1\t3\n2\t9\n"),            // group.txt: node, class
		[]byte("0\t1\t0.5\n2\t0\t4\n2\t1\t2\n"), // tfidf.txt: node, column, value
	}
	g, err := readWiki(contents)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Labels, []int{1, 0, 1}) || !slices.Equal(g.ClassNames, []string{"3", "9"}) {
		t.Errorf("labels %v of classes %q, want [1 0 1] of 3 and 9", g.Labels, g.ClassNames)
	}
	if g.ListedEdges != 2 || g.Edges() != 1 || g.Adjacency.At(0, 1) != 1 {
		t.Errorf("%d listed edges, %d edges, want 2 listed, and 1 that joins 0 and 1", g.ListedEdges, g.Edges())
	}
	// The largest values of the columns are 4 and 2, by which each is divided.
	if x := g.Features.ToDense(); !slices.Equal(x.Data, []float32{0, 0.5 / 2, 0, 0, 1, 1}) {
		t.Errorf("features %v", x.Data)
	}
	contents[2] = []byte("0\t1\t0.5\n2\tzero\t4\n")
	if _, err := readWiki(contents); err == nil || err.Error() != `tfidf.txt:2: column 2 is "zero", want a whole number` {
		t.Errorf("error %v", err)
	}
}

// TestLocateChecksSize: a copy of another size than the pin's, here too large to be read, and a
// folder in a file's place count as damaged, and the status says why.
func TestLocateChecksSize(t *testing.T) {
	s, _ := addTiny(t)
	cache := emptyPlaces(t)
	path := filepath.Join(cache, "tiny", "ind.tiny.ty")
	write(t, path, nil)
	const size = 1 << 40
	if err := os.Truncate(path, size); err != nil { // a hole, which takes no space
		t.Skip(err)
	}
	damaged := func(wantProblem string) FileStatus {
		t.Helper()
		data, st := (Options{}).locate(s, s.files[fileTY])
		if data != nil || st.State != Damaged {
			t.Errorf("%d bytes, %+v, want no bytes and a damaged file", len(data), st)
		}
		if !strings.Contains(st.Problem, wantProblem) {
			t.Errorf("problem %q, want %q in it", st.Problem, wantProblem)
		}
		return st
	}
	if st := damaged("ind.tiny.ty has 1099511627776 bytes, want "); st.Bytes != size {
		t.Errorf("%d bytes, want %d", st.Bytes, size)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	damaged("ind.tiny.ty is a folder: want a regular file; not used")
}

// TestLoadGraphFile: the same graph of 4 people is loaded from a GraphML, a GEXF and a JSON file by
// the file's name. A column of labels can be named for a graph file, but not for a data set.
func TestLoadGraphFile(t *testing.T) {
	for _, name := range []string{"people.graphml", "people.gexf", "people.json"} {
		g, err := Load(t.Context(), "../input/formats/testdata/"+name, Options{})
		if err != nil || g.N() != 4 || g.Edges() != 3 || g.NodeNames[0] != "ann" || g.Name != "people" {
			t.Errorf("%s: %+v (%v)", name, g, err)
		}
	}
	if _, err := Open(t.Context(), input.Source{Graph: "cora", Label: "x"}, Options{}); err == nil || !strings.Contains(err.Error(), "want Source.Graph and no other field of Source") {
		t.Errorf("another field: %v", err)
	}
	// The people live in 2 towns, and the town is the third column.
	d, err := Open(t.Context(), input.Source{Graph: "../input/formats/testdata/people.json", Label: "town"}, Options{})
	if err != nil || d.Graph.Classes != 2 || d.LabelColumn != 2 {
		t.Errorf("with labels: %+v (%v)", d, err)
	}
}
