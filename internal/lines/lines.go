// Package lines reads text files line by line and reports errors with file
// name and line number.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxLine limits the length of a line. A row of features may be long.
const maxLine = 64 << 20

// Reader reads the lines of a text that are neither blank nor a comment (#).
type Reader struct {
	ctx     context.Context
	name    string
	scanner *bufio.Scanner
	number  int // of the current line, from 1
	text    []byte
}

// NewReader returns a reader of r. Errors refer to the text as name. Next
// returns false early if ctx is done.
func NewReader(ctx context.Context, r io.Reader, name string) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	return &Reader{ctx: ctx, name: name, scanner: s}
}

// Next advances to the next line, and returns false after the last one.
func (l *Reader) Next() bool {
	for l.scanner.Scan() {
		if l.number&0x3fff == 0 && l.ctx.Err() != nil {
			return false
		}
		l.number++
		l.text = bytes.TrimSpace(l.scanner.Bytes())
		if len(l.text) > 0 && l.text[0] != '#' {
			return true
		}
	}
	return false
}

// Text returns the current line without surrounding white space. It is valid
// until the next call of Next.
func (l *Reader) Text() []byte { return l.text }

// Err returns the error that stopped the reader early, or nil.
func (l *Reader) Err() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if err := l.scanner.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
	}
	return nil
}

// Errorf returns an error about the current line, in the form "name:number:
// message".
func (l *Reader) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// ParseInt parses a decimal number from 0 to 2³¹−1.
func ParseInt(b []byte) (int, bool) {
	if len(b) == 0 || len(b) > 10 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n <= math.MaxInt32
}

// ParseFloat parses a feature: a finite number that is not negative.
func ParseFloat(b []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(b), 32)
	if err != nil {
		return 0, fmt.Errorf("%q, want a number", b)
	}
	if !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%s, want a finite number that is not negative", b)
	}
	return float32(v), nil
}

// CutField returns the first field of b, up to white space, and the rest.
func CutField(b []byte) (field, rest []byte) {
	start := 0
	for start < len(b) && isSpace(b[start]) {
		start++
	}
	end := start
	for end < len(b) && !isSpace(b[end]) {
		end++
	}
	return b[start:end], b[end:]
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
