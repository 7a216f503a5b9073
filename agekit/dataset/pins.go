package dataset

import (
	"crypto/sha1"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/agekit/age/internal/limit"
)

// pin identifies the exact content of a file.
type pin struct {
	bytes  int64  // size, or -1 if unknown
	sha256 string // in hexadecimal, or "-" if unknown
	blob   string // SHA-1 of git's blob object: the only pin of ind.pubmed.allx
}

// maxUnpinned limits the size of a file whose pin does not give it.
const maxUnpinned = 64 << 20

// most returns the largest size that the file may have.
func (p pin) most() int64 {
	if p.bytes < 0 {
		return maxUnpinned
	}
	return p.bytes
}

// read returns the content of a file that matches the pin. It compares the size
// before it reads the file. The error names the file.
func (p pin) read(path string) (data []byte, size int64, err error) {
	f, size, err := limit.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if most := p.most(); size > most || p.bytes >= 0 && size != most {
		return nil, size, fmt.Errorf("%s has %d bytes, want %d", path, size, most)
	}
	if data, err = io.ReadAll(io.LimitReader(f, p.most()+1)); err != nil {
		return nil, size, err
	}
	if err := p.check(data); err != nil {
		return nil, size, fmt.Errorf("%s %w", path, err)
	}
	return data, size, nil
}

// check returns an error that says how data differs from the pin.
func (p pin) check(data []byte) error {
	if p.bytes >= 0 && int64(len(data)) != p.bytes {
		return fmt.Errorf("has %d bytes, want %d", len(data), p.bytes)
	}
	if p.sha256 != "-" {
		return compareHash("SHA-256", fmt.Sprintf("%x", sha256.Sum256(data)), p.sha256)
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return compareHash("git blob SHA-1", hex.EncodeToString(h.Sum(nil)), p.blob)
}

func compareHash(kind, got, want string) error {
	if got != want {
		return fmt.Errorf("%s is %s, want %s", kind, got, want)
	}
	return nil
}

//go:embed pins.tsv
var pinsTSV string

// pins maps a file, such as "wiki/graph.txt", to its pin.
var pins = sync.OnceValue(func() map[string]pin {
	m := make(map[string]pin)
	for line := range strings.Lines(pinsTSV) {
		field := strings.Split(strings.TrimSpace(line), "\t")
		if field[0] == "file" {
			continue
		}
		size, err := strconv.ParseInt(field[1], 10, 64)
		if err != nil {
			size = -1
		}
		m[field[0]] = pin{size, field[2], field[3]}
	}
	return m
})
