package mapped

import (
	"context"
	"fmt"
	"io"
	"unsafe"

	"github.com/agekit/age/internal/readfile"
	"github.com/edsrzf/mmap-go"
)

// Number is a number in a flat file. An int is one of 64 bits, see [CanMap].
type Number interface {
	int | int32 | uint16 | uint64 | float32 | float64
}

// CanMap reports whether this system can map the arrays of flat files: its int must have 64
// bits.
const CanMap = unsafe.Sizeof(0) == 8

// File is a flat file of little-endian numbers or bytes, mapped for reading.
type File struct{ memory mmap.MMap }

// Open maps a regular file. Close unmaps it. If the file is cut meanwhile, reading what was there crashes the
// program, unless it does so within [Guard].
func Open(path string) (*File, error) {
	f, size, err := readfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 { // no system maps nothing
		return &File{}, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	memory, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	remember(path, info, memory)
	return &File{memory}, nil
}

// Bytes returns the content. Writing to it crashes the program.
func (f *File) Bytes() []byte { return f.memory }

// Close unmaps the file. What it held must not be used afterward.
func (f *File) Close() {
	if f.memory != nil {
		forget(f.memory)
		_ = f.memory.Unmap() // the system does it when the program ends
	}
}

// Numbers returns the bytes of a flat file as numbers, without a copy; a rest that is no whole number is left
// out. The first byte must be at an address where a number of type T may be, as the first of a [File] is.
func Numbers[T Number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(T(0))))
}

// Bytes returns numbers as the bytes of a flat file, without a copy. All systems of this
// module are little endian.
func Bytes[T Number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// Reader reads the numbers of a flat file in order, a block at a time. What it has read does
// not count as this program's memory, as the pages of a mapped file would.
type Reader[T Number] struct {
	file   io.ReaderAt
	block  []T   // the numbers read last
	next   int   // the index in the block of the number that Next returns
	offset int64 // of the byte after the block
	rest   int   // numbers after the block
}

// NewReader returns a reader of the count numbers that begin at the byte offset of a file. It reads
// blockSize numbers at a time.
func NewReader[T Number](file io.ReaderAt, offset int64, count, blockSize int) *Reader[T] {
	return &Reader[T]{file: file, offset: offset, rest: count, block: make([]T, 0, max(1, min(blockSize, count)))}
}

// Next returns the next number; [io.EOF] after the last.
func (r *Reader[T]) Next() (v T, err error) {
	if r.next == len(r.block) {
		if err := r.fill(); err != nil {
			return v, err
		}
	}
	v = r.block[r.next]
	r.next++
	return v, nil
}

// fill reads the next block; [io.EOF] if there is none.
func (r *Reader[T]) fill() error {
	count := min(r.rest, cap(r.block))
	if count == 0 {
		return io.EOF
	}
	r.block, r.next = r.block[:count], 0
	b := Bytes(r.block)
	if n, err := r.file.ReadAt(b, r.offset); n < len(b) {
		r.block = r.block[:0]
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	r.offset += int64(len(b))
	r.rest -= count
	return nil
}

// Write writes the bytes b to w in pieces of a megabyte, and returns the context's error if ctx is done before
// a piece.
func Write(ctx context.Context, w io.Writer, b []byte) error {
	const piece = 1 << 20
	for len(b) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := w.Write(b[:min(piece, len(b))])
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
