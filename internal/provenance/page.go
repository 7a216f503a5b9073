package provenance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// pageMark is the last line of a page that [WritePage] wrote, with the SHA-256 of all before it. A page needs no
// manifest beside it: it is one file, which people move and send.
const pageMark = "\n<!-- written by agekit, which replaces this page unless it changes: %s -->\n"

// WritePage creates or replaces the HTML page at path with what content writes and a mark, by which [CheckPage]
// knows it.
func WritePage(ctx context.Context, path string, content func(io.Writer) error) error {
	if err := CheckPage(ctx, path); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		sum := checksum.NewSummed(w)
		if err := content(sum); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, pageMark, sum.Sum().SHA256)
		return err
	})
}

// CheckPage returns an error if a page cannot be written to path, or if something is there that is not as WritePage
// wrote it. Call it before work for the page.
func CheckPage(ctx context.Context, path string) error {
	if err := atomicfile.Replaceable(path); err != nil {
		return err
	}
	written, err := isPage(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !written {
		err = fmt.Errorf("%s is there, and is not as agekit report wrote it: want another name, or the file moved away", message.ShortPath(path))
	}
	return err
}

// isPage reports whether the file at path ends with the mark of WritePage, and has its checksum.
func isPage(ctx context.Context, path string) (bool, error) {
	f, size, err := readfile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	mark := make([]byte, len(fmt.Sprintf(pageMark, zeros)))
	content := size - int64(len(mark))
	if content < 0 {
		return false, nil
	}
	if _, err := f.ReadAt(mark, content); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	// A page that does not end like one of ours is not read whole.
	if beginning, _, _ := strings.Cut(pageMark, "%"); !strings.HasPrefix(string(mark), beginning) {
		return false, nil
	}
	sum, err := checksum.Read(ctx, io.NewSectionReader(f, 0, content), nil)
	return string(mark) == fmt.Sprintf(pageMark, sum.SHA256), err
}
