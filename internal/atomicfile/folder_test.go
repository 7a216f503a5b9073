package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agekit/age/internal/checksum"
)

var noContext = context.Background()

// lockFolder opens the folder dir by LockFolder, or ends the test.
func lockFolder(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// set returns the files a, b and c, which all hold the same text.
func set(content string) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{"a": text(content), "b": text(content), "c": text(content)}
}

// wantSet fails the test unless the files a, b and c in dir hold that text.
func wantSet(t *testing.T, dir, content string) {
	t.Helper()
	for name := range set("") {
		wantContent(t, filepath.Join(dir, name), content)
	}
}

// TestFolder: files are created and replaced together, others in the folder stay, and a folder that is
// open cannot be opened once more.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := lockFolder(t, dir)
	if _, err := LockFolder(dir); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("second lock: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"one", "two"} {
		if err := f.Write(t.Context(), set(content), nil); err != nil {
			t.Fatal(err)
		}
		wantSet(t, dir, content)
	}
	f.Close()
	f = lockFolder(t, dir)
	f.Close()
	wantNames(t, dir, "a", "b", "c", "other")
}

// TestFolderFailure: an error in the content of one file, and a folder or a link in place of a file,
// are errors that leave all old files; Check says the latter beforehand.
func TestFolderFailure(t *testing.T) {
	dir := t.TempDir()
	f := lockFolder(t, dir)
	defer f.Close()
	if err := f.Write(t.Context(), set("old"), nil); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more weights")
	files := set("new")
	files["b"] = func(io.Writer) error { return failure }
	if err := f.Write(t.Context(), files, nil); !errors.Is(err, failure) || !strings.Contains(err.Error(), filepath.Join(dir, "b")) {
		t.Errorf("error %v", err)
	}
	wantSet(t, dir, "old")
	wantNames(t, dir, "a", "b", "c")
	for what, take := range map[string]func(path string) error{
		"a folder":        func(path string) error { return os.Mkdir(path, 0o700) },
		"a symbolic link": func(path string) error { return os.Symlink(filepath.Join(dir, "a"), path) },
	} {
		path := filepath.Join(dir, "c")
		if err := errors.Join(os.Remove(path), take(path)); err != nil {
			t.Skip(err)
		}
		for _, err := range []error{f.Check("a", "b", "c"), f.Write(t.Context(), set("new"), nil)} {
			if err == nil || !strings.Contains(err.Error(), path+" is "+what+": want a regular file or nothing there") {
				t.Errorf("%s: error %v", what, err)
			}
		}
		wantContent(t, filepath.Join(dir, "a"), "old")
		wantNames(t, dir, "a", "b", "c")
	}
}

