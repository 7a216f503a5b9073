package dataset

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/agekit/age/internal/readfile"
)

// file is a file of a data set, with the pin that its content must match.
type file struct {
	name  string // such as "wiki/graph.txt"
	bytes int64
	hash  string // SHA-256, in hexadecimal
}

// places returns where the file may be in a folder: NAME/FILE and FILE.
func (f file) places(dir string) []string {
	return slices.Compact([]string{filepath.Join(dir, filepath.FromSlash(f.name)), filepath.Join(dir, path.Base(f.name))})
}

// read returns the content of a file that matches the pin. It compares the size first.
func (f file) read(path string) (data []byte, size int64, err error) {
	r, size, err := readfile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if size != f.bytes {
		return nil, size, fmt.Errorf("%s has %d bytes, want %d", path, size, f.bytes)
	}
	if data, err = io.ReadAll(io.LimitReader(r, f.bytes+1)); err != nil {
		return nil, size, err
	}
	if err := f.check(data); err != nil {
		return nil, size, fmt.Errorf("%s %w", path, err)
	}
	return data, size, nil
}

// check returns an error that says how data differs from the pin.
func (f file) check(data []byte) error {
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != f.hash {
		return fmt.Errorf("SHA-256 is %s, want %s", got, f.hash)
	}
	return nil
}
