package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReportRunsNothing: agekit report of a notebook runs no program of the current folder or the one above,
// though it looks like the project's. With --project, it runs that one's.
func TestReportRunsNothing(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	ran := path("ran")
	put(t, path("go.mod"), "module github.com/agekit/age\n")
	put(t, path(".venv", "bin", "python"), "#!/bin/sh\n: >'"+ran+"'\nexit 1\n")
	put(t, path("talk.ipynb"), emptyNotebook)
	put(t, path("below", "a"), "")
	if err := os.Chmod(path(".venv", "bin", "python"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "below"} {
		t.Chdir(path(folder))
		refuses(t, 2, "report "+path("talk.ipynb"), map[string]string{
			"":                           "this program is in no checkout of agekit",
			"--project=" + path("below"): "want the folder where go.mod says github.com/agekit/age",
		})
		if _, err := os.Stat(ran); err == nil {
			t.Fatalf("in %s: .venv/bin/python of the folder was run", folder)
		}
	}
	_, _, errs := age(t, "report", path("talk.ipynb"), "--project", dir)
	if _, err := os.Stat(ran); err != nil {
		t.Error("--project: .venv/bin/python of the project was not run: " + errs)
	}
}
