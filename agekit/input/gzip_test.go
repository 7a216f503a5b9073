package input

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestGzip reads each part of a graph packed by gzip, also in two members, and compares the graph with
// that of the same texts as they are. It builds a folder of packed edges, too, and checks that no
// temporary file is left.
func TestGzip(t *testing.T) {
	inputtest.ScratchLess(t)
	plain, zipped := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"nodes.csv":     "id,size,class\na,1.5,x\nb,2,y\nc,4,x\n",
		"edges.tsv":     "source\ttarget\na\tb\nb\tc\n",
		"list.tsv":      "0\t1\n1\t2\n",
		"labels.txt":    "x\ny\nx\n",
		"features.csv":  "1,0\n0,1\n1,1\n",
		"graph.graphml": `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`,
	} {
		inputtest.Write(t, filepath.Join(plain, name), []byte(text))
		inputtest.Write(t, filepath.Join(zipped, name+".gz"), inputtest.Packed(text))
		inputtest.Write(t, filepath.Join(zipped, name+".GZ"), append(inputtest.Packed(text[:5]), inputtest.Packed(text[5:])...)) // two members are one text
	}
	paths := func(dir, ext string) func(name string) string {
		return func(name string) string { return filepath.Join(dir, name+ext) }
	}
	for _, ext := range []string{".gz", ".GZ"} {
		for name, source := range map[string]func(file func(string) string) Source{
			"tables": func(f func(string) string) Source {
				return Source{Nodes: f("nodes.csv"), Edges: f("edges.tsv"), Label: "class"}
			},
			"list": func(f func(string) string) Source {
				return Source{Edges: f("list.tsv"), Features: f("features.csv"), Labels: f("labels.txt")}
			},
			"graph": func(f func(string) string) Source { return Source{Graph: f("graph.graphml")} },
		} {
			want, err := Open(t.Context(), source(paths(plain, "")))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Open(t.Context(), source(paths(zipped, ext)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(got.Graph, want.Graph) || len(got.Notes) != len(want.Notes) {
				t.Errorf("%s%s: %+v, want %+v", name, ext, got, want)
			}
		}
	}
	built := filepath.Join(t.TempDir(), "built")
	b, err := Build(t.Context(), Source{Edges: filepath.Join(zipped, "edges.tsv.gz")}, Building{Folder: built})
	if err != nil || b.Nodes != 3 || b.Edges != 2 {
		t.Errorf("built %+v (%v)", b, err)
	}
}
