package atomicfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agekit/age/internal/checksum"
)

// A checked file is any content, which can be mapped, and after it
//
//	a Footer in JSON
//	its length   4 bytes, little endian
//	checkedMark  8 bytes
const checkedMark = "AGEfile1"

// longestFooter is the length of the longest footer, in bytes.
const longestFooter = 1 << 16

// lengthBytes is the size of the footer's length.
const lengthBytes = 4

// Footer says what the content of a checked file is about, and has its size and checksum.
type Footer struct {
	About json.RawMessage `json:"about"`
	checksum.Sum
}

// Checked creates or replaces the checked file at path, as [Write] does, with what content writes.
// The footer says what the content is about: about in JSON.
func Checked(path string, about any, content func(io.Writer) error) error {
	return Write(path, func(w io.Writer) error { return WriteChecked(w, about, content) })
}

// WriteChecked writes to w what [Checked] writes to a file.
func WriteChecked(w io.Writer, about any, content func(io.Writer) error) error {
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	sum := checksum.NewSummed(w)
	if err := content(sum); err != nil {
		return err
	}
	footer, err := json.Marshal(Footer{About: text, Sum: sum.Sum()})
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	_, err = w.Write(append(footer, checkedMark...))
	return err
}

// ReadFooter reads the footer of a checked file of the given size. Its error says what is
// wrong with the file.
func ReadFooter(file io.ReaderAt, size int64) (f Footer, err error) {
	tail := make([]byte, min(size, longestFooter+lengthBytes+int64(len(checkedMark))))
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return f, err
	}
	tail, ok := bytes.CutSuffix(tail, []byte(checkedMark))
	if !ok || len(tail) < lengthBytes {
		return f, fmt.Errorf("%d bytes that do not end in %q: cut, or of an earlier version", size, checkedMark)
	}
	length := int(binary.LittleEndian.Uint32(tail[len(tail)-lengthBytes:]))
	tail = tail[:len(tail)-lengthBytes]
	if length > len(tail) {
		return f, fmt.Errorf("a footer of %d bytes: want at most %d", length, len(tail))
	}
	text := tail[len(tail)-length:]
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("footer: %w", err)
	}
	// The checksum is of the content alone. A damaged footer may still be JSON, with a field in
	// capitals or one that is unknown, but then it is not what Marshal writes.
	if again, err := json.Marshal(f); err != nil || !bytes.Equal(again, text) {
		return f, errors.New("the footer is damaged")
	}
	if content := size - int64(length+lengthBytes+len(checkedMark)); f.Bytes != content {
		return f, fmt.Errorf("%d bytes before the footer: want %d", content, f.Bytes)
	}
	return f, nil
}

// Check returns an error unless the content of the checked file has the checksum of its footer f.
func (f Footer) Check(ctx context.Context, file io.ReaderAt) error {
	sum, err := checksum.Read(ctx, io.NewSectionReader(file, 0, f.Bytes), nil)
	if err == nil && sum != f.Sum {
		err = errors.New("checksum does not match the content")
	}
	return err
}