// TestOldFiles: files that are to be removed go when the new ones come, also if the process was killed
// in between. A name in the list that leads out of the folder is passed over.
func TestOldFiles(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	f := lockFolder(t, inner)
	for _, files := range []map[string]func(io.Writer) error{set("old"), {"d": Bytes([]byte("new"))}} {
		if err := f.Write(t.Context(), files, nil, "a", "c", "never there"); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	wantNames(t, inner, "b", "d")
	// What a process leaves that is killed before it removes b and moves e.
	for path, content := range map[string]string{
		filepath.Join(dir, "outside"):            "",
		filepath.Join(inner, newFiles, oldNames): "b\n../outside",
		filepath.Join(inner, newFiles, "e"):      "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := FinishFolder(inner); err != nil {
		t.Fatal(err)
	}
	wantNames(t, inner, "d", "e")
	wantNames(t, dir, "inner", "outside")
}

// TestKilledFolder: the folder of a process that writes is busy. Once the process was killed, the old
// files are there, and the next to open the folder removes the rest.
func TestKilledFolder(t *testing.T) {
	dir := t.TempDir()
	f := lockFolder(t, dir)
	if err := f.Write(t.Context(), set("old"), nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	kill := startWriter(t, "folder", dir)
	if _, err := LockFolder(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("the folder of a live writer: %v", err)
	}
	kill()
	wantSet(t, dir, "old")
	f = lockFolder(t, dir)
	defer f.Close()
	wantNames(t, dir, "a", "b", "c")
}

// TestFinish: where a process was killed while it moved new files into place, after any number of
// them, the next one to open the folder moves the rest.
func TestFinish(t *testing.T) {
	for moved := range 4 { // of the three files
		dir := t.TempDir()
		f := lockFolder(t, dir)
		if err := f.Write(t.Context(), set("old"), nil); err != nil {
			t.Fatal(err)
		}
		f.Close()
		from := filepath.Join(dir, newFiles)
		if err := os.Mkdir(from, 0o700); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"a", "b", "c"} {
			path := filepath.Join(from, name)
			if k < moved {
				path = filepath.Join(dir, name)
			}
			if err := os.WriteFile(path, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f = lockFolder(t, dir)
		f.Close()
		wantSet(t, dir, "new")
		wantNames(t, dir, "a", "b", "c")
	}
}

// errKilled is the error of each step after those of killAfter.
var errKilled = errors.New("killed")

// killAfter lets the next renames and removals of files, `last` of them, succeed, and makes all later
// ones fail, as if the process were no more. It returns the count of steps that were tried, which
// grows.
func killAfter(t *testing.T, last int) (steps *int) {
	t.Helper()
	t.Cleanup(func() { rename, remove = os.Rename, os.Remove })
	steps = new(int)
	alive := func() bool { *steps++; return *steps <= last }
	rename = func(from, target string) error {
		if !alive() {
			return errKilled
		}
		return os.Rename(from, target)
	}
	remove = func(path string) error {
		if !alive() {
			return errKilled
		}
		return os.Remove(path)
	}
	return steps
}

// TestEachStep: a process that ends at any step while it replaces a run by another leaves, once
// the folder is opened again, all files of the old run or all of the new one, and nothing else;
// so does one that ends while it finishes the work of such a process.
func TestEachStep(t *testing.T) {
	// The old run has the files a, b and c, the new one a, b and d; both have their list, run.
	listOf := func(text string) *Listing {
		return &Listing{"run", func([]checksum.File) ([]byte, error) { return []byte(text), nil }}
	}
	newFiles := map[string]func(io.Writer) error{"a": text("new"), "b": text("new"), "d": text("new")}
	contents := func(dir string) string {
		all := ""
		for _, name := range []string{"a", "b", "c", "d", "run"} {
			content, _ := os.ReadFile(filepath.Join(dir, name))
			all += string(content) + " "
		}
		return all
	}
	const oldRun, newRun = "old old old  old ", "new new  new new "

	const forever = math.MaxInt
	found := map[string]int{} // how often the folder held a run in the end
	// Each process dies one step later than in the round before, until it does not die.
	for first, firstSteps := 0, 1; first <= firstSteps; first++ {
		for second, secondSteps := 0, 1; second <= secondSteps; second++ {
			dir := t.TempDir()
			killAfter(t, forever)
			f := lockFolder(t, dir)
			if err := f.Write(t.Context(), set("old"), listOf("old")); err != nil || contents(dir) != oldRun {
				t.Fatal(contents(dir), err)
			}

			steps := killAfter(t, first)
			err := f.Write(t.Context(), newFiles, listOf("new"), "c", "gone")
			firstSteps = max(firstSteps, *steps)
			if survived := first >= *steps; survived != (err == nil) || err != nil && !errors.Is(err, errKilled) {
				t.Fatalf("step %d of %d: %v", first, *steps, err)
			}
			f.Close()

			steps = killAfter(t, second)
			if err := FinishFolder(dir); err != nil && !errors.Is(err, errKilled) {
				t.Errorf("step %d, then %d: %v", first, second, err)
			}
			secondSteps = *steps

			killAfter(t, forever)
			if err := FinishFolder(dir); err != nil {
				t.Errorf("step %d, then %d: %v", first, second, err)
			}
			run := contents(dir)
			found[run]++
			switch run {
			case oldRun:
				wantNames(t, dir, "a", "b", "c", "run")
			case newRun:
				wantNames(t, dir, "a", "b", "d", "run")
			default:
				t.Errorf("step %d, then %d: files %q, want those of one run", first, second, run)
			}
		}
	}
	// A process that dies after the folder is renamed leaves the new run: before the steps that
	// remove two old files and their list, move four new ones and remove the empty folder.
	const least = 9
	if found[oldRun] == 0 || found[newRun] < least {
		t.Errorf("runs left: %v, want the old one and %d times the new one", found, least)
	}
}

// TestWait: writers that wait for each other never mix their files. A wait that is interrupted is an
// error, and calls the function that says so once.
func TestWait(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	for k := range 8 {
		writers.Go(func() {
			f, err := WaitForFolder(t.Context(), dir, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			if err := f.Write(t.Context(), set(fmt.Sprint(k)), nil); err != nil {
				t.Error(err)
			}
			wantSet(t, dir, fmt.Sprint(k))
		})
	}
	writers.Wait()
	wantNames(t, dir, "a", "b", "c")

	f := lockFolder(t, dir)
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	waits := 0
	if _, err := WaitForFolder(ctx, dir, func() { waits++; cancel() }); !errors.Is(err, context.Canceled) || waits != 1 {
		t.Errorf("%d waits, error %v", waits, err)
	}
}

// TestTree: a call of WriteTree that fails leaves nothing. Another process begins to fill the folder
// and is killed. Of two calls at that time, the first waits for that process and fills the folder,
// and the second finds it.
func TestTree(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "plugin")
	failure := errors.New("no network")
	if err := WriteTree(t.Context(), path, nil, func(string) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	wantNames(t, parent)
	kill := startWriter(t, "tree", path)
	time.AfterFunc(100*time.Millisecond, kill) // while the first call waits
	waited, filled := 0, 0
	for range 2 {
		if err := WriteTree(t.Context(), path, func() { waited++ }, func(dir string) error {
			filled++
			return os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if waited != 1 || filled != 1 {
		t.Errorf("waited %d times, filled %d, want once each", waited, filled)
	}
	wantContent(t, filepath.Join(path, "file"), "content")
	wantNames(t, parent, "plugin")
}

// TestOthersFiles: files and folders whose names only look like temporary ones stay, while abandoned
// temporary folders are removed. Where the folder of new files should be, a link, a file, and a
// folder with a folder in it are refused.
func TestOthersFiles(t *testing.T) {
	dir := t.TempDir()
	others := []string{".backup.tmp", ".editor.tmp", ".agekit-notes.tmp", ".a.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp", ".agekit-a.short.tmp"}
	for _, name := range others {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "a"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".tmp", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	abandoned := []string{tempName(dir, "a"), tempName(dir, "new")}
	for _, path := range abandoned {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	Clean(dir, "")
	lockFolder(t, dir).Close()
	for _, name := range others {
		for _, path := range []string{filepath.Join(dir, name, "a"), filepath.Join(dir, name+".tmp")} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
	}
	for _, path := range abandoned {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}

	elsewhere, newFolder := t.TempDir(), filepath.Join(dir, newFiles)
	if err := os.WriteFile(filepath.Join(elsewhere, "a"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, make := range map[string]func() error{
		"is a symbolic link": func() error { return os.Symlink(elsewhere, newFolder) },
		"is a regular file":  func() error { return os.WriteFile(newFolder, nil, 0o600) },
		"is a folder":        func() error { return os.MkdirAll(filepath.Join(newFolder, "a"), 0o700) },
	} {
		if err := make(); err != nil {
			t.Skip(err)
		}
		_, lockErr := LockFolder(dir)
		for _, err := range []error{lockErr, FinishFolder(dir)} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, want one that says %q", err, says)
			}
		}
		if err := os.RemoveAll(newFolder); err != nil {
			t.Fatal(err)
		}
	}
	wantContent(t, filepath.Join(elsewhere, "a"), "old")
}

// TestDistinct: CheckDistinct finds an output that is an input, by name, by a hard link and by a
// symbolic one, and accepts other files and paths where nothing is.
func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(path("a"), nil, 0o600), os.WriteFile(path("b"), nil, 0o600), os.Link(path("a"), path("hard")), os.Symlink(path("a"), path("soft"))); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		out, in string
		same    bool
	}{{"a", "a", true}, {"hard", "a", true}, {"soft", "a", true}, {"a", "soft", true}, {"b", "a", false}, {"new", "a", false}, {"a", "new", false}} {
		if err := CheckDistinct([]string{path(test.out)}, []string{path("b2"), path(test.in)}); (err != nil) != test.same {
			t.Errorf("%v: %v", test, err)
		}
	}
}

// TestWorkspace: a workspace is made, taken up again, and removed with all that is in it. A folder with
// files of somebody else is refused, and RemoveWorkspace leaves it.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "new", "work")
	for range 2 {
		if err := Workspace(work); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(work, "stages", "1"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveWorkspace(work); err != nil {
		t.Fatal(err)
	}
	wantNames(t, filepath.Dir(work))
	if err := os.MkdirAll(filepath.Join(work, "stages"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Workspace(work); err == nil || !strings.Contains(err.Error(), `holds "stages", which agekit did not write`) {
		t.Error(err)
	}
	if err := RemoveWorkspace(work); err != nil {
		t.Error(err)
	}
	wantNames(t, work, "stages")
}

// TestOthersInStickyFolder: in a folder such as /tmp, new files of another user are neither moved nor is what they
// list removed; those of this user are.
func TestOthersInStickyFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	dir := t.TempDir()
	pending := filepath.Join(dir, newFiles)
	if err := errors.Join(os.Chmod(dir, 0o777|os.ModeSticky), os.Mkdir(pending, 0o777), os.WriteFile(filepath.Join(pending, oldNames), []byte("mine"), 0o666),
		os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666), os.Chown(pending, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if _, err := LockFolder(dir); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine")); err != nil {
		t.Error(err)
	}
	if err := os.Chown(pending, 0, 0); err != nil {
		t.Fatal(err)
	}
	lockFolder(t, dir)
	if _, err := os.Stat(pending); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("own files are left: %v", err)
	}
}
