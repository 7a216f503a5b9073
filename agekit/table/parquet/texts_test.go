package parquet

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/table"
)

// note is a row with a text that rows share: the file has it once, in a dictionary.
type note struct {
	Source int64  `parquet:"source"`
	Target int64  `parquet:"target"`
	Text   string `parquet:"text,dict,optional"`
}

// writeNotes writes rows that share texts in turn, and returns the path. The text "" is a gap.
func writeNotes(t *testing.T, rows int, texts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notes.parquet")
	var all []note
	for k := range rows {
		all = append(all, note{Source: int64(k), Target: int64(k / 2), Text: texts[k%len(texts)]})
	}
	if err := parquet.WriteFile(path, all, parquet.Compression(&parquet.Zstd), parquet.SkipPageBounds("text")); err != nil {
		t.Fatal(err)
	}
	return path
}

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSharedTexts: 5,000 rows that share two texts of 100 kB or have none, 333 MB as text, get their codes, and a
// small part of the 333 MB is allocated.
func TestSharedTexts(t *testing.T) {
	a, b := strings.Repeat("ab ", 33_333)+"a", strings.Repeat("cd ", 33_333)+"b"
	path := writeNotes(t, 5000, a, b, "")
	var got *table.Table
	bytes := allocated(func() {
		var err error
		if got, err = table.Read(t.Context(), path, table.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	c := got.Columns[2]
	for row, code := range c.Codes {
		if want := []int32{0, 1, -1}[row%3]; code != want {
			t.Fatalf("row %d: code %d, want %d", row, code, want)
		}
	}
	if len(c.Codes) != 5000 || len(c.Values) != 2 || c.Values[0] != a || c.Values[1] != b {
		t.Fatalf("%d rows, %d texts", len(c.Codes), len(c.Values))
	}
	if bytes > 100<<20 {
		t.Errorf("%d bytes allocated, want few times the texts", bytes)
	}
}

// TestTooManyTexts: texts that have more bytes as text, counted for each row, than the file may unpack to are an
// error that names the column, before they are read: of a whole table, and of edges that are read row by row. A
// text that is longer than a line of text may be is one, too.
func TestTooManyTexts(t *testing.T) {
	defer func(most func(int64) uint64) { mostTexts = most }(mostTexts)
	mostTexts = func(int64) uint64 { return 1 << 24 }
	path := writeNotes(t, 5000, strings.Repeat("x", 1<<15)) // 164 MB as text
	const says = `notes.parquet: column "text": rows share texts: all texts have more than 16777216 bytes, in a file of `
	bytes := allocated(func() {
		if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a table: error %v", err)
		}
	})
	if bytes > 40<<20 {
		t.Errorf("a table: %d bytes allocated", bytes)
	}
	edges := input.Source{Edges: path, EdgeColumns: input.EdgeColumns{Source: "text", Target: "target"}}
	bytes = allocated(func() {
		if _, err := input.Build(context.Background(), edges, input.Building{Folder: filepath.Join(t.TempDir(), "g")}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("edges: error %v", err)
		}
	})
	if bytes > 40<<20 {
		t.Errorf("edges: %d bytes allocated", bytes)
	}
	defer func(longest int64) { longestText = longest }(longestText)
	longestText = 1<<15 - 1
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), `column "text": a text of 32768 bytes: want at most 32767`) {
		t.Errorf("a long text: error %v", err)
	}
}

// TestTooManyRows: more rows than the file may unpack to bytes are an error before any is read, of a whole table
// and of edges that are read row by row.
func TestTooManyRows(t *testing.T) {
	path := writeNotes(t, 5000, "")
	defer func(most func(int64) uint64) { mostTexts = most }(mostTexts)
	mostTexts = func(int64) uint64 { return 4999 }
	_, err := table.Read(t.Context(), path, table.Options{})
	_, building := input.Build(context.Background(), input.Source{Edges: path}, input.Building{Folder: filepath.Join(t.TempDir(), "g")})
	for _, err := range []error{err, building} {
		if err == nil || !strings.Contains(err.Error(), "notes.parquet: 5000 rows in ") || !strings.Contains(err.Error(), " bytes: want at most 4999") {
			t.Errorf("error %v", err)
		}
	}
	mostTexts = func(int64) uint64 { return 5000 }
	if got, err := table.Read(t.Context(), path, table.Options{}); err != nil || got.Rows != 5000 {
		t.Errorf("error %v", err)
	}
}
