package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"github.com/agekit/age/kernels"
)

// TestKernelCommands: agekit kernel install puts the two kernels into the Python environment of --prefix;
// kernel list finds them there, by Jupyter's own variables, with the project's folder; kernel remove leaves
// none, and has nothing to remove a second time.
func TestKernelCommands(t *testing.T) {
	prefix := t.TempDir()
	data := filepath.Join(prefix, "share", "jupyter")
	t.Setenv("JUPYTER_PATH", data)
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())

	succeeds(t, "kernel", "install", "--prefix", prefix)
	listed := asJSON[[]kernels.Kernel](t, "kernel", "list")
	root := testutil.Value(kernels.ProjectRoot(".")).OrFatal(t)
	found := map[string]bool{} // the kernels that are where install puts them
	for _, k := range listed {
		if k.Dir == filepath.Join(data, "kernels", k.Name) && k.Root == root {
			found[k.Name] = true
		}
	}
	if !found["agekit"] || !found["agekit-xla"] {
		t.Errorf("list: %+v", listed)
	}
	code, out, _ := age(t, "kernel", "remove", "--prefix", prefix)
	if code != 0 || strings.Count(out, "removed ") != 2 {
		t.Errorf("remove: exit %d\n%s", code, out)
	}
	if folders, _ := os.ReadDir(filepath.Join(data, "kernels")); len(folders) != 0 {
		t.Errorf("remove left %v", folders)
	}
	if code, out, _ = age(t, "kernel", "remove", "--prefix", prefix); code != 0 || !strings.Contains(out, "no kernels in") {
		t.Errorf("second remove: exit %d\n%s", code, out)
	}
}
