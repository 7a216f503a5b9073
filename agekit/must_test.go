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

// TestMustNamesTheLine runs this test binary as a program in which Must gets an error ([TestMain]). Must
// ends the program with exit code 1, after it has printed the error and the innermost line of package
// main, in the form in which GoNB recognizes a line. In a test binary, package main is the generated file
// _testmain.go, and that line is where its function main calls TestMain.
func TestMustNamesTheLine(t *testing.T) {
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), mistake+"=1")
	printed, err := program.CombinedOutput()
	wanted := regexp.MustCompile(`^no such graph\n\t\S*_testmain\.go:\d+\n$`)
	if program.ProcessState.ExitCode() != 1 || !wanted.Match(printed) {
		t.Errorf("%v, %q, want exit code 1 and %v", err, printed, wanted)
	}
}
