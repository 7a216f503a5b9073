package provenance_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// writeManifest returns a new folder with three files and their manifest, run.manifest.json.
func writeManifest(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folder := testutil.Value(atomicfile.LockFolder(dir)).OrFatal(t)
	defer folder.Close()
	outputs := map[string]func(io.Writer) error{"a.csv": atomicfile.Bytes([]byte("id,x\n1,2\n")), "b.bin": atomicfile.Bytes([]byte{0, 255}), "empty": atomicfile.Bytes(nil)}
	m := provenance.Manifest{Command: "fit", Settings: map[string]any{"seed": 1}, Code: []string{"c"}, Seeds: []uint64{1}, Graphs: map[string]string{"<g>": "f"}}
	testutil.NoError(t, m.Write(t.Context(), folder, "run", outputs))
	return dir
}

// badFiles returns the names of the files in dir that Verify finds changed or missing.
func badFiles(t *testing.T, dir string) []string {
	t.Helper()
	v := testutil.Value(provenance.Verify(t.Context(), dir)).OrFatal(t)
	return v.Bad()
}

// TestEveryByte flips a bit in each byte of each file, also of the manifest: Verify finds each flip, and names
// exactly the file that has it. It finds nothing before and after.
func TestEveryByte(t *testing.T) {
	dir := writeManifest(t)
	if got := badFiles(t, dir); got != nil {
		t.Fatalf("untouched files: %q", got)
	}
	for _, name := range []string{"a.csv", "b.bin", "run.manifest.json"} {
		path := filepath.Join(dir, name)
		whole := testutil.Value(os.ReadFile(path)).OrFatal(t)
		for k := range whole {
			flipped := slices.Clone(whole)
			flipped[k] ^= 1 << (k % 8)
			testutil.NoError(t, os.WriteFile(path, flipped, 0o666))
			if got := badFiles(t, dir); !slices.Equal(got, []string{name}) {
				t.Fatalf("byte %d of %s: %q", k, name, got)
			}
		}
		testutil.NoError(t, os.WriteFile(path, whole, 0o666))
	}
	if got := badFiles(t, dir); got != nil {
		t.Errorf("mended files: %q", got)
	}
}

// TestStates: Verify says which files are as they were, missing, appended to or added. Of a file that may grow,
// only the bytes that were there count. An output in another folder is an error, and so is a folder
// without a manifest.
func TestStates(t *testing.T) {
	dir := writeManifest(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	appendTo := func(name string) {
		f, err := os.OpenFile(path(name), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
		if err == nil {
			_, err = f.WriteString("more")
		}
		testutil.NoError(t, errors.Join(err, f.Close()))
	}
	appendTo("empty")
	appendTo("report.html")
	os.Remove(path("b.bin"))
	v := testutil.Value(provenance.Verify(t.Context(), dir)).OrFatal(t)
	want := []provenance.Finding{
		{File: "a.csv", State: "ok"},
		{File: "b.bin", State: "missing"},
		{File: "empty", State: "changed", Detail: "4 bytes, want 0"},
		{File: "report.html", State: "unlisted"},
		{File: "run.manifest.json", State: "ok"},
	}
	if !slices.Equal(v.Files, want) {
		t.Errorf("%v, want %v", v.Files, want)
	}
	wasEmpty := checksum.File{Path: "a.csv", Sum: checksum.Of(nil), Grows: true}
	if f, err := provenance.CheckFile(t.Context(), dir, wasEmpty); err != nil || f.State != provenance.FileOK {
		t.Errorf("a file that grew: %v, %v", f, err)
	}
	if _, err := provenance.CheckFile(t.Context(), dir, checksum.File{Path: "../a.csv"}); err == nil {
		t.Error("an output in another folder is accepted")
	}
	testutil.Value(provenance.Verify(t.Context(), t.TempDir())).Fails(t, "has no file *.manifest.json")
}
