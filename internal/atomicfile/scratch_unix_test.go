//go:build unix

package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPlantedPipe: a pipe, or a link to one, in place of the mark of a scratch folder or of a file to lock
// blocks nothing. The folder stays, and locking the pipe is an error.
func TestPlantedPipe(t *testing.T) {
	temp := useTemp(t)
	planted, linked := filepath.Join(temp, "agekit-test-pipe"), filepath.Join(temp, "agekit-test-link")
	pipe := filepath.Join(planted, ownerFile)
	for _, dir := range []string{planted, linked} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, filepath.Join(linked, ownerFile)); err != nil {
		t.Fatal(err)
	}
	makeOld(t, planted)
	makeOld(t, linked)
	done := make(chan error, 3)
	go func() {
		_, remove, err := ScratchFolder("agekit-test-")
		if err == nil {
			remove()
		}
		done <- err
		for _, path := range []string{pipe, filepath.Join(linked, ownerFile)} {
			_, err := LockFile(path)
			done <- err
		}
	}()
	for _, want := range []string{"", "is a pipe: want a regular file or a folder", "is a pipe: want a regular file or a folder"} {
		select {
		case err := <-done:
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("error %v, want %q", err, want)
			}
		case <-time.After(time.Minute): // only a test that fails waits
			t.Fatal("blocked by a pipe")
		}
	}
	wantNames(t, temp, "agekit-test-link", "agekit-test-pipe")
}
