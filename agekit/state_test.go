package agekit

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// An error ends the program with the line of its own code, in the form in which
// GoNB recognizes it.
func TestMustNamesTheLine(t *testing.T) {
	file, err := filepath.Abs("testdata/mistake/main.go")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", "-tags", "noxla", file).CombinedOutput()
	if want := "no such graph\n\t" + file + ":13\nexit status 1\n"; err == nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}
