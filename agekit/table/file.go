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
	"slices"
	"strings"
	"syscall"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
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

// File is a regular file that is open for reading.
type File struct {
	file   *os.File
	remove func() // removes what was unpacked; nil if nothing was

	sums  *[]checksum.File // get the checksum of what was read; nil if nobody asks ([WithSums])
	sum   *checksum.Summed // of what was read from the beginning on
	whole bool             // that was all
}

// sumsKey is the key of [WithSums] in a context.
type sumsKey struct{}

// WithSums returns a context under which each file of [OpenFile] that is read from its beginning
// to its end has its checksum appended to sums when it is closed: that of the bytes that were read,
// whatever replaces the file meanwhile. Of a file of gzip it is that of the packed bytes. A file
// that is mapped, or read in parts, as Parquet and archives are, is left out. Nothing is read
// again for a checksum. Of a file that is opened twice, the last checksum counts.
func WithSums(ctx context.Context, sums *[]checksum.File) context.Context {
	return context.WithValue(ctx, sumsKey{}, sums)
}

// newFile returns a file, whose checksum goes to those of ctx.
func newFile(ctx context.Context, file *os.File) *File {
	f := &File{file: file}
	if f.sums, _ = ctx.Value(sumsKey{}).(*[]checksum.File); f.sums != nil {
		f.sum = checksum.NewSummed(io.Discard)
	}
	return f
}

// Name returns the path that the file was opened by.
func (f *File) Name() string { return f.file.Name() }

func (f *File) Read(b []byte) (int, error) {
	n, err := f.file.Read(b)
	if f.sum != nil {
		_, _ = f.sum.Write(b[:n]) // which cannot fail
		f.whole = err == io.EOF
	}
	return n, err
}

func (f *File) ReadAt(b []byte, offset int64) (int, error) { return f.file.ReadAt(b, offset) }

// Size returns the size, which [readfile.Open] could ask for.
func (f *File) Size() int64 {
	info, err := f.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close closes the file, and removes what was unpacked.
func (f *File) Close() {
	f.file.Close()
	if f.whole {
		sameFile := func(file checksum.File) bool { return file.Path == f.Name() }
		*f.sums = append(slices.DeleteFunc(*f.sums, sameFile), checksum.File{Path: f.Name(), Sum: f.sum.Sum()})
	}
	if f.remove != nil {
		f.remove()
	}
}

// Error adds the file's name to an error.
func (f *File) Error(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}

// OpenFile opens a regular file for reading. A file of gzip is unpacked among the system's
// temporary files, for readers that ask for the size or go to places in it, and keeps its name in
// errors.
func OpenFile(ctx context.Context, path string) (f *File, err error) {
	file, size, err := readfile.Open(path)
	if err != nil {
		return nil, err
	}
	packed := newFile(ctx, file)
	if Unpacked(path) == path {
		return packed, nil
	}
	defer packed.Close()
	dir, remove, err := atomicfile.ScratchFolder("agekit-gzip-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	scratch := filepath.Join(dir, "unpacked")
	if err := unpack(ctx, packed, size, scratch); err != nil {
		return nil, packed.Error(err)
	}
	// os.Open would name it by the scratch file.
	unpacked, err := syscall.Open(scratch, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, packed.Error(err)
	}
	return &File{file: os.NewFile(uintptr(unpacked), path), remove: remove}, nil
}

// mostUnpacked is a variable for tests.
var mostUnpacked = readfile.Unpacked

// unpack unpacks a file of the given size into a new one.
func unpack(ctx context.Context, packed io.Reader, size int64, path string) error {
	w, err := os.Create(path)
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
