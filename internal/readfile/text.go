package readfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/message"
	"golang.org/x/text/encoding/unicode"
)

// Text returns a reader that gives the text in r as UTF-8. The text is in UTF-8, or in UTF-16 and begins with a
// byte-order mark, which is left out. If lines end with \r alone, which is judged by the first 64 KB,
// they end with \n instead.
func Text(r io.Reader) *bufio.Reader {
	const size = 1 << 16 // of a buffer
	b := bufio.NewReaderSize(r, size)
	mark, _ := b.Peek(len(byteOrderMark))
	switch {
	case bytes.Equal(mark, byteOrderMark):
		_, _ = b.Discard(len(mark))
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}), bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		b = bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b), size)
	}
	if head, _ := b.Peek(size); bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		b = bufio.NewReaderSize(carriageReturns{b}, size)
	}
	return b
}

// carriageReturns reads a text with \n in place of \r.
type carriageReturns struct{ io.Reader }

// Read implements [io.Reader].
func (r carriageReturns) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	for k, c := range b[:n] {
		if c == '\r' {
			b[k] = '\n'
		}
	}
	return n, err
}

// byteOrderMark is the byte-order mark in UTF-8.
var byteOrderMark = []byte("\ufeff")

// IsNumber reports whether a text is a decimal number, NaN or infinity, without the
// underscores and hexadecimal digits that Go allows.
func IsNumber[T ~string | ~[]byte](text T) bool {
	_, err := parse(text)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// parse returns the decimal number, NaN or infinity in a text, rounded to float32. The error is one of
// strconv's.
func parse[T ~string | ~[]byte](text T) (float64, error) {
	if strings.ContainsAny(string(text), "xX_") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(string(text), 32)
}

// ParseFloat returns the finite decimal number in a text, such as a feature. The error quotes the text and says
// what is wanted.
func ParseFloat[T ~string | ~[]byte](text T) (float32, error) {
	v, err := parse(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s, want at most %v", message.Quote(text), float32(math.MaxFloat32))
	case err != nil:
		return 0, fmt.Errorf("%s, want a number", message.Quote(text))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%v, want a finite number", v)
	}
	return float32(v), nil
}
