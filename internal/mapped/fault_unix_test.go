//go:build unix

package mapped

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// cut maps a new file of numbers, cuts it to some bytes, and returns the numbers, of which those behind are gone.
func cut(t *testing.T, size int, rest int64) (numbers []float32, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.f32")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if err := os.Truncate(path, rest); err != nil {
		t.Fatal(err)
	}
	return Numbers[float32](f.Bytes()), path
}

// TestGuard: reading what a mapped file had before it was cut is an error within Guard that says how long the file
// was and is, also where another guard has made an error of the fault first. Without a fault the error stays,
// and other panics and other faults go on.
func TestGuard(t *testing.T) {
	numbers, path := cut(t, 1<<20, 4096)
	last := func() float32 { return numbers[len(numbers)-1] }
	guarded := func(f func() error) (err error) {
		defer Guard(&err)()
		return f()
	}
	want := path + " has 4096 bytes, and had 1048576 when it was opened: the file changed while it was read"
	for name, f := range map[string]func() error{
		"a fault": func() error { return fmt.Errorf("%v", last()) },
		"made an error": func() (err error) {
			defer func() { err = fmt.Errorf("training: %w", recover().(error)) }()
			return fmt.Errorf("%v", last())
		},
	} {
		if err := guarded(f); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	if err := guarded(func() error { return os.ErrExist }); err != os.ErrExist {
		t.Errorf("error %v, want that of the function", err)
	}
	panicking := func(f func()) (r any) {
		defer func() { r = recover() }()
		_ = guarded(func() error { f(); return nil })
		return nil
	}
	if r := panicking(func() { panic("a mistake") }); r != "a mistake" {
		t.Errorf("%v, want the panic to go on", r)
	}
	var nothing *int
	if r := panicking(func() { *nothing = 1 }); r == nil || !strings.Contains(fmt.Sprint(r), "nil pointer") {
		t.Errorf("%v, want a nil pointer's panic to go on", r)
	}
}

// TestChanged: a mapped file that is written to, with the same size, has changed; one that another file
// replaces, or that is closed, has not.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	old := time.Now().Add(-time.Hour)
	open := map[string]*File{}
	for _, name := range []string{"same", "written", "replaced", "closed"} {
		err := errors.Join(os.WriteFile(path(name), []byte("1234"), 0o600), os.Chtimes(path(name), old, old))
		if err == nil {
			open[name], err = Open(path(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open["closed"].Close()
	err := errors.Join(os.WriteFile(path("written"), []byte("5678"), 0o600), os.WriteFile(path("closed"), []byte("5678"), 0o600),
		os.WriteFile(path("new"), []byte("5678"), 0o600), os.Rename(path("new"), path("replaced")))
	if err != nil {
		t.Fatal(err)
	}
	if got := Changed(); !slices.Equal(got, []string{path("written")}) {
		t.Errorf("changed %q, want the file that was written to", got)
	}
	if text := string(open["replaced"].Bytes()); text != "1234" {
		t.Errorf("%q, want the file as it was", text)
	}
	for _, name := range []string{"same", "written", "replaced"} {
		open[name].Close()
	}
}
