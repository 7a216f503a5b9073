package agekit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// An error ends the program with the line of its own code, in the form in which
// GoNB recognizes it.
func TestMustNamesTheLine(t *testing.T) {
	file := testutil.Value(filepath.Abs("testdata/mistake/main.go")).OrFatal(t)
	run := exec.Command("go", "run", "-buildvcs=false", "-tags", "noxla", file)
	run.Env = append(os.Environ(), "CGO_ENABLED=0") // as cells are built, so that it is compiled once
	out, err := run.CombinedOutput()
	if want := "no such graph\n\t" + file + ":13\nexit status 1\n"; err == nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}
