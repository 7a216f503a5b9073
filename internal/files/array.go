package files

import (
	"context"
	"fmt"
	"io"
	"unsafe"

	"github.com/edsrzf/mmap-go"
)

// Number is a number in a flat file. An int is one of 64 bits, see [canMapArrays].
type Number interface {
	int | int32 | uint16 | uint64 | float32 | float64
}

// canMapArrays reports whether this system can map the arrays of flat files: its int must have 64
// bits.
const canMapArrays = unsafe.Sizeof(0) == 8

// MappedFile is a flat file of little-endian numbers or bytes, mapped for reading.
type MappedFile struct{ memory mmap.MMap }

// Map maps a regular file. Close unmaps it.
func Map(path string) (*MappedFile, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 { // no system maps nothing
		return &MappedFile{}, nil
	}
	memory, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &MappedFile{memory}, nil
}

// Bytes returns the content. Writing to it crashes the program.
func (f *MappedFile) Bytes() []byte { return f.memory }

// Close unmaps the file. What it held must not be used afterward.
func (f *MappedFile) Close() {
	if f.memory != nil {
		_ = f.memory.Unmap() // the system does it when the program ends
	}
}

// NumbersOf returns bytes as numbers, without a copy; a rest that is no whole number is left out.
// The first byte must be where such a number may be, as at the beginning of a [MappedFile].
func NumbersOf[T Number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(T(0))))
}

// NumberBytes returns numbers as the bytes of a flat file, without a copy. All systems of this
// module are little endian.
func NumberBytes[T Number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// numberReader reads the numbers of a flat file in order, a block at a time. What it has read does
// not count as this program's memory, as the pages of a mapped file would.
type numberReader[T Number] struct {
	from  io.ReaderAt
	at    int64 // byte after the block
	left  int   // numbers after the block
	block []T
	next  int
}

// newNumberReader returns a reader of count numbers from a byte on. A block has so many numbers.
func newNumberReader[T Number](from io.ReaderAt, at int64, count, block int) *numberReader[T] {
	return &numberReader[T]{from: from, at: at, left: count, block: make([]T, 0, max(1, min(block, count)))}
}

// Next returns the next number; [io.EOF] after the last.
func (r *numberReader[T]) Next() (v T, err error) {
	if r.next == len(r.block) {
		if err := r.fill(); err != nil {
			return v, err
		}
	}
	v = r.block[r.next]
	r.next++
	return v, nil
}

func (r *numberReader[T]) fill() error {
	count := min(r.left, cap(r.block))
	if count == 0 {
		return io.EOF
	}
	r.block, r.next = r.block[:count], 0
	b := NumberBytes(r.block)
	if n, err := r.from.ReadAt(b, r.at); n < len(b) {
		r.block = r.block[:0]
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	r.at += int64(len(b))
	r.left -= count
	return nil
}

// write writes bytes until the context is done.
func write(ctx context.Context, w io.Writer, b []byte) error {
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
