package mapped

import (
	"fmt"
	"os"

	"github.com/edsrzf/mmap-go"
)

// Scratch is an array of numbers, initially zero, in a separate file.
type Scratch struct {
	Numbers []float32

	memory mmap.MMap
	file   *os.File
}

// NewScratch creates a scratch file in dir with room for count numbers. It reserves the
// disk space at once: a full disk is an error here and no crash later. It removes the
// file's name at once if the system allows it, so that nothing can be left of it.
func NewScratch(dir string, count int) (*Scratch, error) {
	f, err := os.CreateTemp(dir, "agekit-scratch-*")
	if err != nil {
		return nil, err
	}
	s := &Scratch{file: f}
	_ = os.Remove(f.Name())
	if err = reserve(f, 4*int64(count)); err == nil {
		s.memory, err = mmap.Map(f, mmap.RDWR, 0)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name()) // if it still has its name
		return nil, fmt.Errorf("scratch file of %d bytes in %s: %w", 4*int64(count), dir, err)
	}
	s.Numbers = Numbers[float32](s.memory)
	return s, nil
}

// Close releases the memory and the file. Numbers must not be used afterward.
func (s *Scratch) Close() {
	// Errors are ignored: the system releases the rest when the program ends.
	_ = s.memory.Unmap()
	_ = s.file.Close()
	_ = os.Remove(s.file.Name()) // if it still has its name
}

// Floats maps the little-endian float32 numbers of the regular file at path, from the byte offset, a multiple
// of 4, to the end. They stay mapped as long as the program runs. Writing to them crashes the program.
func Floats(path string, offset int) ([]float32, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	b := f.Bytes()
	if offset%4 != 0 || offset >= len(b) {
		f.Close()
		return nil, fmt.Errorf("%s: numbers at byte %d of %d", path, offset, len(b))
	}
	return Numbers[float32](b[offset:]), nil
}

// writeZeros writes size zero bytes to f: it reserves disk space on systems without a call for that.
func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, 1<<20)
	for size > 0 {
		n, err := f.Write(zeros[:min(size, int64(len(zeros)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}
