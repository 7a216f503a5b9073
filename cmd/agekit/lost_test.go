package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// contents returns the files of a folder, and of the folders in it, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	testutil.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files[strings.TrimPrefix(path, dir)] = string(read(t, path))
		return nil
	}))
	return files
}

// ownTables writes a small graph as tables, with the names that runs give to their files.
func ownTables(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	nodes, edges := "id,a,b\n", "source,target\n"
	for i := range 24 {
		name := func(i int) string { return string(rune('a' + i)) }
		nodes += name(i) + "," + name(i%2) + "," + name(i%3) + "\n"
		edges += name(i) + "," + name((i+2)%24) + "\n" + name(i) + "," + name((i+4)%24) + "\n"
	}
	put(t, filepath.Join(dir, "nodes.csv"), nodes)
	put(t, filepath.Join(dir, "edges.csv"), edges)
	put(t, filepath.Join(dir, "labels.txt"), strings.Repeat("0\n1\n", 12))
	return dir
}

var quickRun = []string{"--clusters", "2", "--epochs", "2", "--dims", "8", "--no-auto", "--no-views", "--no-map"}

// TestNotReplaced: a file that no run wrote is neither replaced nor removed, whatever it is
// called, and the command ends before it begins.
func TestNotReplaced(t *testing.T) {
	isolate(t)
	t.Setenv(asProgram, "1") // the workers are this binary
	karate := testutil.Value(filepath.Abs("../../assets/examples/karate.graphml")).OrFatal(t)
	edges := []string{"--edges", "edges.csv"}
	for _, test := range []struct {
		name  string
		there []string // further files that no run wrote
		args  []string
		says  string // "" for a run that succeeds and leaves all files
	}{
		{"input", nil, []string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "."}, "labels.txt is there, and is not as a run wrote it"},
		{"labels", nil, []string{"fit", "--edges", "edges.csv", "--out", "."}, "labels.txt is there"},
		{"exports of no run", []string{"out/graph.graphml", "out/graph.gexf", "out/metadata.tsv", "out/tensors.tsv", "out/nodes.parquet"}, append([]string{"fit", "--out", "out"}, edges...), ""},
		{"export", []string{"out/graph.gexf"}, append([]string{"fit", "--out", "out", "--export", "gexf"}, edges...), "graph.gexf is there"},
		{"manifest", []string{"out/run.manifest.json"}, append([]string{"fit", "--out", "out"}, edges...), "run.manifest.json: changed since it was written"},
		{"sweep", []string{"out/sweep.csv"}, append([]string{"sweep", "--clusters", "2..3", "--out", "out"}, edges...), "sweep.csv is there"},
		{"reproduce", []string{"out/table3.md"}, []string{"reproduce", "table3", "--stored", "--out", "out"}, "table3.md is there"},
		{"temporary", []string{"out/.backup.tmp/important", "out/.editor.tmp", "out/.agekit-notes.tmp"}, append([]string{"fit", "--out", "out"}, edges...), ""},
		{"work", []string{"W/graph/important", "W/stages/important", "W/spark.log"}, append([]string{"fit", "--engine", "local", "--sample", "12", "--work", "W", "--out", "out"}, edges...), ""},
		{"default work", []string{"out.work/important"}, append([]string{"fit", "--engine", "local", "--sample", "12", "--out", "out"}, edges...), `holds "important", which agekit did not write`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := ownTables(t)
			t.Chdir(dir)
			for _, name := range test.there {
				testutil.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
				put(t, name, "important")
			}
			before := contents(t, dir)
			args := test.args
			if args[0] != "reproduce" {
				args = append(args, quickRun...)
			}
			if args[0] == "sweep" {
				args = []string{"sweep", "--clusters", "2..3", "--seeds", "1", "--epochs", "2", "--dims", "8", "--edges", "edges.csv", "--out", "out"}
			}
			code, _, stderr := age(t, args...)
			if wantCode := min(len(test.says), 1); code != wantCode || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, want %d and %q:\n%s", code, wantCode, test.says, stderr)
			}
			after := contents(t, dir)
			for name, content := range before {
				if after[name] != content {
					t.Errorf("%s was %q, is %q", name, content, after[name])
				}
			}
			if test.says != "" && !maps.Equal(before, after) {
				t.Errorf("files were written: %v", after)
			}
		})
	}
	t.Run("graph of a run's name", func(t *testing.T) {
		dir := t.TempDir()
		t.Chdir(dir)
		put(t, "graph.graphml", string(read(t, karate)))
		for range 2 { // the second run finds the files of the first
			succeeds(t, append([]string{"fit", "--dataset", "graph.graphml", "--out", "."}, quickRun...)...)
			if string(read(t, "graph.graphml")) != string(read(t, karate)) {
				t.Error("graph.graphml was replaced")
			}
		}
	})
}

