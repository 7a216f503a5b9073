package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// The names that a Folder uses for itself, beside temporary ones for newFiles.
const (
	newFiles    = ".agekit-new" // the complete new files, which are then moved into place
	oldNames    = ".agekit-old" // in newFiles: the names of files to remove, one on a line
	permissions = 0o777
)

// rename and remove are variables for tests, which end the work at each of their calls.
var rename, remove = os.Rename, os.Remove

// Folder is a folder in which one process at a time replaces files together.
type Folder struct {
	dir    string
	unlock func()
}

// LockFolder opens a folder, which it creates if necessary, and finishes the work of a process
// that was killed. It returns [ErrBusy] if another process has the folder open.
func LockFolder(dir string) (*Folder, error) {
	return openFolder(dir, func() (func(), error) { return LockFile(dir) })
}

// WaitForFolder is [LockFolder], but waits for a busy folder until ctx is done. Before it waits, it
// calls waiting, unless that is nil.
func WaitForFolder(ctx context.Context, dir string, waiting func()) (*Folder, error) {
	return openFolder(dir, func() (func(), error) { return wait(ctx, dir, waiting) })
}

// WaitBriefly is [WaitForFolder], but returns [ErrBusy] if the folder is still busy after ten seconds.
func WaitBriefly(ctx context.Context, dir string) (*Folder, error) {
	short, cancel := context.WithTimeoutCause(ctx, patience, ErrBusy)
	defer cancel()
	f, err := WaitForFolder(short, dir, nil)
	if err != nil && short.Err() != nil {
		err = fmt.Errorf("%s: %w", dir, context.Cause(short))
	}
	return f, err
}

