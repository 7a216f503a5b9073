package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"

	"github.com/x448/float16"

	"github.com/agekit/age/internal/system"
)

// Number is a type to which values are converted.
type Number interface {
	int | int32 | int64 | uint8 | float32 | float64
}

// blockBytes is the number of bytes that are read at a time.
const blockBytes = 64 << 10

// Values reads and returns all values of an array; those of a matrix are in row-major order, also if
// the file has them column by column. See [Blocks] for the errors. Values that would take more
// memory than is free are an error, too.
func Values[T Number](a *Array) ([]T, error) {
	size := int(unsafe.Sizeof(T(0)))
	if err := system.CheckMemory(fmt.Sprintf("%d values of %d bytes", a.Len(), size), float64(size)*float64(a.Len())); err != nil {
		return nil, err
	}
	out := make([]T, a.Len())
	k := 0 // values read so far
	err := Blocks(a, func(block []T) error {
		if !a.Fortran || len(a.Shape) != 2 {
			k += copy(out[k:], block)
			return nil
		}
		for _, v := range block { // column by column
			i, j := k%a.Shape[0], k/a.Shape[0]
			out[i*a.Shape[1]+j] = v
			k++
		}
		return nil
	})
	return out, err
}

// Blocks reads an array and calls do with each block of its values, in the order of the
// file. The block is valid only during the call.
//
// An integer outside T's range or above 2⁶³−1, and a finite number that float32 cannot
// hold, are errors with the position. Integer types take no arrays of floats.
func Blocks[T Number](a *Array, do func([]T) error) error {
	toIntegers := T(1)/T(2) == 0 // only the division of integers rounds down
	if toIntegers && a.kind == 'f' {
		return fmt.Errorf("values of type %s: want integers", a.name)
	}
	raw := make([]byte, blockBytes)
	blockSize := blockBytes / a.size // values
	out := make([]T, blockSize)
	for start, n := 0, a.Len(); start < n; start += blockSize {
		count := min(blockSize, n-start)
		if _, err := io.ReadFull(a.r, raw[:count*a.size]); err != nil {
			return fmt.Errorf("%s: %w", a.place(start), ends(err))
		}
		for k := range out[:count] {
			var err error
			if b := raw[k*a.size:]; a.kind == 'f' {
				out[k], err = fromFloat[T](a.float(b))
			} else {
				out[k], err = fromInteger[T](a.integer(b), a.name == "uint64", toIntegers)
			}
			if err != nil {
				return fmt.Errorf("%s: value %w", a.place(start+k), err)
			}
		}
		if err := do(out[:count]); err != nil {
			return err
		}
	}
	return a.atEnd()
}

// atEnd returns an error unless the data end here. It tries to read a byte more, because the reader of
// a zip member compares the checksum only when it comes to the end.
func (a *Array) atEnd() error {
	switch n, err := io.ReadFull(a.r, make([]byte, 1)); {
	case n > 0:
		return errors.New("more data than the shape and type need")
	case err != io.EOF:
		return ends(err)
	}
	return nil
}

// integer decodes the integer or bool at the beginning of b. A uint64 above the range of int64 becomes
// negative.
func (a *Array) integer(b []byte) (v int64) {
	switch a.size {
	case 1:
		v = int64(b[0])
	case 2:
		v = int64(a.order.Uint16(b))
	case 4:
		v = int64(a.order.Uint32(b))
	default:
		v = int64(a.order.Uint64(b))
	}
	switch a.kind {
	case 'i': // with the sign
		unused := 64 - 8*a.size // bits
		return v << unused >> unused
	case 'b': // numpy takes every byte but 0 for true
		return min(1, v)
	}
	return v
}

// float decodes the floating-point number at the beginning of b.
func (a *Array) float(b []byte) float64 {
	switch a.size {
	case 2: // not by npyio, which takes subnormal numbers for 0
		return float64(float16.Frombits(a.order.Uint16(b)).Float32())
	case 4:
		return float64(math.Float32frombits(a.order.Uint32(b)))
	}
	return math.Float64frombits(a.order.Uint64(b))
}

// fromInteger converts v, which [Array.integer] decoded, to T. toIntegers says that T is an integer
// type; a v that T cannot hold is an error then. unsigned says that the file has uint64: a negative v
// was above 2⁶³−1 there, which is an error for every T.
func fromInteger[T Number](v int64, unsigned, toIntegers bool) (T, error) {
	converted := T(v)
	switch {
	case unsigned && v < 0:
		return 0, fmt.Errorf("%d: want at most %d", uint64(v), math.MaxInt64)
	case toIntegers && int64(converted) != v:
		return 0, fmt.Errorf("%d: want an integer of %d bits", v, 8*unsafe.Sizeof(converted))
	}
	return converted, nil
}

// fromFloat converts v to T, or returns an error for a finite number that float32 cannot hold.
func fromFloat[T Number](v float64) (T, error) {
	converted := T(v)
	if math.IsInf(float64(converted), 0) && !math.IsInf(v, 0) {
		return 0, fmt.Errorf("%v: want at most %v", v, float32(math.MaxFloat32))
	}
	return converted, nil
}
