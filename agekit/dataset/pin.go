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

// places returns the paths where the file may be in the folder dir: NAME/FILE and FILE, where NAME
// is the data set's.
func (f file) places(dir string) []string {
	withFolder := filepath.Join(dir, filepath.FromSlash(f.name))
	return slices.Compact([]string{withFolder, filepath.Join(dir, path.Base(f.name))}) // one path if the name has no folder
}

// read returns the content and the size of the file at path. Content that does not match the pin is
// an error, but the size is returned. A file of another size is not read at all.
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

// check returns an error with both hashes if the SHA-256 of data is not that of the pin.
func (f file) check(data []byte) error {
	if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != f.hash {
		return fmt.Errorf("SHA-256 is %s, want %s", got, f.hash)
	}
	return nil
}
