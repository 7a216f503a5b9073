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

// golden holds the figures of the original files, computed with numpy, scipy
// and networkx.
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

// listed is from Table 1 of the paper; components, isolated nodes and rows
// without features were counted with scipy.
var tables = map[string]struct{ listed, components, zeroRows int }{
	"cora":     {5429, 78, 0},
	"citeseer": {4732, 438, 15},
	"wiki":     {17981, 45, 88},
	"pubmed":   {44338, 1, 0},
}

// load loads a data set from disk, and skips the test if it is not there.
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

// TestPublishedFigures compares each data set's statistics with the listed edges of the paper's table 1 and
// with what numpy, scipy and networkx count in the original files.
func TestPublishedFigures(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			g := load(t, name)
			want := readGolden(t, name)
			s := g.Stats()
			got := graph.Statistics{
				Nodes: want.Nodes, ListedEdges: table.listed, Edges: want.Edges, Features: want.Features,
				NonZeros: want.NonZeros, Classes: want.Classes, Isolated: want.Isolated,
				ZeroRows: table.zeroRows, Components: table.components, MaxDegree: want.MaxDegree,
			}
			if s != got {
				t.Errorf("statistics\n got %+v\nwant %+v", s, got)
			}
			sizes := make([]int, g.Classes)
			for _, c := range g.Labels {
				sizes[c]++
			}
			for c, size := range sizes {
				if size != want.ClassSizes[c] {
					t.Errorf("class %d has %d nodes, want %d", c, size, want.ClassSizes[c])
				}
			}
			if len(g.ClassNames) != g.Classes {
				t.Errorf("%d class names for %d classes", len(g.ClassNames), g.Classes)
			}
		})
	}
}

// TestLoadFile checks that a name with an extension is a file name, in any
// folder, and that any other unknown name is not.
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
		if err != nil || got.Name != "mine" || got.Fingerprint() != g.Fingerprint() {
			t.Errorf("%s: read %+v (%v)", name, got, err)
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

// TestReadWiki: three small files give the classes, edges and scaled features that they say, by hand.
func TestReadWiki(t *testing.T) {
	contents := [][]byte{[]byte("1\t0\n2\t2\n"), []byte("0\t9\n1\t3\n2\t9\n"), []byte("0\t1\t0.5\n2\t0\t4\n2\t1\t2\n")}
	g, err := readWiki(contents)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Labels, []int{1, 0, 1}) || !slices.Equal(g.ClassNames, []string{"3", "9"}) || g.ListedEdges != 2 || g.Edges() != 1 || g.Adjacency.At(0, 1) != 1 {
		t.Errorf("%+v", g)
	}
	if x := g.Features.ToDense(); !slices.Equal(x.Data, []float32{0, 0.25, 0, 0, 1, 1}) {
		t.Errorf("features %v", x.Data)
	}
	contents[2] = []byte("0\t1\t0.5\n2\tzero\t4\n")
	if _, err := readWiki(contents); err == nil || err.Error() != `tfidf.txt:2: column 2 is "zero", want a whole number` {
		t.Errorf("error %v", err)
	}
}

// TestLocateChecksSize: a file of another size is not read, and anything but a
// regular file is not opened.
func TestLocateChecksSize(t *testing.T) {
	s, _ := addTiny(t)
	dir := emptyPlaces(t)
	path := filepath.Join(dir, "tiny", "ind.tiny.ty")
	write(t, path, nil)
	if err := os.Truncate(path, 1<<40); err != nil { // takes no space
		t.Skip(err)
	}
	if data, st := (Options{}).locate(s, s.files[fileTY]); data != nil || st.State != Damaged || st.Bytes != 1<<40 || !strings.Contains(st.Problem, "ind.tiny.ty has 1099511627776 bytes, want ") {
		t.Errorf("%d bytes, %+v", len(data), st)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if data, st := (Options{}).locate(s, s.files[fileTY]); data != nil || st.State != Damaged || !strings.Contains(st.Problem, "ind.tiny.ty is a folder: want a regular file; not used") {
		t.Errorf("%d bytes, %+v", len(data), st)
	}
}

// TestLoadGraphFile: graph files of every kind are loaded by their names, as the
// program does.
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
	d, err := Open(t.Context(), input.Source{Graph: "../input/formats/testdata/people.json", Label: "town"}, Options{})
	if err != nil || d.Graph.Classes != 2 || d.LabelColumn != 2 {
		t.Errorf("with labels: %+v (%v)", d, err)
	}
}
