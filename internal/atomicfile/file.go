package atomicfile

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/agekit/age/internal/readfile"
)

// Write creates or replaces the file at path with the output of write. A reader sees
// the old file or the complete new one, even after a crash or power failure. On an
// error, which names path, and if write panics, the old file stays. Anything at path
// but a regular file is an error.
func Write(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := Replaceable(path); err != nil {
		return err
	}
	dir, name := filepath.Split(path)
	dir = cmp.Or(dir, ".")
	Clean(dir, name)
	f, unlock, err := create(dir, name)
	if err != nil {
		return err
	}
	defer unlock()
	defer os.Remove(f.Name()) // nothing is left of it if all went well
	defer f.Close()
	if err := fill(f, write); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return Rename(f.Name(), path)
}

// Replaceable returns an error unless path is a regular file or nothing. A link
// is refused because replacing it would leave its target unchanged.
func Replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s: want a regular file or nothing there", path, readfile.Kind(info.Mode()))
	}
	return nil
}

// Rename moves a complete, synced file to path in the same folder, over a regular file or to where
// nothing is. A power failure afterward does not undo that.
func Rename(from, path string) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	if err := os.Rename(from, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// create creates a temporary file in dir for what will be called name, with the permissions
// of any new file, and locks it, so that [Clean] can tell it from one whose writer was killed.
// Where files cannot be locked, unlock does nothing.
func create(dir, name string) (f *os.File, unlock func(), err error) {
	for {
		f, err := os.OpenFile(tempName(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, nil, err
		}
		unlock, err := lockTemp(f.Name())
		switch {
		case err == nil:
			return f, unlock, nil
		case !errors.Is(err, ErrBusy) && !errors.Is(err, fs.ErrNotExist): // it cannot be locked
			return f, func() {}, nil
		}
		f.Close() // another process is cleaning it away
		os.Remove(f.Name())
	}
}

// fill has write write the content of f, through a buffer, and syncs f.
func fill(f *os.File, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(&syncing{file: f}, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// syncEvery is the number of bytes after which a file is synced while it is written.
// Syncing gigabytes at once could not be interrupted for many seconds.
const syncEvery = 64 << 20

// syncing is a file that is synced as it is written.
type syncing struct {
	file  *os.File
	since int // bytes since the last sync
}

// Write writes, and syncs the file after each syncEvery bytes.
func (s *syncing) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if s.since += n; err == nil && s.since >= syncEvery {
		s.since, err = 0, s.file.Sync()
	}
	return n, err
}

// Syncing returns a writer to a file that is synced as it is written, and that fails once ctx
// is done.
func Syncing(ctx context.Context, f *os.File) io.Writer { return contextWriter{ctx, &syncing{file: f}} }

// syncDir makes a rename in dir survive a power failure.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // folders can't be synced there
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
