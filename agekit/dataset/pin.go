package dataset

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/agekit/age/internal/limit"
)

// file is a file of a data set, with the pin that its content must match.
type file struct {
	name  string // such as "wiki/graph.txt"
	bytes int64  // size, or −1 if unknown
	hash  string // in hexadecimal: SHA-256, or, of 40 digits, the SHA-1 of git's blob
}

// places returns where the file may be in a folder: NAME/FILE and FILE.
func (f file) places(dir string) []string {
	return slices.Compact([]string{filepath.Join(dir, filepath.FromSlash(f.name)), filepath.Join(dir, path.Base(f.name))})
}

// maxUnpinned limits the size of a file whose pin does not give it.
const maxUnpinned = 64 << 20

// most returns the largest size that the file may have.
func (f file) most() int64 {
	if f.bytes < 0 {
		return maxUnpinned
	}
	return f.bytes
}

// read returns the content of a file that matches the pin. It compares the size first.
func (f file) read(path string) (data []byte, size int64, err error) {
	r, size, err := limit.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	most := f.most()
	if size > most || f.bytes >= 0 && size != most {
		return nil, size, fmt.Errorf("%s has %d bytes, want %d", path, size, most)
	}
	if data, err = io.ReadAll(io.LimitReader(r, most+1)); err != nil {
		return nil, size, err
	}
	if err := f.check(data); err != nil {
		return nil, size, fmt.Errorf("%s %w", path, err)
	}
	return data, size, nil
}

// check returns an error that says how data differs from the pin.
func (f file) check(data []byte) error {
	kind, h := "SHA-256", sha256.New()
	if len(f.hash) == 2*sha1.Size {
		kind, h = "git blob SHA-1", sha1.New()
		fmt.Fprintf(h, "blob %d\x00", len(data))
	}
	h.Write(data)
	if got := hex.EncodeToString(h.Sum(nil)); got != f.hash {
		return fmt.Errorf("%s is %s, want %s", kind, got, f.hash)
	}
	return nil
}
