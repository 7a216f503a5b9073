package table_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestGzipErrors reads packed files that are damaged, too large when unpacked, or of no format: the errors
// name the packed file, and the line in it, and leave no temporary file. A file that is just as large as
// allowed is read, a canceled context is told, and a packed table cannot be written.
func TestGzipErrors(t *testing.T) {
	inputtest.ScratchLess(t)
	defer func(was func(int64) uint64) { *table.MostUnpacked = was }(*table.MostUnpacked)
	const most = 1000 // bytes that a file may be unpacked to, which 250 lines of 4 bytes are
	*table.MostUnpacked = func(int64) uint64 { return most }
	dir := t.TempDir()
	whole := inputtest.Packed("a\tb\nb\tc\n")
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-8] ^= 1 // the first byte of the checksum, which is followed by 4 bytes of size
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"line.csv.gz":    {inputtest.Packed("a,b\n1,2\n1,2,3\n"), "line.csv.gz:3: 3 fields, want 2"},
		"bomb.tsv.gz":    {inputtest.Packed(strings.Repeat("a\tb\n", most/4) + "\n"), "bomb.tsv.gz: 36 bytes of gzip unpack to more than 1000"},
		"short.tsv.gz":   {whole[:len(whole)-3], "short.tsv.gz: unexpected EOF: want a complete file of gzip"},
		"damaged.tsv.gz": {damaged, "damaged.tsv.gz: gzip: invalid checksum: want a complete file of gzip"},
		"text.tsv.gz":    {[]byte("source\ttarget\n"), "text.tsv.gz: gzip: invalid header: want a complete file of gzip"},
		"empty.tsv.gz":   {nil, "empty.tsv.gz: EOF: want a complete file of gzip"},
		"a.npz.gz":       {whole, `a.npz.gz: table of type ".gz", want `},
		"b.gz":           {whole, `b.gz: table of type ".gz", want `},
	} {
		path := filepath.Join(dir, name)
		inputtest.Write(t, path, test.content)
		_, err := table.Read(t.Context(), path, table.Options{Pairs: true})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	full := filepath.Join(dir, "full.tsv.gz") // unpacks to exactly the bytes that are allowed
	inputtest.Write(t, full, inputtest.Packed(strings.Repeat("a\tb\n", most/4)))
	if table, err := table.Read(t.Context(), full, table.Options{Pairs: true}); err != nil || table.Rows != most/4 {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.Read(ctx, full, table.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := table.Writer(full); err == nil {
		t.Error("a packed table can be written")
	}
}
