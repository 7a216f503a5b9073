package testutil

// This part helps the tests of what notebooks call and say.

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/kernels"
)

// NotebookMain is the TestMain of a package with notebooks: it runs the tests on the native backend
// with a new store, so that they do not find results of earlier versions, and ends the program.
func NotebookMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "agekit-test-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		os.Setenv("AGEKIT_STORE", dir)
		os.Setenv("AGEKIT_BACKEND", "native")
		return m.Run()
	}())
}

// NotebookCells returns the texts of the cells whose type is kind, "code" or "markdown", in the
// notebooks whose paths match pattern ([filepath.Glob]), in order. A pattern that matches no notebook
// ends the test.
func NotebookCells(t *testing.T, pattern, kind string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("notebooks %s: files %v, error %v", pattern, paths, err)
	}
	var texts []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct {
			Cells []struct {
				Type   string `json:"cell_type"`
				Source []string
			}
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, c := range notebook.Cells {
			if c.Type == kind {
				texts = append(texts, strings.Join(c.Source, ""))
			}
		}
	}
	return texts
}

// Jupyter returns the project's folder. It skips the test if `make jupyter tools` has
// not been run there; with AGEKIT_REQUIRE_JUPYTER set, the test fails instead.
func Jupyter(t *testing.T) (root string) {
	t.Helper()
	root, err := kernels.ProjectRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := kernels.CheckSetup(root, "agekit"); err != nil {
		if os.Getenv("AGEKIT_REQUIRE_JUPYTER") != "" {
			t.Fatalf("AGEKIT_REQUIRE_JUPYTER is set: %v", err)
		}
		t.Skipf("NO NOTEBOOK IS RUN: %v", err)
	}
	return root
}

// Chromium returns the path of a Chromium, Chrome or Edge: that of AGEKIT_CHROMIUM, or one on the
// PATH. Without one it skips the test.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("AGEKIT_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "microsoft-edge"} {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return path
		}
	}
	t.Skip("NO PAGE IS SHOWN: no Chromium, Chrome or Edge on the PATH, and none in AGEKIT_CHROMIUM")
	return ""
}
