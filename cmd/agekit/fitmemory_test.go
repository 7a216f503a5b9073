package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/system"
)

// TestFitMemory: with --memory 64MB, the smoothed features are in a scratch file, as the log says, and the
// result has the same bytes as without a limit. The limit ends with the command: the environment variable
// that would pass it on is not set.
func TestFitMemory(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	run := func(out string, args ...string) (log string) {
		t.Helper()
		args = append([]string{
			"fit", "--dataset", "planted:n=70000,f=80,classes=3", "--no-auto", "--epochs", "2", "--dims", "16", "--layers", "3", "--sample", "300",
			"--no-views", "--no-map", "--verbose", "--out", filepath.Join(dir, out),
		}, args...)
		_, log = succeeds(t, args...)
		return log
	}
	if log := run("much"); strings.Contains(log, "scratch file") {
		t.Errorf("a scratch file without --memory: %s", log)
	}
	if log := run("little", "--memory", "64MB"); !strings.Contains(log, "smoothed features take 22 MB, in a scratch file") {
		t.Errorf("no scratch file with --memory 64MB: %s", log)
	}
	for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz"} {
		if !bytes.Equal(read(t, filepath.Join(dir, "much", file)), read(t, filepath.Join(dir, "little", file))) {
			t.Errorf("%s has other bytes with little memory", file)
		}
	}
	if v, ok := os.LookupEnv(system.MemoryVariable); ok {
		t.Errorf("$%s is still %s", system.MemoryVariable, v)
	}
}
