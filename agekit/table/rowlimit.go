package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"github.com/agekit/age/internal/readfile"
)

// longestRow is the length of the longest row of separated text, in bytes: package csv would hold a longer
// one in memory, whatever its length. It is a variable for tests.
var longestRow int64 = readfile.LongestLine

// rowLimit is a reader of separated text that ends where a row gets too long, as if the file ended there.
type rowLimit struct {
	io.Reader
	passed int64 // how many bytes it has given
	most   int64 // how many it gives for the row that is being read, and those before
	cut    bool  // it has ended where the file does not
}

// Read implements [io.Reader].
func (l *rowLimit) Read(b []byte) (int, error) {
	rest := l.most - l.passed
	if rest <= 0 {
		l.cut = true
		return 0, io.EOF
	}
	n, err := l.Reader.Read(b[:min(int64(len(b)), rest)])
	l.passed += int64(n)
	return n, err
}

// nextRow lets the next row have its length. Bytes that are in buffers by now, which begin that row and may
// hold later ones, do not count, and there is one byte more, by which the end of the file is seen.
func (l *rowLimit) nextRow() { l.most = l.passed + longestRow + 1 }

// tooLong returns the error about the row that was cut. It gets the error that package csv has returned for
// the row, nil if it took what it got for a whole one.
func (r *csvReader) tooLong(err error) error {
	line, what := r.line+1, "the row has"
	var damaged *csv.ParseError
	switch {
	case errors.As(err, &damaged):
		line = r.unseen + damaged.StartLine
		if errors.Is(err, csv.ErrQuote) {
			what = "a quoted field that begins here has no end in the next lines: the row has"
		}
	case err == nil:
		line, _ = r.csv.FieldPos(0)
		line += r.unseen
	}
	return fmt.Errorf("%s:%d: %s more than %d bytes: want at most so many in a row", r.name, line, what, longestRow)
}
