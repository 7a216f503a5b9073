package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/progress/progresstest"
)

// sameGraph fails the test if graphs differ in anything but the name. The nodes of got may be numbered
// without ids, if those of want have their numbers as ids.
func sameGraph(t interface {
	Helper()
	Errorf(string, ...any)
}, got, want *graph.Graph) {
	t.Helper()
	a, b := got.Adjacency, want.Adjacency
	samePlaces := slices.Equal(a.Indptr, b.Indptr) && slices.Equal(a.Indices, b.Indices)
	if !samePlaces || !slices.Equal(a.Values, b.Values) || (a.Values == nil) != (b.Values == nil) {
		t.Errorf("adjacency %+v, want %+v", a, b)
	}
	names := want.NodeNames
	if got.NodeNames == nil && slices.Equal(names, numberedIDs(len(names)).names()) {
		names = nil
	}
	if !slices.Equal(got.NodeNames, names) {
		t.Errorf("ids %q, want %q", got.NodeNames, names)
	}
	x, y := got.Features, want.Features
	if (x.Sparse == nil) != (y.Sparse == nil) || !reflect.DeepEqual(x.ToDense().Data, y.ToDense().Data) {
		t.Errorf("features %+v, want %+v", x, y)
	}
	if !slices.Equal(got.Labels, want.Labels) || got.Classes != want.Classes || !slices.Equal(got.ClassNames, want.ClassNames) {
		t.Errorf("labels %v of %q, want %v of %q", got.Labels, got.ClassNames, want.Labels, want.ClassNames)
	}
	if got.ListedEdges != want.ListedEdges {
		t.Errorf("%d edges listed, want %d", got.ListedEdges, want.ListedEdges)
	}
}

