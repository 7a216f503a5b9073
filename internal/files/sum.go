package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
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

func (s *Summed) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.hash.Write(b[:n])
	s.bytes += int64(n)
	return n, err
}

// Sum returns the sum of what was written.
func (s *Summed) Sum() Sum { return Sum{s.bytes, hex.EncodeToString(s.hash.Sum(nil))} }

// SumOf returns the sum of data.
func SumOf(data []byte) Sum {
	s := NewSummed(io.Discard)
	_, _ = s.Write(data) // which cannot fail
	return s.Sum()
}

// Checksum reads r to its end and returns the sum of its bytes. It calls read, if not nil,
// with the number of each bytes read.
func Checksum(ctx context.Context, r io.Reader, read func(n int)) (Sum, error) {
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

// ManifestFile is a file as it was read or written.
type ManifestFile struct {
	Path string `json:"path"`
	Sum
	// Grows says that more may be appended: only the first Bytes bytes count.
	Grows bool `json:"grows,omitempty"`
}

// DescribeFiles describes files as they are now. The errors name them.
func DescribeFiles(ctx context.Context, paths ...string) ([]ManifestFile, error) {
	var all []ManifestFile
	for _, path := range paths {
		f, err := describeFile(ctx, path, -1)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// describeFile describes a file, or its first bytes if most is not negative.
func describeFile(ctx context.Context, path string, most int64) (ManifestFile, error) {
	f, size, err := Open(path)
	if err != nil {
		return ManifestFile{}, err
	}
	defer f.Close()
	if most < 0 || size < most {
		most = size
	}
	sum, err := Checksum(ctx, io.LimitReader(f, most), nil)
	return ManifestFile{Path: path, Sum: sum}, err
}

// FilePaths lists the paths of files.
func FilePaths(files []ManifestFile) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}
