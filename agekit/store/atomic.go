package store

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// staleAfter is the age at which a temporary file is taken to belong to a
// process that was killed rather than to one that is still writing.
const staleAfter = time.Hour

// WriteFileAtomic creates or replaces the file at path with the output of
// write. A reader sees the old file or the complete new one, even after a
// crash or power failure: the data goes to a temporary file in the same
// folder, which is synced to disk and then renamed.
//
// On an error, which names path, and if write panics, the old file is left
// unchanged and the temporary one is removed. Temporary files for the same
// path that were left behind by a killed process are removed after an hour.
func WriteFileAtomic(path string, write func(io.Writer) error) error {
	if err := writeFileAtomic(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func writeFileAtomic(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	prefix := "." + base + "."
	removeStale(dir, prefix)

	// os.CreateTemp is not used because its files are inaccessible to the
	// group and to others, and the result should have the permissions of any
	// new file.
	temp := filepath.Join(dir, prefix+rand.Text()+tempSuffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			f.Close()
			os.Remove(temp)
		}
	}()

	buffered := bufio.NewWriterSize(&syncing{file: f}, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	renamed = true
	return syncDir(dir)
}

// syncEvery is the number of bytes after which a file is synced while it is
// being written. Syncing gigabytes at once would keep the program in one call
// for many seconds, during which it could not be interrupted.
const syncEvery = 64 << 20

// syncing is a file that is synced as it is written.
type syncing struct {
	file  *os.File
	since int // bytes since the last sync
}

func (s *syncing) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if s.since += n; err == nil && s.since >= syncEvery {
		s.since, err = 0, s.file.Sync()
	}
	return n, err
}

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

const tempSuffix = ".tmp"

// removeStale removes temporary files in dir whose names begin with prefix and
// that have not been written to for an hour. It ignores errors, because
// leftover files only take up space.
func removeStale(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
