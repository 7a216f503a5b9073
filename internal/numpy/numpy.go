// Package numpy reads numpy's arrays with npyio, and adds the checks for
// damaged files that npyio lacks.
package numpy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// Read reads one array in numpy's .npy format from r, which has size bytes.
// Only arrays of numbers are read: others may hold pickled objects. The error
// does not name the file.
func Read(r io.Reader, size int64) (a *npy.Array, err error) {
	defer func() {
		// npyio parses the header without bounds checks.
		if p := recover(); p != nil {
			a, err = nil, fmt.Errorf("damaged .npy header: %v", p)
		}
	}()
	// Read one byte more than announced: the reader must see the end of a zip
	// member to compare its checksum, and must reject content that is too
	// long.
	b := bufio.NewReader(io.LimitReader(r, size+1))
	// npyio allocates the header before it reads it.
	if head, _ := b.Peek(12); len(head) == 12 && head[6] == 2 {
		if n := binary.LittleEndian.Uint32(head[8:]); int64(n) > size {
			return nil, fmt.Errorf("header of %d bytes in a file of %d", n, size)
		}
	}
	d, err := npy.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("not a .npy array: %w", err)
	}
	if kind := strings.TrimLeft(d.Header.Descr.Type, "<>|="); kind == "" || !strings.Contains("biuf", kind[:1]) {
		return nil, fmt.Errorf("array of type %q, want numbers", d.Header.Descr.Type)
	}
	a = new(npy.Array)
	if err := d.Read(a); err != nil {
		return nil, err
	}
	return a, nil
}

// Floats returns an array's numbers as float32, in the order in which they are
// stored. It may share the array's memory.
func Floats(a *npy.Array) ([]float32, error) {
	var out []float32
	switch d := a.Data().(type) {
	case []float32:
		out = d
	case []float64:
		out = convert[float32](d)
	default:
		whole, err := Integers(a)
		if err != nil {
			return nil, err
		}
		return convert[float32](whole), nil
	}
	return out, checkLength(a, len(out))
}

// Integers returns the numbers of an array of integers or bools, in the order
// in which they are stored. It may share the array's memory.
func Integers(a *npy.Array) ([]int64, error) {
	var out []int64
	switch d := a.Data().(type) {
	case []int64:
		out = d
	case []int32:
		out = convert[int64](d)
	case []int16:
		out = convert[int64](d)
	case []int8:
		out = convert[int64](d)
	case []uint64:
		out = convert[int64](d)
	case []uint32:
		out = convert[int64](d)
	case []uint16:
		out = convert[int64](d)
	case []uint8:
		out = convert[int64](d)
	case []bool:
		out = make([]int64, len(d))
		for i, b := range d {
			if b {
				out[i] = 1
			}
		}
	default:
		return nil, fmt.Errorf("array of %T, want integers", d)
	}
	return out, checkLength(a, len(out))
}

func convert[To, From interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}](from []From) []To {
	to := make([]To, len(from))
	for i, v := range from {
		to[i] = To(v)
	}
	return to
}

// checkLength compares the number of values read with the array's shape.
func checkLength(a *npy.Array, n int) error {
	want := 1
	for _, size := range a.Shape() {
		if size < 0 || (size > 0 && want > math.MaxInt32*64/size) {
			return fmt.Errorf("array of shape %v, want sizes that fit the file", a.Shape())
		}
		want *= size
	}
	if n != want {
		return fmt.Errorf("%d values for shape %v, want %d", n, a.Shape(), want)
	}
	return nil
}
