package main

import (
	"io"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestPythonSettings: python/agekit/_settings.py is what the program makes of its settings; with -update, the
// file is written.
func TestPythonSettings(t *testing.T) {
	const path = "../../python/agekit/_settings.py"
	want := testutil.Value(pythonSettings(newParser(io.Discard, io.Discard, func(int) {}).Model, allSettings)).OrFatal(t)
	if *update {
		put(t, path, want)
	}
	if string(read(t, path)) != want {
		t.Errorf("%s has other settings than the program; to write it again: go test ./cmd/agekit -run TestPythonSettings -update", path)
	}
}
