package checksum

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// Sum is the size of some content and its checksum.
type Sum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// Summed counts and hashes what is written through it.
type Summed struct {
	w     io.Writer
	bytes int64
	hash  hash.Hash
}

// NewSummed returns a Summed that passes on to w.
func NewSummed(w io.Writer) *Summed { return &Summed{w: w, hash: sha256.New()} }

// Write passes the bytes on, and adds those that were written to the sum.
func (s *Summed) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.hash.Write(b[:n])
	s.bytes += int64(n)
	return n, err
}

// Sum returns the sum of what was written.
func (s *Summed) Sum() Sum { return Sum{s.bytes, hex.EncodeToString(s.hash.Sum(nil))} }

// Of returns the sum of data.
func Of(data []byte) Sum {
	s := NewSummed(io.Discard)
	_, _ = s.Write(data) // which cannot fail
	return s.Sum()
}

// Read reads r to its end and returns the sum of its bytes. After each part that it reads, it calls
// read, unless that is nil, with the number of bytes in the part.
func Read(ctx context.Context, r io.Reader, read func(n int)) (Sum, error) {
	sum, buffer := NewSummed(io.Discard), make([]byte, 1<<18)
	for {
		n, err := r.Read(buffer)
		_, _ = sum.Write(buffer[:n]) // which cannot fail
		if read != nil {
			read(n)
		}
		switch {
		case err == io.EOF:
			return sum.Sum(), nil
		case err != nil:
			return Sum{}, err
		case ctx.Err() != nil:
			return Sum{}, ctx.Err()
		}
	}
}

// File is a file as it was read or written.
type File struct {
	Path string `json:"path"`
	Sum
	// Grows says that more may be appended: only the first Bytes bytes count.
	Grows bool `json:"grows,omitempty"`

	opened fs.FileInfo // of a file of [Partly], when it was opened; else nil
}

// Partly returns a file of which parts were read, in any order, so that its checksum is not known yet: [File.Whole]
// gives it. opened is what the system said of the file when it was opened.
func Partly(path string, opened fs.FileInfo) File { return File{Path: path, opened: opened} }

// Before returns the files at paths, of those that there are, as [Partly] does. Call it before they are read.
func Before(paths ...string) (files []File) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			files = append(files, Partly(path, info))
		}
	}
	return files
}

// Whole returns f with its checksum. That of a file of [Partly] is computed now. It is an error if the file has been
// replaced or written to since it was opened: then other bytes were read.
func (f File) Whole(ctx context.Context) (File, error) {
	if f.opened == nil {
		return f, nil
	}
	whole, err := Describe(ctx, f.Path)
	if err != nil {
		return f, err
	}
	now, err := os.Stat(f.Path)
	if err == nil {
		err = Unchanged(f.Path, f.opened, now)
	}
	return whole, err
}

// Unchanged returns an error unless before and now, what the system said of the file at path at two times, are of one
// file that was not written to in between, as far as size and time tell.
func Unchanged(path string, before, now fs.FileInfo) error {
	if os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()) {
		return nil
	}
	return fmt.Errorf("%s changed while it was read: want it to stay as it is meanwhile; run the command again", message.ShortPath(path))
}

// Describe returns the size and checksum of the file at path as it is now. The errors name the file.
func Describe(ctx context.Context, path string) (File, error) { return Beginning(ctx, path, -1) }

// Beginning returns the size and checksum of the first most bytes of the file at path; of all bytes if
// the file has fewer or most is negative.
func Beginning(ctx context.Context, path string, most int64) (File, error) {
	f, size, err := readfile.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if most < 0 || size < most {
		most = size
	}
	sum, err := Read(ctx, io.LimitReader(f, most), nil)
	return File{Path: path, Sum: sum}, err
}

// Paths lists the paths of files.
func Paths(files []File) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}
