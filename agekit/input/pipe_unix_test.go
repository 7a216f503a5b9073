//go:build unix

package input

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a pipe that nobody writes to is not waited for.
func TestPipe(t *testing.T) {
	files := folder(t, "0\t1\n", "x.csv", []byte("1,2\n3,4\n"), "a\nb\n")
	path := filepath.Join(t.TempDir(), "pipe.txt")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	for _, part := range []*string{&files.Edges, &files.Labels} {
		whole := *part
		*part = path
		if _, err := openGraphOf(t.Context(), files); err == nil || !strings.Contains(err.Error(), "pipe.txt is a pipe: want a regular file") {
			t.Errorf("error %v", err)
		}
		*part = whole
	}
}
