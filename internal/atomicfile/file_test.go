package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary act as a process that is killed while it writes: with
// OUTPUT_TEST_HANG, it runs hang instead of the tests.
func TestMain(m *testing.M) {
	if path := os.Getenv("OUTPUT_TEST_HANG"); path != "" {
		hang(path)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// hang writes half of what belongs at path, by the function that OUTPUT_TEST_WAY names, prints "half",
// and hangs.
func hang(path string) {
	half := func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		os.Stdout.WriteString("half\n")
		time.Sleep(time.Minute)
		return nil
	}
	switch os.Getenv("OUTPUT_TEST_WAY") {
	case "file":
		_ = Write(path, half)
	case "folder":
		if f, err := LockFolder(path); err == nil {
			_ = f.Write(noContext, map[string]func(io.Writer) error{"a": half}, nil)
		}
	case "tree":
		_ = WriteTree(noContext, path, nil, func(dir string) error {
			f, err := os.Create(filepath.Join(dir, "a"))
			if err != nil {
				return err
			}
			return half(f)
		})
	}
}

// startWriter starts a process that hangs in the middle of writing path: a file, a folder or a tree, as
// way says. kill kills it.
func startWriter(t *testing.T, way, path string) (kill func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "OUTPUT_TEST_HANG="+path, "OUTPUT_TEST_WAY="+way)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "half\n" {
		t.Fatalf("the writer said %q (%v)", line, err)
	}
	return func() {
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil {
			t.Fatal("the writer was not killed")
		}
	}
}

// names returns the names of what is in a folder, sorted.
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

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

// text returns a function that writes s, the content of a file.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// TestFile: Write creates and replaces a file, given by its path or by its name in the current folder,
// with the permissions of any new file, and leaves no other file.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "labels.txt")
	for _, content := range []string{"one\n", "", strings.Repeat("long ", 100000)} {
		if err := Write(path, text(content)); err != nil {
			t.Fatal(err)
		}
		wantContent(t, path, content)
	}
	t.Chdir(dir)
	if err := Write("labels.txt", text("here")); err != nil {
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
	wantNames(t, dir, "labels.txt", "plain")
}

// TestFileFailure: after an error or a panic of the function that writes, the old file is unchanged and
// no other is left. A path at which no regular file can be is an error that names the path.
func TestFileFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more weights")
	err := Write(path, func(w io.Writer) error {
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
		_ = Write(path, func(io.Writer) error { panic("shape") })
	}()
	wantContent(t, path, "old")
	wantNames(t, dir, "model")

	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err) // needs a privilege on Windows
	}
	for bad, says := range map[string]string{
		filepath.Join(dir, "none", "model"): "",
		filepath.Join(path, "model"):        "",
		dir:                                 "is a folder: want a regular file",
		link:                                "is a symbolic link: want",
		os.DevNull:                          "is a device: want",
	} {
		if err := Write(bad, text("x")); err == nil || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", bad, err, says)
		}
	}
	wantContent(t, path, "old")
	wantNames(t, dir, "link", "model")
	wantNames(t, filepath.Dir(dir), filepath.Base(dir))
}

// TestKilledFile: what a killed writer leaves behind is removed by the next
// writer of that file, and by Clean; what a live one writes is not.
func TestKilledFile(t *testing.T) {
	if !locksTemp {
		t.Skip("here, temporary files are removed by their age")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	for way, next := range map[string]func(){
		"next writer": func() {
			if err := Write(path, text("old")); err != nil {
				t.Error(err)
			}
		},
		"Clean": func() { Clean(dir, "") },
	} {
		kill := startWriter(t, "file", path)
		wantContent(t, path, "old")
		next()
		if got := names(t, dir); len(got) != 2 {
			t.Errorf("%s: %q, want the file and the live writer's", way, got)
		}
		kill()
		next()
		wantContent(t, path, "old")
		wantNames(t, dir, "model")
	}
}

// TestFilesAtOnce: many writers of one file, each of which cleans up first, do not remove each other's
// temporary files: all succeed, and leave the file alone.
func TestFilesAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	var writers sync.WaitGroup
	for range 16 {
		writers.Go(func() {
			for range 100 {
				if err := Write(path, text("new")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	wantContent(t, path, "new")
	wantNames(t, dir, "model")
}
