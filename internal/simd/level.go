package simd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Variable names the environment variable that sets the level at start.
const Variable = "AGEKIT_SIMD"

// plainGo is the level that every processor has.
const plainGo = "go"

// kernels are the inner loops of one level, in assembly. They check nothing and cannot
// be interrupted: their callers check the bounds and pass a limited number of rows.
type kernels struct {
	level string

	dot   func(a, b *float32, k int) float32
	dots4 func(dst *float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 *float32)
	gram  []rowKernel[gramKernel]

	csrRows   csrKernel
	csrNarrow csrKernel // nil: there is none
	dense     []rowKernel[denseKernel]

	widen                   func(dst *float64, dstStride int, x *float32, stride, rows, cols int)
	mulPanel, mulTransPanel []rowKernel[panelKernel]

	vectorKernels
}

// vectorKernels are the loops over vectors, which memory bounds.
type vectorKernels struct {
	axpy       func(alpha float32, x, y *float32, n int)
	combine    func(dst *float32, a float32, x *float32, b float32, y *float32, n int)
	shiftScale func(dst, x *float32, shift, scale float32, n int)
	sum        func(x *float32, n int) float32
	minimum    func(x *float32, n int) [8]float32
	bins       func(dst *int32, marks *uint8, s *float32, n int, scale, last float32, beforeLow, high, belowAbove int32)
	adam       func(w, g, m, v *float32, n int, beta1, rest1, beta2, rest2, step, correction, epsilon float32)
	logistic   func(s *float32, n int) (positive float32, product [8]float32)
}

type (
	csrKernel   = func(dst *float32, dstStride int, indptr *int, rows int, indices *int32, values, src *float32, srcStride int)
	gramKernel  = func(dst *float32, dstStride int, a, b *float32, k, stride int)
	denseKernel = func(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)
	panelKernel = func(dst *float64, dstStride int, a *float64, stride, k int, x *float64, xStride int)
)

// rowKernel is a kernel that computes a fixed number of rows at a time. A list of such kernels begins with
// that of the most rows; each does the rows that the kernels before it leave.
type rowKernel[F any] struct {
	rows int
	run  F
}

var (
	// available are the levels in assembly of this processor, fastest first.
	available = detect()
	// active is the level in use; nil is plain Go.
	active *kernels
	// errVariable says what is wrong with the environment variable.
	errVariable error
)

func init() { errVariable = start(os.Getenv(Variable)) }

// start chooses the level of that name, or the fastest one if name is "". A name that is not one of this
// processor's levels is an error; the fastest level is in use then, too.
func start(name string) error {
	fastest := Levels()[0]
	if err := SetLevel(cmp.Or(name, fastest)); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", Variable, err), SetLevel(fastest))
	}
	return nil
}

// Level returns the name of the level in use: "avx512", "avx2", "neon" or "go".
func Level() string {
	if active == nil {
		return plainGo
	}
	return active.level
}

// Levels returns the levels that this processor has, fastest first.
func Levels() []string {
	var names []string
	for _, k := range available {
		names = append(names, k.level)
	}
	return append(names, plainGo)
}

// SetLevel chooses the level of that name, one of [Levels]; another name is an error and changes nothing.
// No function of this package may run meanwhile.
func SetLevel(name string) error {
	for _, k := range available {
		if k.level == name {
			active = k
			return nil
		}
	}
	if name != plainGo {
		return fmt.Errorf("SIMD level %q: want one that this processor has: %s", name, strings.Join(Levels(), ", "))
	}
	active = nil
	return nil
}

// Err returns an error if AGEKIT_SIMD names a level that does not exist or that this
// processor lacks. The fastest level is in use then.
func Err() error { return errVariable }
