package store

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyFolder writes into a folder without write permission.
func TestReadOnlyFolder(t *testing.T) {
	s, logged := open(t)
	put(t, s, testKey, 7)
	for d := s.Dir(); strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
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
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		if err := Put(s, testKey, 8); err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(err.Error(), s.Dir()) {
			t.Errorf("error %v, want permission denied and the path", err)
		}
		if v, ok := Get[int](s, testKey); !ok || v != 7 {
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
	if got := names(t, s.Dir()); len(got) != 1 {
		t.Errorf("files %v, want one", got)
	}
}

// TestFullDisk simulates running out of disk space in the middle of a write by
// a limit on the file size.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv("STORE_TEST_FULL"); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := Put(s, testKey, make([]byte, 90_000)); err != nil {
			t.Fatal(err)
		}
		path := s.path(testKey)
		err = Put(s, testKey, make([]byte, 1_000_000))
		if err == nil || !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Fatalf("error %v, want one that names the file", err)
		}
		if v, ok := Get[[]byte](s, testKey); !ok || len(v) != 90_000 {
			t.Fatalf("%d bytes, %v: the old entry is gone", len(v), ok)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Fatalf("files %v, want one", got)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), "STORE_TEST_FULL="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
}
