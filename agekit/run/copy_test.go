package run

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// TestCopy: a copy has the files of the run without its exports, and verifies. A file of another run is an error,
// as are a folder without a manifest and a target with a file of others, and nothing is written then; files of
// others beside the run are neither copied nor touched.
func TestCopy(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	testutil.NoError(t, fitted(t).Save(t.Context(), from, "gexf"))
	folder := func(dir string) map[string]string {
		files := map[string]string{}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
			files[e.Name()] = string(text)
		}
		return files
	}
	put := func(path, text string) { testutil.NoError(t, os.WriteFile(path, []byte(text), 0o666)) }
	put(filepath.Join(from, "mine.txt"), "mine")
	for range 2 { // the second time in place of the first
		testutil.NoError(t, Copy(t.Context(), from, to, false))
	}
	want := folder(from)
	delete(want, "graph.gexf")
	delete(want, "mine.txt")
	got := folder(to)
	delete(got, "run.manifest.json") // which lists other files
	delete(want, "run.manifest.json")
	if !maps.Equal(got, want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	verify := func() {
		t.Helper()
		v := testutil.Value(provenance.Verify(t.Context(), to)).OrFatal(t)
		if bad := v.Bad(); bad != nil || v.Manifests[0].Command != "" {
			t.Errorf("%q, %+v", bad, v.Manifests)
		}
	}
	verify()

	put(filepath.Join(from, "log.txt"), "of another run")
	before := folder(to)
	testutil.Fails(t, Copy(t.Context(), from, to, false), "log.txt is not as the run of run.manifest.json wrote it: want the files of one run")
	testutil.Fails(t, Copy(t.Context(), t.TempDir(), to, true), "has no run.manifest.json: want the folder that")
	if !maps.Equal(before, folder(to)) {
		t.Error("files changed")
	}
	put(filepath.Join(from, "python.npz"), "further")
	testutil.NoError(t, Copy(t.Context(), from, to, true))
	if got := folder(to); got["log.txt"] != "of another run" || got["python.npz"] != "further" {
		t.Errorf("%q", got["log.txt"])
	}
	verify()
	put(filepath.Join(to, "labels.txt"), "mine")
	testutil.Fails(t, Copy(t.Context(), from, to, true), "labels.txt is there, and is not as a run wrote it")
}

// fitted returns a run that has no model.
func fitted(t *testing.T) *Run {
	t.Helper()
	return testutil.Value(Fit(t.Context(), plantedData(t), &Options{Own: fake{cluster: func(i int) int { return i % 3 }, number: true}})).OrFatal(t)
}

// TestCopyBusy: while a process has the target open, Copy waits, and then goes on.
func TestCopyBusy(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), t.TempDir()
	testutil.NoError(t, fitted(t).Save(t.Context(), from))
	busy := testutil.Value(atomicfile.LockFolder(to)).OrFatal(t)
	done := make(chan error, 1)
	go func() { done <- Copy(t.Context(), from, to, false) }()
	if _, err := os.Stat(filepath.Join(to, "run.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("written while another process has the folder: %v", err)
	}
	busy.Close()
	testutil.NoError(t, <-done)
}
