package table

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/readfile"
)

// packable are the extensions of files that may be packed by gzip, as in nodes.csv.gz.
var packable = map[string]bool{}

// Packable says that files with the extensions may be packed by gzip. The empty one never is.
func Packable(extensions ...string) {
	for _, ext := range extensions {
		packable[ext] = ext != ""
	}
}

// Unpacked returns path without .gz if a file that may be packed is below it, else path.
func Unpacked(path string) string {
	ext := filepath.Ext(path)
	name := strings.TrimSuffix(path, ext)
	if !strings.EqualFold(ext, ".gz") || !packable[Extension(name)] {
		return path
	}
	return name
}

// OpenFile opens a regular file for reading, which closing ends. A file of gzip is unpacked
// among the system's temporary files, for readers that read twice, and keeps its name in errors.
func OpenFile(ctx context.Context, path string) (f *os.File, closing func(), err error) {
	packed, size, err := readfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if Unpacked(path) == path {
		return packed, func() { packed.Close() }, nil
	}
	defer packed.Close()
	dir, remove, err := atomicfile.ScratchFolder("agekit-gzip-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	scratch := filepath.Join(dir, "unpacked")
	if err := unpack(ctx, packed, size, scratch); err != nil {
		return nil, nil, FileError(packed, err)
	}
	// os.Open would name it by the scratch file.
	file, err := syscall.Open(scratch, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, FileError(packed, err)
	}
	f = os.NewFile(uintptr(file), path)
	return f, func() { f.Close(); remove() }, nil
}

// mostUnpacked is a variable for tests.
var mostUnpacked = readfile.Unpacked

// unpack unpacks a file of the given size into a new one.
func unpack(ctx context.Context, packed io.Reader, size int64, to string) error {
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	defer w.Close()
	most, written := int64(mostUnpacked(size)), int64(0)
	z, err := gzip.NewReader(bufio.NewReader(packed))
	for err == nil && written <= most && ctx.Err() == nil {
		n := int64(0)
		n, err = io.CopyN(w, z, 1<<20)
		written += n
	}
	var disk *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &disk):
		return err
	case written > most:
		return fmt.Errorf("%d bytes of gzip unpack to more than %d", size, most)
	case z == nil || err != io.EOF:
		return fmt.Errorf("%w: want a complete file of gzip", err)
	}
	return w.Close()
}

// FileSize returns the size of a file that [readfile.Open] has opened, and so could ask.
func FileSize(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// FileError adds the file's name to an error.
func FileError(f *os.File, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}
