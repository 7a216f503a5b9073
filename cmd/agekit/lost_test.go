package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// contents returns the texts of the files in a folder, and in the folders in it, by path.
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
	const n = 24
	name := func(i int) string { return string(rune('a' + i)) }
	nodes, edges := "id,a,b\n", "source,target\n"
	for i := range n {
		nodes += fmt.Sprintf("%s,%s,%s\n", name(i), name(i%2), name(i%3))
		for _, step := range []int{2, 4} {
			edges += fmt.Sprintf("%s,%s\n", name(i), name((i+step)%n))
		}
	}
	put(t, filepath.Join(dir, "nodes.csv"), nodes)
	put(t, filepath.Join(dir, "edges.csv"), edges)
	put(t, filepath.Join(dir, "labels.txt"), strings.Repeat("0\n1\n", n/2))
	return dir
}

// quickRun are the settings of a run of a moment.
var quickRun = []string{"--clusters", "2", "--epochs", "2", "--dims", "8", "--no-auto", "--no-views", "--no-map"}

// TestNotReplaced: a file that no run wrote is neither replaced nor removed, whatever it is
// called, and the command ends before it begins.
func TestNotReplaced(t *testing.T) {
	isolate(t)
	t.Setenv(asProgram, "1") // the workers are this binary
	edges := []string{"--edges", "edges.csv"}
	run := func(args ...string) []string { return slices.Concat([]string{"fit"}, args, quickRun) }
	sweep := []string{"sweep", "--clusters", "2..3", "--seeds", "1", "--epochs", "2", "--dims", "8", "--edges", "edges.csv", "--out", "out"}
	local := append([]string{"--engine", "local", "--sample", "12"}, edges...)
	for _, test := range []struct {
		name  string
		there []string // files that no run wrote, beside those of ownTables
		args  []string
		says  string // "" for a run that succeeds and leaves these files
	}{
		{"input", nil, run("--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "."), "labels.txt is there, and is not as a run wrote it"},
		{"labels", nil, run("--edges", "edges.csv", "--out", "."), "labels.txt is there"},
		{"exports of no run", []string{"out/graph.graphml", "out/graph.gexf", "out/metadata.tsv", "out/tensors.tsv", "out/nodes.parquet"}, run(append(edges, "--out", "out")...), ""},
		{"export", []string{"out/graph.gexf"}, run(append(edges, "--out", "out", "--export", "gexf")...), "graph.gexf is there"},
		{"manifest", []string{"out/run.manifest.json"}, run(append(edges, "--out", "out")...), "run.manifest.json: changed since it was written"},
		{"sweep", []string{"out/sweep.csv"}, sweep, "sweep.csv is there"},
		{"reproduce", []string{"out/table3.md"}, []string{"reproduce", "table3", "--stored", "--out", "out"}, "table3.md is there"},
		{"temporary", []string{"out/.backup.tmp/important", "out/.editor.tmp", "out/.agekit-notes.tmp"}, run(append(edges, "--out", "out")...), ""},
		{"work", []string{"W/graph/important", "W/stages/important", "W/spark.log"}, run(append(local, "--work", "W", "--out", "out")...), ""},
		{"default work", []string{"out.work/important"}, run(append(local, "--out", "out")...), `holds "important", which agekit did not write`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := ownTables(t)
			t.Chdir(dir)
			for _, name := range test.there {
				put(t, name, "important")
			}
			before := contents(t, dir)
			code, _, stderr := age(t, test.args...)
			after := contents(t, dir)
			for name, content := range before {
				if after[name] != content {
					t.Errorf("%s was %q, is %q", name, content, after[name])
				}
			}
			if test.says == "" {
				if code != 0 {
					t.Errorf("exit %d:\n%s", code, stderr)
				}
				return
			}
			if code != 1 || !strings.Contains(stderr, test.says) {
				t.Errorf("exit %d, want 1 and %q:\n%s", code, test.says, stderr)
			}
			if !maps.Equal(before, after) {
				t.Errorf("files were written: %v", after)
			}
		})
	}
}

// TestGraphNotReplaced: an input that has the name of an export stays, also where the run before is
// replaced.
func TestGraphNotReplaced(t *testing.T) {
	isolate(t)
	karate := string(read(t, "../../assets/examples/karate.graphml"))
	t.Chdir(t.TempDir())
	put(t, "graph.graphml", karate)
	for range 2 { // the second run finds the files of the first
		succeeds(t, append([]string{"fit", "--dataset", "graph.graphml", "--out", "."}, quickRun...)...)
		if string(read(t, "graph.graphml")) != karate {
			t.Error("graph.graphml was replaced")
		}
	}
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
	const advice = "the file moved away"
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
		succeeds(t, args...) // a file that the program wrote is replaced
		written := read(t, out)
		put(t, out, string(written)+"my note")
		refused(out+", changed", advice, args)
		put(t, out, written)

		manifest := out + ".manifest.json"
		list := read(t, manifest)
		put(t, manifest, "important")
		refused(out+", with a manifest of others", advice, args)
		testutil.NoError(t, os.Remove(manifest))
		refused(out+", without a manifest", advice, args)
		put(t, manifest, list)
	}
	refused("a file of the run", "which it would replace", strings.Fields("predict --model run/model.npz --nodes new.csv --out run/nodes.csv"))
}

// TestOldExports: an export of the run before goes with it, unless somebody has changed it.
func TestOldExports(t *testing.T) {
	isolate(t)
	t.Chdir(ownTables(t))
	const export = "out/graph.gexf"
	fit := append([]string{"fit", "--edges", "edges.csv", "--out", "out"}, quickRun...)
	fitWithExport := append(slices.Clone(fit), "--export", "gexf")
	exists := func() bool { _, err := os.Stat(export); return err == nil }

	succeeds(t, fitWithExport...)
	if !exists() {
		t.Error("--export writes nothing")
	}
	succeeds(t, fit...)
	if exists() {
		t.Error("the export of the run before is still there")
	}
	succeeds(t, fitWithExport...)
	put(t, export, "notes")
	succeeds(t, fit...)
	if !exists() || string(read(t, export)) != "notes" {
		t.Error("an export that was changed is gone")
	}
}

// TestOutputIsInput: an output that is an input, also by a link, is refused, and no file changes.
func TestOutputIsInput(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	fit := append([]string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "run"}, quickRun...)
	succeeds(t, fit...)
	if err := errors.Join(os.Symlink("nodes.csv", "link.csv"), os.Link("nodes.csv", "hard.csv")); err != nil {
		t.Skip(err)
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
