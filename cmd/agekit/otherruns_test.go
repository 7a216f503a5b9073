package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOtherRunNotReplaced: predict, embed and compare do not write over a file of another run, whichever of its
// files it is, and say which manifest lists it.
func TestOtherRunNotReplaced(t *testing.T) {
	isolate(t)
	dir := ownTables(t)
	t.Chdir(dir)
	fit := slices.Concat([]string{"fit", "--nodes", "nodes.csv", "--edges", "edges.csv", "--export", "parquet"}, quickRun)
	for _, out := range []string{"run1", "run2"} {
		succeeds(t, append(fit, "--out", out)...)
	}
	put(t, "new.csv", "id,a,b\nz,a,b\ny,b,c\n")
	before := contents(t, dir)
	for _, args := range []string{
		"predict --model run1/model.npz --nodes new.csv --out run2/nodes.csv",
		"predict --model run1/model.npz --nodes new.csv --out run2/../run2/nodes.parquet",
		"embed --model run1/model.npz --nodes new.csv --out run2/embeddings.npy",
		"compare run1 run1 --out run2/nodes.csv",
		"compare run1 run2 --out run1/nodes.parquet",
	} {
		code, _, stderr := age(t, strings.Fields(args)...)
		if code != 1 || !strings.Contains(stderr, "belongs to the results that run.manifest.json lists: want another name") {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
		if !maps.Equal(before, contents(t, dir)) {
			t.Fatalf("%s: files have changed", args)
		}
	}
}

// TestPageNotReplaced: agekit report writes over no page but its own, by default or by --out.
func TestPageNotReplaced(t *testing.T) {
	isolate(t)
	t.Chdir(ownTables(t))
	succeeds(t, slices.Concat([]string{"fit", "--edges", "edges.csv", "--out", "run"}, quickRun)...)
	const mine = "<p>my own page"
	for page, args := range map[string][]string{
		"run/report.html": {"report", "run"},
		"thesis.html":     {"report", "run", "--out", "thesis.html"},
	} {
		put(t, page, mine)
		code, _, stderr := age(t, args...)
		if code != 1 || !strings.Contains(stderr, "is not as agekit report wrote it: want another name, or the file moved away") {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
		if got := string(read(t, page)); got != mine {
			t.Errorf("%s is %.60q now", page, got)
		}
	}
	args := []string{"report", "run", "--out", "page.html"}
	succeeds(t, args...)
	succeeds(t, args...) // in place of its own page
}

// TestNotebooksNotReplaced: agekit walkthrough writes no notebook over one that it runs, unless it is asked to.
func TestNotebooksNotReplaced(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "1_good.ipynb")
	put(t, source, string(read(t, "testdata/1_good.ipynb")))
	before := contents(t, dir)
	code, _, stderr := age(t, "walkthrough", "--dir", dir, "--out", dir)
	if code != 1 || !strings.Contains(stderr, "which it would replace") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if !maps.Equal(before, contents(t, dir)) {
		t.Error("files have changed")
	}
}
