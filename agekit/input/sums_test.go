package input

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/inputtest"
)

// TestFiles compares the checksums of what was read, in Data.Files, with those that crypto/sha256 gives
// of the files: for each kind of text, packed or not, short or longer than what is looked at first, in
// each encoding and with lines that are read as pairs. A file that is read in parts, as an archive is,
// has none.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		inputtest.Write(t, path, []byte(content))
		return path
	}
	const nodes = 20000 // rows of more than 256 kB
	ring := inputtest.Lines(nodes, func(i int) string { return fmt.Sprintf("%d\t%d\n", i, (i+1)%nodes) })
	table3 := "id,size,class\na,1.5,x\nb,2,y\nc,4,x\n"
	edges := file("edges.tsv", "source\ttarget\na\tb\nb\tc\n")
	list := file("list.tsv", "0\t1\n1\t2\n")
	features := file("features.csv", "1,0\n0,1\n1,1\n")
	for name, s := range map[string]Source{
		"tables":   {Nodes: file("nodes.csv", table3), Edges: edges, Label: "class"},
		"UTF-16":   {Nodes: file("utf16.csv", "\xff\xfe"+strings.Join(strings.Split(table3, ""), "\x00")+"\x00"), Edges: edges},
		"Latin-1":  {Nodes: file("latin.csv", strings.Replace(table3, "x", "\xe9", 1)), Edges: edges},
		"packed":   {Nodes: file("nodes.csv.gz", string(inputtest.Packed(table3))), Edges: edges},
		"list":     {Edges: list, Features: features, Labels: file("labels.txt", "x\ny\nx\n")},
		"long":     {Nodes: file("long.csv", "id,word\n"+inputtest.Lines(nodes, func(i int) string { return fmt.Sprintf("%d,word%d\n", i, i%7) })), Edges: file("ring.tsv", ring)},
		"graphml":  {Graph: file("graph.graphml", `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>`)},
		"comments": {Nodes: file("comments.csv", "# one\n# two\n"+table3), Edges: edges},
	} {
		d, err := Open(t.Context(), s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found := map[string]checksum.Sum{}
		for _, f := range d.Files {
			found[f.Path] = f.Sum
		}
		for _, path := range []string{s.Graph, s.Edges, s.Nodes, s.Features, s.Labels} {
			if path == "" {
				continue
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			hash := sha256.Sum256(content)
			if want := (checksum.Sum{Bytes: int64(len(content)), SHA256: hex.EncodeToString(hash[:])}); found[path] != want {
				t.Errorf("%s: %s: %+v, want %+v", name, filepath.Base(path), found[path], want)
			}
			delete(found, path)
		}
		if len(found) > 0 {
			t.Errorf("%s: other files: %v", name, found)
		}
	}
	archive := file("features.npz", string(inputtest.NPZ(inputtest.SavedCSR())))
	list = file("pair.tsv", "0\t1\n")
	d, err := Open(t.Context(), Source{Edges: list, Features: archive})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Files) != 2 {
		t.Fatalf("with an archive: %+v, want %s and %s", d.Files, list, archive)
	}
	for _, f := range d.Files {
		content, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = f.Whole(t.Context()); err != nil || f.Sum != checksum.Of(content) {
			t.Errorf("%s: %+v, %v", f.Path, f.Sum, err)
		}
	}
	// Replaced by the same bytes, or written to, the archive is another one than that which was read.
	content, _ := os.ReadFile(archive)
	for change, replace := range map[string]func() error{
		"replaced": func() error {
			later := archive + ".later"
			inputtest.Write(t, later, content)
			return os.Rename(later, archive)
		},
		"longer": func() error { return os.WriteFile(archive, append(content, 'x'), 0o600) },
		"touched": func() error {
			return os.Chtimes(archive, time.Time{}, time.Now().Add(time.Hour))
		},
		"gone": func() error { return os.Remove(archive) },
	} {
		inputtest.Write(t, archive, content)
		if d, err = Open(t.Context(), Source{Edges: list, Features: archive}); err != nil {
			t.Fatal(err)
		}
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Files {
			if _, err := f.Whole(t.Context()); (err != nil) != (f.Path == archive) {
				t.Errorf("%s: %s: %v", change, filepath.Base(f.Path), err)
			} else if err != nil && change != "gone" && !strings.Contains(err.Error(), "features.npz changed while it was read") {
				t.Errorf("%s: %v", change, err)
			}
		}
	}
}

// TestReplacedBetween: a file that is opened twice, and replaced in between, is an error: parts of two files are no
// table.
func TestReplacedBetween(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	var sums []checksum.File
	ctx := table.WithSums(t.Context(), &sums)
	for k, want := range []string{"", "", "a.csv changed while it was read"} {
		if k != 1 {
			inputtest.Write(t, path+".new", []byte("id,size\na,1\n"))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
		_, err := table.Read(ctx, path, table.Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d: %v, want %q", k, err, want)
		}
	}
	if len(sums) != 1 {
		t.Errorf("%+v", sums)
	}
}

// TestReplacedFile replaces a file while it is open: the checksum is of what was read, not of what is
// there afterward.
func TestReplacedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	inputtest.Write(t, path, []byte("id,size\na,1\n"))
	var sums []checksum.File
	replaced := table.Options{IsKey: func(string) bool { // it is asked about the first rows
		later := path + ".new"
		inputtest.Write(t, later, []byte("id,size\nb,2\nc,3\n"))
		if err := os.Rename(later, path); err != nil {
			t.Error(err)
		}
		return false
	}}
	got, err := table.Read(table.WithSums(t.Context(), &sums), path, replaced)
	if err != nil {
		t.Fatal(err)
	}
	if want := checksum.Of([]byte("id,size\na,1\n")); got.Rows != 1 || len(sums) != 1 || sums[0].Sum != want {
		t.Errorf("%d rows, %+v, want 1 and %+v", got.Rows, sums, want)
	}
}
