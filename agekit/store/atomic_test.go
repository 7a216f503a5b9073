package store

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary act as a process that is killed or runs out of
// disk space while it writes.
func TestMain(m *testing.M) {
	if path := os.Getenv("STORE_TEST_HANG"); path != "" {
		_ = WriteFileAtomic(path, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
			os.Stdout.WriteString("half\n")
			time.Sleep(time.Minute)
			return nil
		})
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

func writeString(path, text string) error {
	return WriteFileAtomic(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func TestWriteFileAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "labels.txt")
	for _, text := range []string{"one\n", "", strings.Repeat("long ", 100000)} {
		if err := writeString(path, text); err != nil {
			t.Fatal(err)
		}
		wantContent(t, path, text)
	}
	t.Chdir(dir)
	if err := writeString("labels.txt", "here"); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "here")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(path)
	if b, _ := os.Stat(plain); a.Mode() != b.Mode() {
		t.Errorf("mode %v, want that of any new file, %v", a.Mode(), b.Mode())
	}
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("files %v, want two", got)
	}
}

func TestWriteFileAtomicFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	if err := writeString(path, "old"); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more weights")
	err := WriteFileAtomic(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<17)); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want %q and the path", err, failure)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		_ = WriteFileAtomic(path, func(io.Writer) error { panic("shape") })
	}()
	wantContent(t, path, "old")
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files %v, want the old one only", got)
	}

	for name, bad := range map[string]string{
		"folder missing": filepath.Join(dir, "none", "model"),
		"file as folder": filepath.Join(path, "model"),
		"a folder":       dir,
	} {
		if err := writeString(bad, "x"); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: error %v, want one that names %s", name, err, bad)
		}
	}
	if got := names(t, filepath.Dir(dir)); len(got) != 1 {
		t.Errorf("files %v next to the folder", got)
	}
}

// TestKilledWriter kills a process in the middle of a write.
func TestKilledWriter(t *testing.T) {
	s, _ := open(t)
	path := filepath.Join(s.Dir(), "checkpoint")
	if err := writeString(path, "old"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "STORE_TEST_HANG="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(out).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || line != "half\n" {
		t.Fatalf("writer said %q (%v) and ended with %v", line, readErr, err)
	}

	wantContent(t, path, "old")
	left := names(t, s.Dir())
	if len(left) != 2 {
		t.Fatalf("files %v, want the old one and a leftover", left)
	}
	if size, err := s.Size(); size != 0 || err != nil {
		t.Errorf("the leftover counts as an entry: %d bytes, %v", size, err)
	}

	// A recent temporary file might belong to an active writer.
	reopened := func() {
		if _, err := Open(s.Dir()); err != nil {
			t.Fatal(err)
		}
	}
	reopened()
	if got := names(t, s.Dir()); len(got) != 2 {
		t.Errorf("files %v: a recent temporary file is gone", got)
	}
	old := time.Now().Add(-2 * staleAfter)
	for _, name := range left {
		if err := os.Chtimes(filepath.Join(s.Dir(), name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	reopened()
	if got := names(t, s.Dir()); len(got) != 1 || got[0] != "checkpoint" {
		t.Errorf("files %v, want the checkpoint only", got)
	}
}
