package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// makeOld sets the time of a folder back by an hour, so that it is not young.
func makeOld(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
}

// useTemp makes a new folder the one for temporary files, and returns it.
func useTemp(t *testing.T) string {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // of Windows
	return temp
}

// TestScratch: ScratchFolder removes an old folder that it created and no process locks, whatever is in it,
// but neither one of a live owner nor any that it did not create: without our mark, with the mark of
// another folder, as a copy has it, with a link for the mark, or with another prefix. The owner's function
// removes a folder.
func TestScratch(t *testing.T) {
	temp := useTemp(t)
	others := map[string]string{ // the content of the mark by the name of the folder
		"agekit-test-copy":  "agekit's scratch folder agekit-test-1\n",
		"agekit-test-empty": "",
		"agekit-test-mine":  "none", // has no such file
		"others-1":          "agekit's scratch folder others-1\n",
	}
	for name, mark := range others {
		dir := filepath.Join(temp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := ownerFile
		if mark == "none" {
			file = "thesis.txt"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(mark), 0o600); err != nil {
			t.Fatal(err)
		}
		makeOld(t, dir)
	}
	keep := []string{"agekit-test-copy", "agekit-test-empty", "agekit-test-mine", "others-1"}

	// An abandoned folder: its owner has ended without removing it.
	abandoned := filepath.Join(temp, "agekit-test-1")
	if err := os.MkdirAll(filepath.Join(abandoned, "deep", "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(abandoned, ownerFile), []byte("agekit's scratch folder agekit-test-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	makeOld(t, abandoned)

	first, remove, err := ScratchFolder("agekit-test-")
	if err != nil {
		t.Fatal(err)
	}
	makeOld(t, first)
	second, removeSecond, err := ScratchFolder("agekit-test-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(abandoned); !os.IsNotExist(err) {
		t.Errorf("%s: %v: want it removed", abandoned, err)
	}
	for _, dir := range []string{first, second} {
		if !isScratch(dir) {
			t.Errorf("%s is gone, or not known again as ours", dir)
		}
	}
	remove()
	removeSecond()
	wantNames(t, temp, keep...)
}
