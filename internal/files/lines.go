package files

// This part reads text files line by line. Its errors name the file and the line.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/agekit/age/internal/limit"
)

// NewText returns a reader of a text in UTF-8, or in UTF-16 that begins with a byte-order
// mark. It leaves out the mark, and ends lines with \n that end with \r alone.
func NewText(r io.Reader) *bufio.Reader {
	const size = 1 << 16
	b := bufio.NewReaderSize(r, size)
	mark, _ := b.Peek(3)
	switch {
	case bytes.Equal(mark, byteOrderMark):
		_, _ = b.Discard(len(mark))
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		b = bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b), size)
	}
	if head, _ := b.Peek(size); bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		b = bufio.NewReaderSize(returns{b}, size)
	}
	return b
}

// returns reads a text with \n in place of \r.
type returns struct{ io.Reader }

func (r returns) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	for k, c := range b[:n] {
		if c == '\r' {
			b[k] = '\n'
		}
	}
	return n, err
}

// LineReader reads the lines of a text ([NewText]), without blank lines and comments (#). It
// refuses what a label could contain unseen: bytes that are not UTF-8, other byte-order
// marks, and control characters but tabs.
type LineReader struct {
	ctx      context.Context
	name     string
	scanner  *bufio.Scanner
	number   int // of the current line, from 1
	text     []byte
	blank    int
	comments int
	err      error
}

// NewLineReader returns a reader of r, which errors call name. Next returns false early if
// ctx is done or the text is not valid.
func NewLineReader(ctx context.Context, r io.Reader, name string) *LineReader {
	l := &LineReader{ctx: ctx, name: name, scanner: bufio.NewScanner(NewText(r))}
	l.scanner.Buffer(make([]byte, 64<<10), limit.Line)
	l.scanner.Split(l.split)
	return l
}

// byteOrderMark is the byte-order mark in UTF-8.
var byteOrderMark = []byte("\ufeff")

// split returns the next line. It looks for NUL bytes before the line is complete: a
// damaged file may hold nothing else.
func (l *LineReader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	advance, line, err = bufio.ScanLines(data, atEOF)
	seen := line
	if advance == 0 {
		seen = data
	}
	if k := bytes.IndexByte(seen, 0); k >= 0 {
		return 0, nil, fmt.Errorf("byte %d of the line is NUL, as in UTF-16 text or a binary file: want UTF-8 text", k+1)
	}
	return advance, line, err
}

// Next advances to the next line, and returns false after the last one.
func (l *LineReader) Next() bool {
	l.blank = 0
	for l.scanner.Scan() {
		if l.number&0x3fff == 0 && l.ctx.Err() != nil {
			return false
		}
		l.number++
		l.text = bytes.TrimSpace(l.scanner.Bytes())
		switch {
		case len(l.text) == 0:
			l.blank = l.number
		case l.text[0] == '#':
			l.comments++
		default:
			l.err = l.check()
			return l.err == nil
		}
	}
	return false
}

// check returns an error for characters that cannot be seen.
func (l *LineReader) check() error {
	ascii := true
	for k, c := range l.text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return l.Errorf("control character 0x%02x at byte %d of the text: want lines that end with \\n or \\r\\n", c, k+1)
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return nil
	}
	for k, r := range string(l.text) {
		if r == utf8.RuneError && !bytes.HasPrefix(l.text[k:], []byte("\ufffd")) {
			return l.Errorf("byte 0x%02x at byte %d of the text: want UTF-8", l.text[k], k+1)
		}
	}
	if bytes.Contains(l.text, byteOrderMark) {
		return l.Errorf("a byte-order mark within the text: want one at most, at the beginning")
	}
	return nil
}

// Text returns the current line, trimmed. It is valid until the next call of Next.
func (l *LineReader) Text() []byte { return l.text }

// Blank returns an error if a blank line precedes the current one: in a file with one
// line per node, a missing value would shift all others.
func (l *LineReader) Blank() error {
	if l.blank == 0 {
		return nil
	}
	return fmt.Errorf("%s:%d: blank line: want one line for each node", l.name, l.blank)
}

// Skipped ends a message about the number of lines: it counts the comments, if any.
func (l *LineReader) Skipped() string {
	if l.comments == 0 {
		return ""
	}
	return fmt.Sprintf(" (without %d that start with #, which are comments)", l.comments)
}

// Err returns the error that stopped the reader early, or nil.
func (l *LineReader) Err() error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if l.err != nil {
		return l.err
	}
	switch err := l.scanner.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: a line of more than %d bytes", l.name, l.number+1, limit.Line)
	default:
		return fmt.Errorf("%s:%d: %w", l.name, l.number+1, err)
	}
}

// Errorf returns an error about the current line: "name:number: message". Quote the
// line's text with [limit.Quote]: it may be long.
func (l *LineReader) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.number, fmt.Errorf(format, args...))
}

// IsNumber reports whether a text is a decimal number, NaN or infinity, without the
// underscores and hexadecimal digits that Go allows.
func IsNumber[T ~string | ~[]byte](text T) bool {
	_, err := parse(text)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

func parse[T ~string | ~[]byte](text T) (float64, error) {
	if strings.ContainsAny(string(text), "xX_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 32)
}

// ParseFloat parses a feature: a finite decimal number.
func ParseFloat[T ~string | ~[]byte](text T) (float32, error) {
	v, err := parse(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s, want at most %v", limit.Quote(text), float32(math.MaxFloat32))
	case err != nil:
		return 0, fmt.Errorf("%s, want a number", limit.Quote(text))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%v, want a finite number", v)
	}
	return float32(v), nil
}
