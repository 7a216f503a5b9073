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

// contents returns the texts of the regular files below a folder, by their paths in it.
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

// ownTables writes a graph of 24 nodes and 48 edges to a new folder. Two of its files, nodes.csv and
// labels.txt, have the names of files that a run writes.
func ownTables(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	const n = 24
	name := func(i int) string { return string(rune('a' + i)) } // a letter
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

// quickRun are flags with which a run takes a moment.
var quickRun = []string{"--clusters", "2", "--epochs", "2", "--dims", "8", "--no-auto", "--no-views", "--no-map"}

// TestNotReplaced: a file that no run wrote is neither replaced nor removed, whatever its name. A command that
// would have to replace the file fails before it computes or writes anything; one that need not succeeds.
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
		args  []string // the command line
		says  string   // a piece of the error; "" for a run that succeeds and leaves the files as they are
	}{
		{name: "input", args: run("--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "."), says: "labels.txt is there, and is not as a run wrote it"},
		{name: "labels", args: run("--edges", "edges.csv", "--out", "."), says: "labels.txt is there"},
		{name: "exports of no run", there: []string{"out/graph.graphml", "out/graph.gexf", "out/metadata.tsv", "out/tensors.tsv", "out/nodes.parquet"}, args: run(append(edges, "--out", "out")...)},
		{name: "export", there: []string{"out/graph.gexf"}, args: run(append(edges, "--out", "out", "--export", "gexf")...), says: "graph.gexf is there"},
		{name: "manifest", there: []string{"out/run.manifest.json"}, args: run(append(edges, "--out", "out")...), says: "run.manifest.json: changed since it was written"},
		{name: "sweep", there: []string{"out/sweep.csv"}, args: sweep, says: "sweep.csv is there"},
		{name: "reproduce", there: []string{"out/table3.md"}, args: []string{"reproduce", "table3", "--stored", "--out", "out"}, says: "table3.md is there"},
		{name: "temporary", there: []string{"out/.backup.tmp/important", "out/.editor.tmp", "out/.agekit-notes.tmp"}, args: run(append(edges, "--out", "out")...)},
		{name: "work", there: []string{"W/graph/important", "W/stages/important", "W/spark.log"}, args: run(append(local, "--work", "W", "--out", "out")...)},
		{name: "default work", there: []string{"out.work/important"}, args: run(append(local, "--out", "out")...), says: `holds "important", which agekit did not write`},
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

// TestGraphNotReplaced: the graph that a run reads, in the folder of --out and under the name of an export,
// graph.graphml, stays as it is, also when a second run replaces the files of the first.
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

// TestFileNotReplaced: a command replaces the file that its --out or --report names if the program wrote the
// file and, by the manifest beside it, nobody has changed it since. A file that was changed, or has no
// manifest or another one, is refused, and so is a file of the run that is read: the exit code is 1, and no
// file changes.
func TestFileNotReplaced(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	succeeds(t, append([]string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--out", "run"}, quickRun...)...)
	put(t, "new.csv", "id,a,b\nz,a,b\ny,b,c\n")
	// refused checks that args fail with a message and change no file; what is the file, for errors.
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
	const advice = "the file moved away" // in the messages
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
		good := read(t, manifest)
		put(t, manifest, "important")
		refused(out+", with a manifest of others", advice, args)
		testutil.NoError(t, os.Remove(manifest))
		refused(out+", without a manifest", advice, args)
		put(t, manifest, good)
	}
	refused("a file of the run", "which it would replace", strings.Fields("predict --model run/model.npz --nodes new.csv --out run/nodes.csv"))
}

// TestOldExports: a run without --export removes the export that the run before wrote to the same folder,
// unless somebody has changed it.
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

// TestOutputIsInput: a command whose output is one of its inputs, by its path, a symbolic link or a hard
// link, fails before it writes: no file changes.
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

// TestNewFilesElsewhere: in the folder of a run, new files wait in a folder .agekit-new until all are
// written. If that is a link to another folder, commands fail, and move no file from there: also those that
// only read, which would finish an interrupted run.
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
