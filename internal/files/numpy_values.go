package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/agekit/age/internal/system"
)

// ArrayNumber is a type to which values are converted.
type ArrayNumber interface {
	int | int32 | int64 | uint8 | float32 | float64
}

// blockBytes is the number of bytes that are read at a time.
const blockBytes = 64 << 10

// ArrayValues reads a whole array, a matrix in row-major order. See [ArrayBlocks].
func ArrayValues[T ArrayNumber](a *Array) ([]T, error) {
	bytes := int(unsafe.Sizeof(T(0)))
	if err := system.CheckMemory(fmt.Sprintf("%d values of %d bytes", a.Len(), bytes), float64(bytes)*float64(a.Len())); err != nil {
		return nil, err
	}
	out, k := make([]T, a.Len()), 0
	err := ArrayBlocks(a, func(block []T) error {
		if !a.Fortran || len(a.Shape) != 2 {
			k += copy(out[k:], block)
			return nil
		}
		for _, v := range block {
			out[k%a.Shape[0]*a.Shape[1]+k/a.Shape[0]] = v
			k++
		}
		return nil
	})
	return out, err
}

// ArrayBlocks reads an array and calls do with each block of its values, in the order of the
// file. The block is valid only during the call.
//
// An integer outside T's range or above 2⁶³−1, and a finite number that float32 cannot
// hold, are errors with the position. Integer types take no arrays of floats.
func ArrayBlocks[T ArrayNumber](a *Array, do func([]T) error) error {
	// Only integer division rounds down to 0.
	integer := T(1)/T(2) == 0
	if integer && a.kind == 'f' {
		return fmt.Errorf("values of type %s: want integers", a.name)
	}
	raw := make([]byte, blockBytes)
	per := blockBytes / a.size
	out := make([]T, per)
	whole, real := make([]int64, per), make([]float64, per)
	for start, n := 0, a.Len(); start < n; start += per {
		count := min(per, n-start)
		if _, err := io.ReadFull(a.r, raw[:count*a.size]); err != nil {
			return fmt.Errorf("%s: %w", a.place(start), ends(err))
		}
		if a.kind == 'f' {
			a.floats(real[:count], raw)
			if k := fromFloats(out[:count], real); k >= 0 {
				return fmt.Errorf("%s: value %v: want at most %v", a.place(start+k), real[k], float32(math.MaxFloat32))
			}
		} else {
			a.integers(whole[:count], raw)
			if a.name == "uint64" && slices.Min(whole[:count]) < 0 {
				k := slices.IndexFunc(whole[:count], func(v int64) bool { return v < 0 })
				return fmt.Errorf("%s: value %d: want at most %d", a.place(start+k), uint64(whole[k]), math.MaxInt64)
			}
			if k := fromIntegers(out[:count], whole, integer); k >= 0 {
				return fmt.Errorf("%s: value %d: want an integer of %d bits", a.place(start+k), whole[k], 8*unsafe.Sizeof(T(0)))
			}
		}
		if err := do(out[:count]); err != nil {
			return err
		}
	}
	return a.atEnd()
}

// atEnd reads the end of the data: a zip member compares its checksum there.
func (a *Array) atEnd() error {
	switch n, err := io.ReadFull(a.r, make([]byte, 1)); {
	case n > 0:
		return errors.New("more data than the shape and type need")
	case err != io.EOF:
		return ends(err)
	}
	return nil
}

// integers decodes integers and bools; those above the range of int64 become negative.
func (a *Array) integers(to []int64, raw []byte) {
	unused := 64 - 8*a.size // bits
	for k := range to {
		b := raw[k*a.size:]
		switch a.size {
		case 1:
			to[k] = int64(b[0])
		case 2:
			to[k] = int64(a.order.Uint16(b))
		case 4:
			to[k] = int64(a.order.Uint32(b))
		default:
			to[k] = int64(a.order.Uint64(b))
		}
		switch a.kind {
		case 'i': // with the sign
			to[k] = to[k] << unused >> unused
		case 'b': // numpy takes every byte but 0 for true
			to[k] = min(1, to[k])
		}
	}
}

func (a *Array) floats(to []float64, raw []byte) {
	for k := range to {
		switch b := raw[k*a.size:]; a.size {
		case 2:
			to[k] = half(a.order.Uint16(b))
		case 4:
			to[k] = float64(math.Float32frombits(a.order.Uint32(b)))
		default:
			to[k] = math.Float64frombits(a.order.Uint64(b))
		}
	}
}

// half returns the value of a float16. npyio takes subnormal numbers for 0.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		return -v
	}
	return v
}

// fromIntegers converts integers. It returns the first index that does not fit T, or −1.
func fromIntegers[T ArrayNumber](to []T, from []int64, integer bool) int {
	for k := range to {
		v := T(from[k])
		if to[k] = v; integer && int64(v) != from[k] {
			return k
		}
	}
	return -1
}

// fromFloats does the same with floats.
func fromFloats[T ArrayNumber](to []T, from []float64) int {
	for k := range to {
		v := T(from[k])
		if to[k] = v; math.IsInf(float64(v), 0) && !math.IsInf(from[k], 0) {
			return k
		}
	}
	return -1
}
