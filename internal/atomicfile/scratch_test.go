package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestScratch: ScratchFolder removes an old folder with its prefix that no process locks, but neither
// one of a live owner nor one with another prefix. The owner's function removes a folder.
func TestScratch(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // of Windows
	abandoned, other := filepath.Join(temp, "agekit-test-1"), filepath.Join(temp, "others-1")
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{abandoned, other} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	first, remove, err := ScratchFolder("agekit-test-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := ScratchFolder("agekit-test-")
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, temp, filepath.Base(min(first, second)), filepath.Base(max(first, second)), "others-1")
	remove()
	removeSecond()
	wantNames(t, temp, "others-1")
}
