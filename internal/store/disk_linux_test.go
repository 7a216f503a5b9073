package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyFolder: in a folder without write permission, Put returns an error that names the
// folder, Stored finds what is there, and Cached returns a result that it cannot store, and logs
// that once.
func TestReadOnlyFolder(t *testing.T) {
	s, logged := open(t)
	put(t, s, testKey, 7)
	for d := s.Dir; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(d, 0o755)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Geteuid() == 0 {
			// Root may write anywhere. On Linux, the user as whom files are
			// opened is a property of the thread. This thread is never
			// unlocked, so it ends with the goroutine.
			runtime.LockOSThread()
			const nobody = 65534
			if err := syscall.Setfsuid(nobody); err != nil {
				t.Error(err)
				return
			}
		}
		if err := Put(s, testKey, 8); err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(err.Error(), s.Dir) {
			t.Errorf("error %v, want permission denied and the path", err)
		}
		if v, ok := Stored[int](s, testKey); !ok || v != 7 {
			t.Errorf("%v %v from a read-only store", v, ok)
		}
		if v, hit, err := Cached(s, NewKey("new", 1), func() (int, error) { return 9, nil }); v != 9 || hit || err != nil {
			t.Errorf("%v %v %v for a result that can't be kept", v, hit, err)
		}
	}()
	<-done
	if len(*logged) != 1 {
		t.Errorf("logged %q, want one message", *logged)
	}
	if got := entryNames(t, s.Dir); len(got) != 1 {
		t.Errorf("files %v, want one", got)
	}
}
