package files_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestCompareFile: what is said of differences that were made by hand.
func TestCompareFile(t *testing.T) {
	npy := func(values ...float32) string {
		var b bytes.Buffer
		testutil.NoError(t, files.WriteMatrix(&b, blas32.General{Rows: 1, Cols: len(values), Stride: len(values), Data: values}))
		return b.String()
	}
	archive := func(values ...float32) string {
		var b bytes.Buffer
		testutil.NoError(t, files.WriteArchive(&b, files.NamedArray{Name: "w", Value: values}))
		return b.String()
	}
	dir := t.TempDir()
	for _, c := range []struct {
		about, a, b string
		file        files.ManifestFile
		says        string
		same        bool
	}{
		{"same", "x\n", "x\n", files.ManifestFile{Path: "a.csv"}, files.SameBytes, true},
		{"numbers", "a,1\nb,2\n", "a,1.5\nb,2\n", files.ManifestFile{Path: "a.csv"}, "1 of 2 numbers differ, by at most 0.5", false},
		{"words", "a,1\nb,2\n", "a,1\nc,2\n", files.ManifestFile{Path: "a.csv"}, "8 bytes instead of 8, which differ in more than their numbers", false},
		{"lines", "1\n", "1\n2\n", files.ManifestFile{Path: "labels.txt"}, "4 bytes instead of 2, which differ in more than their numbers", false},
		{"bytes", "\xff\x00\x01", "\xff\x01", files.ManifestFile{Path: "a.png"}, "2 bytes instead of 3, which differ in more than their numbers", false},
		{"matrix", npy(1, 2, 3), npy(1, 2.25, 4), files.ManifestFile{Path: "a.npy"}, "2 of 3 numbers differ, by at most 1", false},
		{"matrix of another size", npy(1, 2), npy(1), files.ManifestFile{Path: "a.npy"}, "132 bytes instead of 136, which differ in more than their numbers", false},
		{"archive", archive(1, 2), archive(1, 3), files.ManifestFile{Path: "a.npz"}, "1 of 2 numbers differ, by at most 1", false},
		{"times", `{"seconds": {"a": 1}, "auto": [{"seconds": 1}], "n": 3}`, `{"seconds": {"a": 2}, "auto": [{"seconds": 7}], "n": 3}`, files.ManifestFile{Path: "run.json", Timed: true}, files.SameResults, true},
		{"more than times", `{"seconds": 1, "n": 3}`, `{"seconds": 2, "n": 4}`, files.ManifestFile{Path: "run.json", Timed: true}, "1 of 1 numbers differ, by at most 1", false},
		{"results", `{"hash": "h", "seconds": 1, "code": "x", "s": 1}` + "\n" + `{"hash": "i"}`, `{"hash": "h", "seconds": 2, "s": 1}`, files.ManifestFile{Path: "r.jsonl", Timed: true, Grows: true, Sum: files.Sum{Bytes: 1000}}, files.SameResults, true},
		{"another result", `{"hash": "h", "s": 1}`, `{"hash": "h", "s": 2}`, files.ManifestFile{Path: "r.jsonl", Timed: true}, "1 of 1 numbers differ, by at most 1", false},
		{"a new result", `{"hash": "h"}`, `{"hash": "i"}`, files.ManifestFile{Path: "r.jsonl", Timed: true}, "results that are not in the first run", false},
		{"no result", `{"hash": "h"}`, ``, files.ManifestFile{Path: "r.jsonl", Timed: true}, "the second run has no results", false},
		{"a log", "1 s\n", "2 s\n", files.ManifestFile{Path: "log.txt", Timed: true}, files.NotCompared, true},
	} {
		one, other := filepath.Join(dir, "one"), filepath.Join(dir, "other")
		for path, content := range map[string]string{one: c.a, other: c.b} {
			testutil.NoError(t, os.WriteFile(path, []byte(content), 0o666))
		}
		says, same, err := files.CompareFile(one, other, c.file)
		if err != nil || says != c.says || same != c.same {
			t.Errorf("%s: %q, %v, %v; want %q, %v", c.about, says, same, err, c.says, c.same)
		}
	}
}