// openFolder creates the folder dir if necessary, locks it by the function lock, and finishes the work
// of a process that was killed.
func openFolder(dir string, lock func() (func(), error)) (*Folder, error) {
	if err := os.MkdirAll(dir, permissions); err != nil {
		return nil, err
	}
	unlock, err := lock()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	f := &Folder{dir, unlock}
	cleanFolders(dir)
	if err := f.finish(); err != nil {
		unlock()
		return nil, err
	}
	return f, nil
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Close lets others open the folder.
func (f *Folder) Close() { f.unlock() }

// Check returns an error if files of these names cannot be written to the folder: because something
// else has a name, or because no temporary folder can be made there. Call it before hours of work for
// the files.
func (f *Folder) Check(names ...string) error {
	for _, name := range names {
		if err := Replaceable(filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	temp, err := f.temp()
	if err != nil {
		return err
	}
	return os.Remove(temp)
}

// CheckDistinct returns an error if the path of an output leads to the same file as the path of an
// input, also by a link.
func CheckDistinct(outputs, inputs []string) error {
	for _, out := range outputs {
		existing, err := os.Stat(out)
		if err != nil {
			continue // it is new
		}
		for _, input := range inputs {
			if read, err := os.Stat(input); err == nil && os.SameFile(existing, read) {
				return fmt.Errorf("%s is the input %s, which it would replace: want another name", message.ShortPath(out), message.ShortPath(input))
			}
		}
	}
	return nil
}

// Listing is a file of [Folder.Write] that lists the others and is written last.
type Listing struct {
	Name    string
	Content func([]checksum.File) ([]byte, error) // gets the others, sorted by name
}

// Write creates or replaces the files that it gets by name, and the listing last, unless that is nil.
// It removes the files whose names are in old, if they are there. Either all of that happens, or
// none of it: on an error, which names the file, and if the program ends early.
func (f *Folder) Write(ctx context.Context, files map[string]func(io.Writer) error, last *Listing, old ...string) error {
	names := slices.Sorted(maps.Keys(files))
	targets := slices.Clone(names)
	if last != nil {
		targets = append(targets, last.Name)
	}
	temp, err := f.temp()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // nothing is left of it if all went well
	var written []checksum.File
	add := func(name string, write func(io.Writer) error) error {
		var sum *checksum.Summed
		err := newFile(filepath.Join(temp, name), func(w io.Writer) error {
			sum = checksum.NewSummed(w)
			return write(contextWriter{ctx, sum})
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(f.dir, name), err)
		}
		written = append(written, checksum.File{Path: name, Sum: sum.Sum()})
		return nil
	}
	for _, name := range names {
		if err := add(name, files[name]); err != nil {
			return err
		}
	}
	if last != nil {
		content, err := last.Content(written)
		if err == nil {
			err = add(last.Name, Bytes(content))
		}
		if err != nil {
			return err
		}
	}
	if len(old) > 0 {
		if err := newFile(filepath.Join(temp, oldNames), Bytes([]byte(strings.Join(old, "\n")))); err != nil {
			return err
		}
	}
	if err := errors.Join(syncDir(temp), ctx.Err(), f.Check(targets...)); err != nil {
		return err
	}
	// From here on, the new files count: if the program ends before they are in
	// place, the next LockFolder moves them.
	if err := rename(temp, filepath.Join(f.dir, newFiles)); err != nil {
		return err
	}
	return errors.Join(syncDir(f.dir), f.finish())
}

// temp creates a temporary folder in the folder, for new files, and returns its path.
func (f *Folder) temp() (string, error) {
	temp := tempName(f.dir, "new")
	return temp, os.Mkdir(temp, permissions)
}

// FinishFolder finishes the work of a process that was killed while it moved new files into a
// folder, so that no files of two runs are read. It returns [ErrBusy] if the process lives.
func FinishFolder(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, newFiles)); err != nil {
		return nil
	}
	f, err := LockFolder(dir)
	if err == nil {
		f.Close()
	}
	return err
}

// finish removes old files and moves complete new ones into place, if there is a folder of new ones.
// It can be killed at any step and called again: what was removed or moved is not there any more.
func (f *Folder) finish() error {
	from := filepath.Join(f.dir, newFiles)
	entries, err := readNew(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.checkOwner(from); err != nil {
		return err
	}
	list := filepath.Join(from, oldNames)
	old, err := os.ReadFile(list)
	if err == nil {
		for name := range strings.SplitSeq(string(old), "\n") {
			if name != filepath.Base(name) || !filepath.IsLocal(name) { // in a folder that somebody else made
				continue
			}
			if err := remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		err = remove(list)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() == oldNames {
			continue
		}
		if err := rename(filepath.Join(from, e.Name()), filepath.Join(f.dir, e.Name())); err != nil {
			return fmt.Errorf("%w; the complete new files are in %s", err, from)
		}
	}
	return errors.Join(syncDir(f.dir), remove(from))
}

// checkOwner returns an error if the folder `from` of new files may be of another user: in a sticky folder, such
// as /tmp, everybody can make one, and its list of old files could name anything of this user.
func (f *Folder) checkOwner(from string) error {
	info, err := os.Stat(f.dir)
	if err != nil || info.Mode()&fs.ModeSticky == 0 {
		return err
	}
	own, err := f.temp() // a folder of this user
	if err != nil {
		return err
	}
	defer os.Remove(own)
	if !system.SameOwner(own, from) {
		return fmt.Errorf("%s belongs to another user: want another folder", from)
	}
	return nil
}

// readNew returns what is in the folder `from`, which holds new files. It refuses what Write never
// makes, so that nothing from elsewhere is moved, and nothing is put where a link leads.
func readNew(from string) ([]os.DirEntry, error) {
	info, err := os.Lstat(from)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is %s, which no run has made: remove it", from, readfile.Kind(info.Mode()))
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(from, e.Name())
		if !e.Type().IsRegular() {
			return nil, fmt.Errorf("%s is %s, which no run has made: remove it", path, readfile.Kind(e.Type()))
		}
		if err := Replaceable(filepath.Join(filepath.Dir(from), e.Name())); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// newFile creates the file at path, which must not exist, with the output of write, and syncs it.
func newFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(fill(f, write), f.Close())
}

// contextWriter is a writer that fails once its context is done.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

// Write writes unless the context is done.
func (c contextWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// Bytes returns a function that writes content, for [Write] and [Folder.Write].
func Bytes(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}
