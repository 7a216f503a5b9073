package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/kernels"
)

func TestKernelCommands(t *testing.T) {
	prefix := t.TempDir()
	data := filepath.Join(prefix, "share", "jupyter")
	t.Setenv("JUPYTER_PATH", data)
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())

	if code, out, errs := age(t, "kernel", "install", "--prefix", prefix); code != 0 {
		t.Fatalf("install: exit %d\n%s%s", code, out, errs)
	}
	code, out, errs := age(t, "kernel", "list", "--json")
	var listed []kernels.Kernel
	if err := json.Unmarshal([]byte(out), &listed); err != nil || code != 0 {
		t.Fatalf("list: exit %d, %v\n%s%s", code, err, out, errs)
	}
	root, err := kernels.ProjectRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, k := range listed {
		found[k.Name] = found[k.Name] || k.Dir == filepath.Join(data, "kernels", k.Name) && k.Root == root
	}
	if !found["agekit"] || !found["agekit-xla"] {
		t.Errorf("list: %s", out)
	}
	code, out, _ = age(t, "kernel", "remove", "--prefix", prefix)
	if code != 0 || strings.Count(out, "removed ") != 2 {
		t.Errorf("remove: exit %d\n%s", code, out)
	}
	if left, _ := os.ReadDir(filepath.Join(data, "kernels")); len(left) != 0 {
		t.Errorf("remove left %v", left)
	}
	if code, out, _ = age(t, "kernel", "remove", "--prefix", prefix); code != 0 || !strings.Contains(out, "no kernels in") {
		t.Errorf("second remove: exit %d\n%s", code, out)
	}
}