// TestBuild builds folders of random edge lists, in all ways to write them and with so little memory
// that there are many runs, and compares the graph in each with the one that Open makes of the same
// file in memory. The same lines in the files of a folder give the same graph; a second build finds the
// folder; and after a file more it is refused.
func TestBuild(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(top, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		n := rapid.IntRange(2, 9).Draw(t, "nodes")
		name := rapid.SampledFrom([]string{"e.tsv", "e.csv", "e.txt"}).Draw(t, "file")
		// The format of an id; "" for the numbers of nodes with features and labels, which have no ids.
		ids := rapid.SampledFrom([]string{"", "%d", "node %d", "%d.0"}).Draw(t, "ids")
		weighted := rapid.Bool().Draw(t, "weighted")
		separator := map[string]string{"e.tsv": "\t", "e.csv": ",", "e.txt": "\t"}[name]
		id := func(node int) string {
			if ids == "" {
				return fmt.Sprint(node)
			}
			return fmt.Sprintf(ids, node)
		}
		var text strings.Builder
		for range rapid.IntRange(1, 40).Draw(t, "edges") {
			u, v := rapid.IntRange(0, n-1).Draw(t, "u"), rapid.IntRange(0, n-1).Draw(t, "v")
			fmt.Fprintf(&text, "%s%s%s", id(u), separator, id(v))
			if weighted {
				fmt.Fprintf(&text, "%s%v", separator, rapid.SampledFrom([]float64{1, 0.1, 0.3, 2.5, 1e-3}).Draw(t, "w"))
			}
			text.WriteByte('\n')
		}
		// The first line is there again: if its ids were on no other line, it would be a header.
		first, _, _ := strings.Cut(text.String(), "\n")
		text.WriteString(first + "\n")
		s := Source{Edges: filepath.Join(dir, name)}
		contents := map[string]string{s.Edges: text.String()}
		if ids == "" {
			s.Features = filepath.Join(dir, "x.csv")
			x := rapid.SampledFrom([]string{"1,0.5", "0,0,0,0,0,0,0,1"}).Draw(t, "features")
			contents[s.Features] = strings.Repeat(x+"\n", n)
			s.Labels = filepath.Join(dir, "labels.txt")
			contents[s.Labels] = strings.Repeat("a\n", n-1) + "b\n"
		}
		for path, text := range contents {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		b := Building{Folder: filepath.Join(dir, "g"), Memory: rapid.Int64Range(1, 500).Draw(t, "memory")}
		built, err := Build(t.Context(), s, b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(t.Context(), Source{Graph: b.Folder})
		if err != nil {
			t.Fatal(err)
		}
		sameGraph(t, got.Graph, want.Graph)
		if built.Nodes != want.Graph.N() || built.Edges != want.Graph.Edges() || built.Listed != want.Graph.ListedEdges {
			t.Errorf("built %+v", built)
		}
		for _, note := range built.Notes {
			if !slices.Contains(want.Notes, note) && !slices.Contains(inputtest.Texts(want.Warnings), note) {
				t.Errorf("note %q, want one of %q", note, append(want.Notes, inputtest.Texts(want.Warnings)...))
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".agekit-g.build")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the runs are left: %v", err)
		}

		// The same lines in the files of a folder.
		s.Edges, b.Folder = filepath.Join(dir, "parts."+name), filepath.Join(dir, "of-parts")
		parts := map[string]string{"_SUCCESS": "", ".part-01.crc": "x", "part-00." + name: ""}
		size := rapid.IntRange(1, 20).Draw(t, "lines")
		for k, line := range strings.SplitAfter(text.String(), "\n") {
			parts[fmt.Sprintf("part-%02d.%s", 1+k/size, name)] += line
		}
		if err := os.Mkdir(s.Edges, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range parts {
			if err := os.WriteFile(filepath.Join(s.Edges, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		reading := "reading " + s.Edges
		forward := progresstest.Forward(t, reading)
		b.Progress = func(e progress.Event) {
			if forward(e); e.Stage == reading && e.Total != int64(text.Len()) {
				t.Errorf("%d of %d bytes, want of %d", e.Done, e.Total, text.Len())
			}
		}
		rebuilt, err := Build(t.Context(), s, b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = Open(t.Context(), Source{Graph: b.Folder}); err != nil {
			t.Fatal(err)
		}
		want.Graph.Name = got.Graph.Name
		sameGraph(t, got.Graph, want.Graph)
		if rebuilt.Nodes != built.Nodes || rebuilt.Edges != built.Edges || rebuilt.Listed != built.Listed || len(rebuilt.Notes) != len(built.Notes) {
			t.Errorf("of a folder: built %+v, want %+v", rebuilt, built)
		}
		if rebuilt, err = Build(t.Context(), s, b); err != nil || !rebuilt.Reused {
			t.Errorf("again: %+v (%v)", rebuilt, err)
		}
		if err := os.WriteFile(filepath.Join(s.Edges, "part-99."+name), []byte(parts["part-01."+name]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), s, b); err == nil || !strings.Contains(err.Error(), "built from other files") {
			t.Errorf("with a part more: %v", err)
		}
	})
}

// TestBuildErrors builds folders of files that are wrong in one way each: the errors, written by hand,
// name the file, and the line if one is at fault; and nothing is left, neither the folder nor unfinished work.
func TestBuildErrors(t *testing.T) {
	path := writeInputs(t, map[string]string{
		"unknown.tsv": "0\t1\n# remark\n1\t2\n", "unknown.csv": "0,1\n1,0\n0,7\n", "word.csv": "source,target\n0,1\n0,x1\n", "empty.csv": "a,b\nb,\n",
		"weights.csv": "source,target,weight\na,b,1\nb,c,-2\n", "point.csv": strings.Repeat("1.0,2.0\n", 1000) + "3,4.0\n", "none.tsv": "# nothing\n", "huge.csv": "a,b,3e38\na,b,3e38\n",
		"leading.csv": "0,1\n00,1\n", "x.csv": "1,2\n3,4\n", "labels.txt": "a\nb\nc\n", "ok.tsv": "0\t1\n", "e.npz": "",
	})
	for name, want := range map[string]struct {
		s    Source
		says string
	}{
		"number, list":  {Source{Edges: path("unknown.tsv"), Features: path("x.csv")}, `unknown.tsv:3: node "2", want 0 to 1`},
		"number, table": {Source{Edges: path("unknown.csv"), Features: path("x.csv")}, `unknown.csv:3: node "7", want 0 to 1`},
		"word":          {Source{Edges: path("word.csv"), Features: path("x.csv")}, `word.csv:3: node "x1", want 0 to 1`},
		"zeros":         {Source{Edges: path("leading.csv"), Features: path("x.csv")}, `leading.csv:2: node "00", want 0 to 1`},
		"missing":       {Source{Edges: path("empty.csv")}, "empty.csv:2: column 2 is empty: want the id of a node"},
		"weight":        {Source{Edges: path("weights.csv")}, `weights.csv:3: weight -2 in column "weight": want a positive finite number`},
		"sum":           {Source{Edges: path("huge.csv")}, "huge.csv: the weights of the edges between nodes 0 and 1 add up to 6e+38"},
		"point":         {Source{Edges: path("point.csv")}, `point.csv:1001: column 1: id "3": want all ids of the column with .0, or none`},
		"no edges":      {Source{Edges: path("none.tsv"), Features: path("x.csv")}, "none.tsv: no edges"},
		"no column":     {Source{Edges: path("weights.csv"), EdgeColumns: EdgeColumns{Weight: "size"}}, `no column "size": want one of`},
		"labels":        {Source{Edges: path("ok.tsv"), Features: path("x.csv"), Labels: path("labels.txt")}, "labels.txt: 3 labels: want 2"},
		"format":        {Source{Edges: path("e.npz")}, `e.npz: edges of type ".npz", want .csv or .edgelist`},
		"nodes":         {Source{Edges: path("ok.tsv"), Nodes: path("x.csv")}, "want no others"},
		"no file":       {Source{Edges: path("nowhere.tsv")}, "nowhere.tsv"},
	} {
		folder := filepath.Join(t.TempDir(), "g")
		_, err := Build(t.Context(), want.s, Building{Folder: folder, Memory: 100})
		if err == nil || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, want.says)
		}
		if files, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(files) > 0 {
			t.Errorf("%s: %v is left (%v)", name, files, err)
		}
	}
}

// TestBuildWarns: a warning of the reader of edges, here of the encoding, is among the notes that Build
// returns.
func TestBuildWarns(t *testing.T) {
	path := writeInputs(t, map[string]string{"e.csv": "source,target\nM\xfcller,b\n"})
	built, err := Build(t.Context(), Source{Edges: path("e.csv")}, Building{Folder: filepath.Join(t.TempDir(), "g")})
	if err != nil || len(built.Notes) != 1 || !strings.Contains(built.Notes[0], "read as Windows-1252") {
		t.Errorf("built %+v (%v)", built, err)
	}
}

// TestBuildFolderErrors builds from folders of edges that hold what they may not: the errors name the
// file in the folder, and no graph is left.
func TestBuildFolderErrors(t *testing.T) {
	for name, want := range map[string]struct {
		files map[string]string
		says  string
	}{
		"a line":     {map[string]string{"part-0.csv": "source,target\na,b\n", "part-1.csv": "source,target\na,b\nb,\n"}, "part-1.csv:3: column \"target\" is empty: want the id of a node"},
		"weights":    {map[string]string{"part-0.csv": "source,target,weight\na,b,1\n", "part-1.csv": "source,target\na,b\n"}, "part-1.csv:2: edges with weights in some files of"},
		"unfinished": {map[string]string{"part-0.csv": "a,b\n", "_temporary/0/x": ""}, "_temporary: what wrote the folder has not finished"},
		"a folder":   {map[string]string{"part-0.csv": "a,b\n", "year=1/part-0.csv": "a,b\n"}, "year=1: a folder in a folder of edges: want files alone"},
		"formats":    {map[string]string{"part-0.csv": "a,b\n", "part-1.tsv": "a\tb\n"}, "part-1.tsv: not in the format of part-0.csv"},
		"packed":     {map[string]string{"part-0.csv": "a,b\n", "part-1.csv.gz": "no gzip"}, "part-1.csv.gz"},
		"empty":      {map[string]string{"_SUCCESS": "", "part-0.csv": ""}, "no files: want one with edges at least"},
		"no edges":   {map[string]string{"part-0.csv": "source,target\n", "part-1.csv": "source,target\n"}, "no edges: want at least one"},
	} {
		dir := t.TempDir()
		edges := filepath.Join(dir, "edges")
		for file, text := range want.files {
			path := filepath.Join(edges, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		folder := filepath.Join(dir, "g")
		if _, err := Build(t.Context(), Source{Edges: edges}, Building{Folder: folder, Memory: 100}); err == nil || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, want.says)
		}
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder is left", name)
		}
	}
}

// TestBuildGoesOn: after an interrupt at the end of the edges, the same call goes on with the
// runs that are left, and does not sort those again. Another size of memory begins anew, and gives the graph
// that Open gives. A folder that was made in another way, or is no graph, is refused.
func TestBuildGoesOn(t *testing.T) {
	var text strings.Builder
	for k := range 50 {
		fmt.Fprintf(&text, "n%d,n%d\n", k%17, k%13)
	}
	path := writeInputs(t, map[string]string{"e.csv": text.String()})
	s := Source{Edges: path("e.csv")}
	dir := t.TempDir()
	b := Building{Folder: filepath.Join(dir, "g"), Memory: 200} // bytes: few edges in each run
	work := filepath.Join(dir, ".agekit-g.build")
	interrupted := func() {
		t.Helper()
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		b.Progress = func(e progress.Event) {
			if e.Total > 0 && e.Done == e.Total { // all edges are read; the last of them are not sorted
				interrupt()
			}
		}
		if _, err := Build(ctx, s, b); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want the interrupt", err)
		}
		b.Progress = nil
	}
	interrupted()
	runs, err := filepath.Glob(filepath.Join(work, "run-*"))
	if err != nil || len(runs) < 10 {
		t.Fatalf("%d runs are left (%v)", len(runs), err)
	}
	before, err := os.Stat(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	interrupted()
	if after, err := os.Stat(runs[0]); err != nil || !os.SameFile(before, after) {
		t.Errorf("the first run was written again (%v)", err)
	}
	b.Memory++ // makes other runs: begins anew
	if _, err := Build(t.Context(), s, b); err != nil {
		t.Fatal(err)
	}
	want, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Open(t.Context(), Source{Graph: b.Folder})
	if err != nil {
		t.Fatal(err)
	}
	sameGraph(t, got.Graph, want.Graph)
	if rebuilt, err := Build(t.Context(), s, b); err != nil || !rebuilt.Reused || rebuilt.Nodes != want.Graph.N() {
		t.Errorf("built again: %+v, error %v", rebuilt, err)
	}
	s.Header = new(bool) // says that there is no header, which was detected before
	if _, err := Build(t.Context(), s, b); err == nil || !strings.Contains(err.Error(), "is there already, built from other files") {
		t.Errorf("another way: error %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "other"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.Folder = filepath.Join(dir, "other")
	if _, err := Build(t.Context(), s, b); err == nil || !strings.Contains(err.Error(), "is there already, and no graph") {
		t.Errorf("a folder of something else: error %v", err)
	}
}

// TestBuildLacksFiles: where an earlier call says in read.json that all edges are sorted, but a file that it
// names is missing or cut, as after an error of the disk, the same call begins anew and gives the same graph
// as without the earlier one. A damaged read.json counts as none.
func TestBuildLacksFiles(t *testing.T) {
	path := writeInputs(t, map[string]string{"e.csv": "a,b\nb,c\nc,d\nd,a\n"})
	s := Source{Edges: path("e.csv")}
	for _, lost := range []string{idTextFile, idEndsFile, "run-000000", readFile} {
		for name, damage := range map[string]func(path string) error{
			"removed": os.Remove,
			"cut":     func(path string) error { return os.Truncate(path, 3) },
		} {
			dir := t.TempDir()
			b := Building{Folder: filepath.Join(dir, "g"), Memory: 1 << 20}
			// The folder of work as it is when all is sorted and nothing is merged.
			work := filepath.Join(dir, ".agekit-g.build")
			m := &folderMaker{ctx: t.Context(), s: s, b: b, work: work}
			var err error
			if m.parts, err = edgeFiles(s.Edges); err == nil {
				m.from, err = m.origin()
			}
			if err == nil {
				err = m.begin()
			}
			if err == nil {
				_, err = m.sort(0)
			}
			if err == nil {
				err = damage(filepath.Join(work, lost))
			}
			if err != nil {
				t.Fatal(err)
			}
			built, err := Build(t.Context(), s, b)
			if err != nil || built.Nodes != 4 || built.Edges != 4 {
				t.Errorf("%s %s: built %+v, error %v, want 4 nodes and 4 edges", lost, name, built, err)
			}
		}
	}
}

// TestBuildAtOnce: of four builds of one folder at once, one makes it, and the others wait and find it.
func TestBuildAtOnce(t *testing.T) {
	path := writeInputs(t, map[string]string{"e.csv": "a,b\nb,c\n"})
	b := Building{Folder: filepath.Join(t.TempDir(), "g")}
	there := make(chan bool)
	for range 4 {
		go func() {
			built, err := Build(t.Context(), Source{Edges: path("e.csv")}, b)
			if err != nil {
				t.Error(err)
			}
			there <- built != nil && built.Reused
		}()
	}
	made := 0
	for range 4 {
		if !<-there {
			made++
		}
	}
	if made != 1 {
		t.Errorf("%d builds made the folder, want 1", made)
	}
}
