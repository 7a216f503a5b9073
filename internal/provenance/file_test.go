package provenance_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// TestOtherResults: a file that another manifest of the folder lists is not replaced, by whatever command, and a
// file that the manifest of the same name lists is.
func TestOtherResults(t *testing.T) {
	dir := writeManifest(t) // with a.csv
	testutil.NoError(t, provenance.CheckReplaceable(t.Context(), dir, "run", "a.csv"))
	testutil.Fails(t, provenance.CheckReplaceable(t.Context(), dir, "a.csv", "a.csv"), "a.csv belongs to the results that run.manifest.json lists")
	testutil.Value(provenance.NewFile(t.Context(), "predict", filepath.Join(dir, "a.csv"))).Fails(t, "belongs to the results")
	if bad := badFiles(t, dir); bad != nil {
		t.Errorf("changed: %q", bad)
	}
}

// TestOtherCase: where a file system doesn't tell case, A.CSV is a.csv, which the manifest lists; elsewhere it is
// a file of somebody else.
func TestOtherCase(t *testing.T) {
	dir := writeManifest(t)
	if _, err := os.Stat(filepath.Join(dir, "A.CSV")); err == nil {
		testutil.NoError(t, provenance.CheckReplaceable(t.Context(), dir, "run", "A.CSV"))
		return
	}
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "A.CSV"), []byte("id,x\n1,2\n"), 0o666))
	testutil.Fails(t, provenance.CheckReplaceable(t.Context(), dir, "run", "A.CSV"), "is not as a run wrote it")
}

// TestFilesAtOnce: processes that write one file at once, each with its manifest, leave the file and the manifest
// of one of them, and no temporary files.
func TestFilesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "p.csv") // in a folder that is created
	for range 6 {
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				write, err := provenance.NewFile(t.Context(), "predict", path)
				if err == nil {
					err = write(atomicfile.Bytes([]byte(strings.Repeat("x", k))))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if bad := badFiles(t, filepath.Dir(path)); bad != nil {
			t.Fatalf("changed: %q", bad)
		}
		m := testutil.Value(provenance.Read(path + provenance.Extension)).OrFatal(t)
		if m.Command != "predict" || len(m.Outputs) != 1 {
			t.Errorf("%+v", m)
		}
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 2 {
		t.Errorf("left: %q", names)
	}
}

// TestFileHalfWritten: whatever of the two a killed process had not moved yet, the next one moves, and then
// replaces both.
func TestFileHalfWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.csv")
	save := func(content string) {
		t.Helper()
		write := testutil.Value(provenance.NewFile(t.Context(), "predict", path)).OrFatal(t)
		testutil.NoError(t, write(atomicfile.Bytes([]byte(content))))
	}
	for _, moved := range []string{"", "p.csv", "p.csv.manifest.json"} {
		t.Run(fmt.Sprintf("moved %q", moved), func(t *testing.T) {
			// A pair of an earlier run, and a newer one of which only the file `moved` is in place.
			pending := filepath.Join(dir, ".agekit-new")
			save("new")
			text := testutil.Value(os.ReadFile(path + provenance.Extension)).OrFatal(t)
			save("old")
			testutil.NoError(t, errors.Join(os.Mkdir(pending, 0o777), os.WriteFile(filepath.Join(pending, "p.csv"), []byte("new"), 0o666),
				os.WriteFile(filepath.Join(pending, "p.csv.manifest.json"), text, 0o666)))
			if moved != "" {
				testutil.NoError(t, os.Rename(filepath.Join(pending, moved), filepath.Join(dir, moved)))
			}
			write := testutil.Value(provenance.NewFile(t.Context(), "predict", path)).OrFatal(t)
			if m := testutil.Value(provenance.Read(path + provenance.Extension)).OrFatal(t); m.Outputs[0].Sum != checksum.Of([]byte("new")) {
				t.Errorf("%+v", m.Outputs)
			}
			if got := string(testutil.Value(os.ReadFile(path)).OrFatal(t)); got != "new" {
				t.Errorf("%q", got)
			}
			testutil.NoError(t, write(atomicfile.Bytes([]byte("newest"))))
		})
	}
}

// entries returns the names of what is in a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range testutil.Value(os.ReadDir(dir)).OrFatal(t) {
		names = append(names, e.Name())
	}
	return names
}