// TestFileNotReplaced: a file that --out or --report names is replaced if the program wrote it and
// nobody has changed it since; any other is refused before the work begins.
func TestFileNotReplaced(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	succeeds(t, append([]string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "run"}, quickRun...)...)
	put(t, "new.csv", "id,a,b\nz,a,b\ny,b,c\n")
	refused := func(what, message string, args []string) {
		t.Helper()
		before := contents(t, dir)
		code, _, stderr := age(t, args...)
		if code != 1 || !strings.Contains(stderr, message) {
			t.Errorf("%s: exit %d and %s; want exit 1 and %q", what, code, stderr, message)
		}
		if !maps.Equal(before, contents(t, dir)) {
			t.Errorf("%s: files changed", what)
		}
	}
	for out, command := range map[string]string{
		"found.csv": "predict --model run/model.npz --nodes new.csv --out",
		"z.npy":     "embed --model run/model.npz --nodes new.csv --out",
		"z.parquet": "embed --model run/model.npz --nodes new.csv --out",
		"moved.tsv": "compare run run --out",
		"moved.csv": "compare run run --out",
		"report.md": "reproduce table3 --stored --out tables --report",
	} {
		args := append(strings.Fields(command), out)
		succeeds(t, args...)
		succeeds(t, args...) // which replaces the program's own file
		written := read(t, out)
		put(t, out, string(written)+"my note")
		refused(out+", changed", "the file moved away", args)
		put(t, out, written)

		manifest := out + ".manifest.json"
		list := read(t, manifest)
		put(t, manifest, "important")
		refused(out+", with a manifest of others", "the file moved away", args)
		testutil.NoError(t, os.Remove(manifest))
		refused(out+", without a manifest", "the file moved away", args)
		put(t, manifest, list)
	}
	refused("a file of the run", "which it would replace", strings.Fields("predict --model run/model.npz --nodes new.csv --out run/nodes.csv"))
}

// TestOldExports: an export of the run before goes with it, unless somebody has changed it.
func TestOldExports(t *testing.T) {
	isolate(t)
	t.Chdir(ownTables(t))
	fit := append([]string{"fit", "--edges", "edges.csv", "--out", "out"}, quickRun...)
	for _, step := range []struct {
		args    []string
		change  bool
		there   bool
		message string
	}{
		{append(fit, "--export", "gexf"), false, true, "written"},
		{fit, false, false, "removed by a run without it"},
		{append(fit, "--export", "gexf"), true, true, "written again, then changed"},
		{fit, false, true, "kept"},
	} {
		succeeds(t, step.args...)
		if _, err := os.Stat("out/graph.gexf"); (err == nil) != step.there {
			t.Errorf("%s: %v", step.message, err)
		}
		if step.change {
			put(t, "out/graph.gexf", "notes")
		}
	}
}

// TestOutputIsInput: an output that is an input, also by a link, is refused.
func TestOutputIsInput(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	fit := append([]string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "run"}, quickRun...)
	succeeds(t, fit...)
	for _, link := range []string{"link.csv", "hard.csv"} {
		if err := map[string]func(string, string) error{"link.csv": os.Symlink, "hard.csv": os.Link}[link]("nodes.csv", link); err != nil {
			t.Skip(err)
		}
	}
	before := contents(t, dir)
	for _, args := range [][]string{
		append([]string{"fit", "--nodes", "run/nodes.csv", "--edges", "edges.csv", "--out", "run"}, quickRun...),
		{"fit", "--config", "run/run.json", "--out", "run"},
		{"predict", "--model", "run/model.npz", "--nodes", "nodes.csv", "--out", "nodes.csv"},
		{"predict", "--model", "run/model.npz", "--nodes", "nodes.csv", "--out", "hard.csv"},
		{"predict", "--model", "run/model.npz", "--nodes", "link.csv", "--out", "nodes.csv"},
		{"embed", "--model", "run/model.npz", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "edges.csv"},
		{"compare", "run", "run", "--out", "run/nodes.csv"},
	} {
		code, _, stderr := age(t, args...)
		if code == 0 || !strings.Contains(stderr, "which it would replace") {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
		if !maps.Equal(before, contents(t, dir)) {
			t.Fatalf("%q: files have changed", args)
		}
	}
}

// TestNewFilesElsewhere: a folder of new files that is a link is not followed, also by
// commands that only read.
func TestNewFilesElsewhere(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	succeeds(t, append([]string{"fit", "--edges", "edges.csv", "--out", "run"}, quickRun...)...)
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, "important"), "important")
	if err := os.Symlink(elsewhere, "run/.agekit-new"); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"verify", "run"}, {"report", "run"}, {"compare", "run", "run"}} {
		code, _, stderr := age(t, args...)
		if code == 0 || !strings.Contains(stderr, ".agekit-new is a symbolic link") {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
		if string(read(t, filepath.Join(elsewhere, "important"))) != "important" {
			t.Fatalf("%q moved a file", args)
		}
	}
}
