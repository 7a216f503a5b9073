package kernels

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOwnProject: a program belongs to the project in whose folder it lies, also if a link elsewhere leads to it.
// One elsewhere belongs to none, also if the current folder looks like the project.
func TestOwnProject(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	root, elsewhere := filepath.Join(dir, "root"), filepath.Join(dir, "elsewhere")
	program, link, other := filepath.Join(root, ".bin", "agekit"), filepath.Join(elsewhere, "link"), filepath.Join(elsewhere, "agekit")
	err = errors.Join(err, os.MkdirAll(filepath.Dir(program), 0o755), os.Mkdir(elsewhere, 0o755),
		os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/agekit/age\n"), 0o644),
		os.WriteFile(program, nil, 0o755), os.WriteFile(other, nil, 0o755), os.Symlink(program, link))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for _, path := range []string{program, link} {
		if got, err := projectOf(path); got != root || err != nil {
			t.Errorf("%s: project %q (%v), want %s", path, got, err, root)
		}
	}
	if got, err := projectOf(other); err == nil {
		t.Errorf("%s: project %q, want none", other, got)
	}
}
