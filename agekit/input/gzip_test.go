package input

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// packed returns text as gzip packs it.
func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text)) // a buffer takes all
	_ = z.Close()
	return b.Bytes()
}

// scratchLess fails the test if it leaves something among the temporary files.
func scratchLess(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // Windows
	t.Cleanup(func() {
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v is left of what was unpacked (%v)", left, err)
		}
	})
}

// TestGzip reads each part of a graph packed and not, and a folder built of them.
func TestGzip(t *testing.T) {
	scratchLess(t)
	plain, zipped := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"nodes.csv":     "id,size,class\na,1.5,x\nb,2,y\nc,4,x\n",
		"edges.tsv":     "source\ttarget\na\tb\nb\tc\n",
		"list.tsv":      "0\t1\n1\t2\n",
		"labels.txt":    "x\ny\nx\n",
		"features.csv":  "1,0\n0,1\n1,1\n",
		"graph.graphml": `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`,
	} {
		write(t, filepath.Join(plain, name), []byte(text))
		write(t, filepath.Join(zipped, name+".gz"), packed(text))
		write(t, filepath.Join(zipped, name+".GZ"), append(packed(text[:5]), packed(text[5:])...)) // two members are one text
	}
	in := func(dir, ext string) func(name string) string {
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
			want, err := Open(t.Context(), source(in(plain, "")))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Open(t.Context(), source(in(zipped, ext)))
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

// TestGzipErrors checks that errors name the packed file, and its line.
func TestGzipErrors(t *testing.T) {
	scratchLess(t)
	defer func(was func(int64) uint64) { mostUnpacked = was }(mostUnpacked)
	mostUnpacked = func(int64) uint64 { return 1000 }
	dir := t.TempDir()
	whole := packed("a\tb\nb\tc\n")
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-8] ^= 1 // of the checksum
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"line.csv.gz":    {packed("a,b\n1,2\n1,2,3\n"), "line.csv.gz:3: 3 fields, want 2"},
		"bomb.tsv.gz":    {packed(strings.Repeat("a\tb\n", 250) + "\n"), "bomb.tsv.gz: 36 bytes of gzip unpack to more than 1000"},
		"short.tsv.gz":   {whole[:len(whole)-3], "short.tsv.gz: unexpected EOF: want a complete file of gzip"},
		"damaged.tsv.gz": {damaged, "damaged.tsv.gz: gzip: invalid checksum: want a complete file of gzip"},
		"text.tsv.gz":    {[]byte("source\ttarget\n"), "text.tsv.gz: gzip: invalid header: want a complete file of gzip"},
		"empty.tsv.gz":   {nil, "empty.tsv.gz: EOF: want a complete file of gzip"},
		"a.npz.gz":       {whole, `a.npz.gz: table of type ".gz", want `},
		"b.gz":           {whole, `b.gz: table of type ".gz", want `},
	} {
		path := filepath.Join(dir, name)
		write(t, path, test.content)
		if _, err := ReadTable(t.Context(), path, TableOptions{Pairs: true}); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	full := filepath.Join(dir, "full.tsv.gz") // as much as may be
	write(t, full, packed(strings.Repeat("a\tb\n", 250)))
	if table, err := ReadTable(t.Context(), full, TableOptions{Pairs: true}); err != nil || table.Rows != 250 {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadTable(ctx, full, TableOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := TableWriter(full); err == nil {
		t.Error("a packed table can be written")
	}
}
