package table

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/readfile"
)

// readText reads a text as a table with the reader of separated text.
func readText(t *testing.T, text string, o Options) (*Table, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return readSeparated(t.Context(), f, o)
}

// TestLongRows: a row of the longest length is read, wherever it is, and so are the rows after it. One that is
// a byte longer is an error with the line in which the row begins, also where quotation marks make many
// lines one row, or never end. What counts are rows: a file may be longer.
func TestLongRows(t *testing.T) {
	defer func(longest int64) { longestRow = longest }(longestRow)
	longestRow = 1 << 19 // more than is read to detect the style
	const short = "a,1\n"
	x := func(bytes int64) string { return strings.Repeat("x", int(bytes)) }
	row := func(bytes int64) string { return x(bytes-int64(len(",1\n"))) + ",1\n" }
	many := strings.Repeat(short, 200_000) // 800 kB
	for name, text := range map[string]string{
		"second":           "id,n\n" + row(longestRow) + short,
		"last without end": "id,n\n" + many + strings.TrimSuffix(row(longestRow), "\n"),
		"later":            "id,n\n" + many + row(longestRow) + many,
		"quoted":           "id,n\n" + many + "\"" + strings.Repeat("line\n", int(longestRow)/5-3) + "\",1\n" + short,
		"byte-order mark":  "\ufeffid,n\n" + many,
	} {
		if got, err := readText(t, text, Options{}); err != nil || got.Rows < 1 {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Buffers may hold the beginning of the row, of which as much does not count.
	const buffers = 1 << 18
	longer := longestRow + buffers
	for name, c := range map[string]struct {
		text string
		line int
		says string
	}{
		"second":     {"id,n\n" + row(longer) + short, 2, "the row has more than 524288 bytes: want at most so many in a row"},
		"later":      {"id,n\n" + many + row(longer) + many, 200_002, "the row has more than"},
		"last":       {"id,n\n" + many + x(longer), 200_002, "the row has more than"},
		"lines":      {"id,n\n" + many + "\"" + strings.Repeat("line\n", int(longer)/5) + "\",1\n", 200_002, "a quoted field that begins here has no end in the next lines: the row has more than"},
		"no end":     {"id,n\n" + short + "\"open,1\n" + many, 3, "a quoted field that begins here has no end in the next lines"},
		"after sep=": {"sep=,\nid,n\n" + short + row(longer), 4, "the row has more than"},
	} {
		_, err := readText(t, c.text, Options{})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("t.csv:%d: %s", c.line, c.says)) {
			t.Errorf("%s: error %v, want one in line %d that says %q", name, err, c.line, c.says)
		}
	}
}

// endless gives a header and then the letter x for ever, and counts its bytes.
type endless struct {
	head  *bytes.Reader
	given int64
}

func (e *endless) Read(b []byte) (int, error) {
	n, err := e.head.Read(b)
	if err != nil {
		n = copy(b, bytes.Repeat([]byte("x"), len(b)))
	}
	e.given += int64(n)
	return n, nil
}

// TestEndlessRow: of a second row without an end, no more is read than the longest row, the beginning that
// tells the style, and buffers: so memory is bounded, too.
func TestEndlessRow(t *testing.T) {
	defer func(longest int64) { longestRow = longest }(longestRow)
	longestRow = 1 << 20
	source := &endless{head: bytes.NewReader([]byte("id,n\na,1\n"))}
	r := &csvReader{name: "t.csv", style: style{separator: ',', header: true, names: []string{"id", "n"}}, beginning: &bytes.Buffer{}}
	r.limit = &rowLimit{Reader: source, most: 1 << 40}
	r.csv, r.text, r.unseen = r.reader(r.limit)
	for range 2 { // the header and a row
		if _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.next()
	const buffers = 1 << 18
	if err == nil || !strings.Contains(err.Error(), "t.csv:3: the row has more than 1048576 bytes") || source.given > longestRow+buffers {
		t.Errorf("%d bytes read, error %v", source.given, err)
	}
	if longest := int64(readfile.LongestLine); longest != 64<<20 {
		t.Errorf("the longest row has %d bytes, want 64 MB as docs/trust.md says", longest)
	}
}
