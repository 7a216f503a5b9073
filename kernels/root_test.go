//go:build unix

package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRoot: the project is found from a folder below it. A parent folder of another user is
// refused, unless the search starts in it; so is a go.mod that never ends. Only root can give a
// folder to another user.
func TestRoot(t *testing.T) {
	const otherUser = 12345
	root := t.TempDir()
	below := filepath.Join(root, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(root, "go.mod")
	if err := os.WriteFile(mod, []byte("module github.com/agekit/age\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := ProjectRoot(below); got != root || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(root, otherUser, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := ProjectRoot(below); err == nil || !strings.Contains(err.Error(), "belongs to user 12345: want user 0 or root") {
			t.Errorf("another user's folder: error %v", err)
		}
		if got, err := ProjectRoot(root); got != root || err != nil {
			t.Errorf("the folder itself: %q, %v", got, err)
		}
	}
	if err := os.Remove(mod); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", mod); err != nil {
		t.Fatal(err)
	}
	if _, err := ProjectRoot(below); err == nil {
		t.Error("an endless go.mod was read")
	}
}
