package dataset

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
)

// maxLine bounds a line of text: a row of features may be long.
const maxLine = 64 << 20

// lines reads a text line by line and knows where it is.
type lines struct {
	ctx     context.Context
	name    string
	scanner *bufio.Scanner
	number  int    // of the current line, from 1
	text    []byte // the current line, trimmed; valid until next
}

func newLines(data []byte, name string) *lines {
	return newLineReader(context.Background(), bytes.NewReader(data), name)
}

func newLineReader(ctx context.Context, r io.Reader, name string) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	return &lines{ctx: ctx, name: name, scanner: s}
}

// next goes to the next line that is neither blank nor a comment (#). It
// stops early when the context is done.
func (l *lines) next() bool {
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

// err returns what ended the reading early.
func (l *lines) err() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if err := l.scanner.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
	}
	return nil
}

// errorf returns an error about the current line.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// parseInt reads a decimal number from 0 to 2³¹−1.
func parseInt(b []byte) (int, bool) {
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

// parseFloat reads a finite number that is not negative, as a feature must
// be. The error says what is wrong with it.
func parseFloat(b []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(b), 32)
	if err != nil {
		return 0, fmt.Errorf("%q, want a number", b)
	}
	if !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%s, want a finite number that is not negative", b)
	}
	return float32(v), nil
}

// cutField returns the first field of b, up to white space, and the rest.
func cutField(b []byte) (field, rest []byte) {
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
