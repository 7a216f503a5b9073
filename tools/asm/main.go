// Command asm writes the kernels of internal/simd for amd64 with avo. One description of
// a loop serves registers of 32 bytes (AVX2 with FMA) and of 64 (AVX-512).
//
// Each function such as [dot] writes one function in assembly. Its calls in capitals write an
// instruction each, whose last operand is its destination: VADDPS(x, y, z) is z = x + y,
// VSUBPS(x, y, z) is z = y − x and VFMADD231PS(x, y, z) is z += x·y, in each lane of the registers. A
// stride is the count of numbers from the beginning of a row to that of the next.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of exp in internal/simd.
const (
	expLimit         = 80
	log2E            = math.Log2E
	ln2Head, ln2Tail = 0.693359375, -2.12194440e-4
)

var expSeries = [...]float32{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1}

// level is an instruction set.
type level struct {
	name  string // which the names of functions end with
	width int    // bytes of a register
}

var (
	avx2   = level{name: "AVX2", width: 32}
	avx512 = level{name: "AVX512", width: 64}
)

func main() {
	for _, l := range []level{avx2, avx512} {
		dot(l)
		dots4(l)
		csrRows(l, "csrRows", tileBytes)
		csrRows(l, "csrNarrow", narrowBytes)
	}
	// Blocks of rows and columns with as many sums as fit into the registers, 16 or with AVX-512 32,
	// beside those of the factors; and of one row, for the rows that are left.
	gram(avx2, 3, 4)
	gram(avx2, 1, 4)
	gram(avx512, 4, 4)
	gram(avx512, 1, 4)
	dense(avx2, 3, 4)
	dense(avx2, 1, 8)
	dense(avx512, 4, 4)
	dense(avx512, 1, 4)
	mulPanel(avx2, 4)
	mulPanel(avx512, 8)
	mulTransPanel(avx2, 4)
	mulTransPanel(avx512, 8)
	widen()
	axpy()
	combine()
	shiftScale()
	sum()
	minimum()
	bins()
	adam()
	logistic()
	Generate()
}

// floats is the number of float32 in a register.
func (l level) floats() int { return l.width / 4 }

// registers returns n registers of this level's width.
func (l level) registers(n int) []reg.VecVirtual {
	all := make([]reg.VecVirtual, n)
	for i := range all {
		if all[i] = YMM(); l == avx512 {
			all[i] = ZMM()
		}
	}
	return all
}

// zeros returns n registers with zeros.
func (l level) zeros(n int) []reg.VecVirtual {
	all := l.registers(n)
	l.clear(all)
	return all
}

// clear sets registers to zeros.
func (l level) clear(all []reg.VecVirtual) {
	for _, r := range all {
		if l == avx512 {
			VPXORD(r, r, r) // VXORPS of this width needs AVX-512DQ
		} else {
			VXORPS(r, r, r)
		}
	}
}
