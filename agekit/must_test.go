package agekit

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// mistake is the variable with which this test binary ends like a cell with an error.
const mistake = "AGEKIT_TEST_MISTAKE"

func TestMain(m *testing.M) {
	if os.Getenv(mistake) != "" {
		Check(nil)
		load := func() (int, error) { return 0, errors.New("no such graph") }
		Must(load())
	}
	testutil.NotebookMain(m)
}

// TestMustNamesTheLine: an error in Must ends the program with exit code 1. It prints the error
// and the innermost line of package main in the form in which GoNB recognizes it. In this test
// binary, that is the line on which the generated function main calls TestMain.
func TestMustNamesTheLine(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), mistake+"=1")
	out, err := c.CombinedOutput()
	if said := regexp.MustCompile(`^no such graph\n\t\S*_testmain\.go:\d+\n$`); c.ProcessState.ExitCode() != 1 || !said.Match(out) {
		t.Errorf("%v, %q, want exit code 1 and %v", err, out, said)
	}
}
