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

// packable has the extensions that may be followed by .gz, as .csv in nodes.csv.gz.
var packable = map[string]bool{}

// Packable registers extensions, such as .csv, of files that may be packed by gzip. The extension "" is
// accepted, but not registered: a name such as nodes.gz does not tell what is packed.
func Packable(extensions ...string) {
	for _, ext := range extensions {
		packable[ext] = ext != ""
	}
}

// Unpacked returns the path nodes.csv for nodes.csv.gz: it takes a last .gz off the path if files with
// the extension before that may be packed ([Packable]). It returns any other path as it is, and touches
// no file.
func Unpacked(path string) string {
	gz := filepath.Ext(path) // as it is written, such as .GZ
	withoutGz := strings.TrimSuffix(path, gz)
	if strings.EqualFold(gz, ".gz") && packable[Extension(withoutGz)] {
		return withoutGz
	}
	return path
}

// File is a regular file that is open for reading.
type File struct {
	file   *os.File
	remove func() // removes what was unpacked; nil if nothing was

	sums   *[]checksum.File // to which Close appends the checksum; nil if nobody asks ([WithSums])
	sum    *checksum.Summed // of the bytes that Read has given; nil if nobody asks
	whole  bool             // Read has reached the end of the file
	opened fs.FileInfo      // of the file when it was opened; nil if nobody asks

	arrays // of [WithArrays]; nil if nobody asks
}

// sumsKey is the key of [WithSums] in a context.
type sumsKey struct{}

// collector is the value of a context of [WithSums].
type collector struct {
	sums   *[]checksum.File
	opened map[string]fs.FileInfo // of each file when it was first opened, by its path
}

// WithSums returns a context that makes [OpenFile] collect checksums in *sums: when a file that was opened
// under the context, and read from its beginning to its end, is closed, its checksum is appended. The
// checksum is of the bytes that were read, whatever replaces the file meanwhile; of a file of gzip, of
// the packed bytes. Of a file that is mapped, or read in parts, as Parquet and archives are,
// [checksum.Partly] is appended: nothing is read again for a checksum, until [checksum.File.Whole] is asked.
// For a file that is opened twice, the last checksum counts; it must be the same file, or OpenFile fails.
func WithSums(ctx context.Context, sums *[]checksum.File) context.Context {
	return context.WithValue(ctx, sumsKey{}, &collector{sums, map[string]fs.FileInfo{}})
}

// arraysKey is the key of [WithArrays] in a context.
type arraysKey struct{}

// arrays is the value of [WithArrays].
type arrays struct {
	header  *bool
	remarks *Remarks
}

// WithArrays returns a context for readers of arrays, which take no options and give no table: the files that
// [OpenFile] opens under the context have the header ([Options].Header) as [File.Header], and add to *remarks
// what their readers warn of by [File.Warn].
func WithArrays(ctx context.Context, header *bool, remarks *Remarks) context.Context {
	return context.WithValue(ctx, arraysKey{}, arrays{header, remarks})
}

// Header returns what is known of the header of a text that is an array ([WithArrays]): nil if nothing is.
func (f *File) Header() *bool { return f.header }

// Warn adds the warnings of the reader of the file, with the file's name before each, to the remarks of
// [WithArrays], if there are any.
func (f *File) Warn(warnings []Warning) {
	if f.remarks != nil {
		f.remarks.About(f.Name(), Remarks{Warnings: warnings})
	}
}

// newFile returns a File that reads from file, and collects its checksum if ctx is from [WithSums]. It is an
// error, under such a context, if a file was opened by the same path before, and this is not as that one.
func newFile(ctx context.Context, file *os.File) (f *File, err error) {
	f = &File{file: file}
	f.arrays, _ = ctx.Value(arraysKey{}).(arrays)
	c, collects := ctx.Value(sumsKey{}).(*collector)
	if !collects {
		return f, nil
	}
	if f.opened, err = file.Stat(); err != nil {
		return nil, err
	}
	f.sums, f.sum = c.sums, checksum.NewSummed(io.Discard)
	if first := c.opened[f.Name()]; first != nil {
		return f, checksum.Unchanged(f.Name(), first, f.opened)
	}
	c.opened[f.Name()] = f.opened
	return f, nil
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

// Size returns the size of the file in bytes; 0 in the case, which [readfile.Open] has ruled out, that
// the system does not tell it.
func (f *File) Size() int64 {
	info, err := f.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close closes the file, appends it to the files of [WithSums], and removes what was unpacked.
func (f *File) Close() {
	f.file.Close()
	if f.sums != nil {
		closed := checksum.Partly(f.Name(), f.opened)
		if f.whole {
			closed = checksum.File{Path: f.Name(), Sum: f.sum.Sum()}
		}
		sameFile := func(file checksum.File) bool { return file.Path == f.Name() }
		k := slices.IndexFunc(*f.sums, sameFile)
		switch {
		case k < 0:
			*f.sums = append(*f.sums, closed)
		case f.whole: // rather than a file that was only looked into
			(*f.sums)[k] = closed
		}
	}
	if f.remove != nil {
		f.remove()
	}
}

// Error returns err with the file's name before it; nil if err is nil, and the error of a canceled
// context as it is.
func (f *File) Error(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}

// OpenFile opens a regular file for reading. If its name says that it is packed by gzip, it is first
// unpacked into a temporary file, since readers may ask for the size or go to places in the file; errors
// name the packed file. The temporary file is removed by [File.Close].
func OpenFile(ctx context.Context, path string) (f *File, err error) {
	file, size, err := readfile.Open(path)
	if err != nil {
		return nil, err
	}
	packed, err := newFile(ctx, file)
	if err != nil {
		file.Close()
		return nil, err
	}
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
	// A file of os.Open would have the name of the scratch file, in place of path, in its errors.
	descriptor, err := syscall.Open(scratch, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, packed.Error(err)
	}
	return &File{file: os.NewFile(uintptr(descriptor), path), remove: remove, arrays: packed.arrays}, nil
}

// mostUnpacked returns to how many bytes a packed file of a size may be unpacked. It is a variable for
// tests.
var mostUnpacked = readfile.Unpacked

// unpack writes what a file of gzip, whose packed size in bytes is given, holds to a new file at path. It
// returns an error if that is more than mostUnpacked allows.
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
		n, err = io.CopyN(w, z, 1<<20) // a MB at a time, to hear of a canceled context
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
	case z == nil || err != io.EOF: // z is nil if not even the header is gzip's
		return fmt.Errorf("%w: want a complete file of gzip", err)
	}
	return w.Close()
}
