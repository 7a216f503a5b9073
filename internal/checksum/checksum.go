package checksum

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

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
