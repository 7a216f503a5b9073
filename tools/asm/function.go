package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// function begins a function that keeps none of its pointers.
func function(name, signature string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
}

// end returns from the function. It leaves the upper parts of the registers clean: compiled Go's SSE
// instructions would merge with them, for tens of cycles each on Intel's processors.
func end() {
	VZEROUPPER()
	RET()
}

// argument loads an argument that is a pointer or an int.
func argument(name string) reg.Register { return Load(Param(name), GP64()) }

// bytesOf loads an argument that is a count of numbers, of size bytes each, as a count of bytes. size is
// a power of two.
func bytesOf(name string, size int) reg.Register {
	r := argument(name)
	SHLQ(U8(math.Ilogb(float64(size))), r)
	return r
}

// scalar loads an argument that is a float32 or an int32 into all lanes.
func scalar(name string) reg.VecVirtual {
	r := YMM()
	VBROADCASTSS(result(Param(name)), r)
	return r
}

// result returns the place of an argument or a result on the stack, for instructions that avo's Load and
// Store would not choose: they use SSE.
func result(c gotypes.Component) Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// load returns a register with the eight numbers that lie at a place.
func load(numbers Mem) reg.VecVirtual {
	r := YMM()
	VMOVUPS(numbers, r)
	return r
}

// following returns n registers that point to n rows, the first of which is at p; stride is the number of
// bytes from one row to the next.
func following(p, stride reg.Register, n int) []reg.Register {
	all := []reg.Register{p}
	for i := 1; i < n; i++ {
		next := GP64()
		LEAQ(Mem{Base: all[i-1], Index: stride, Scale: 1}, next)
		all = append(all, next)
	}
	return all
}

// countDown repeats body, and subtracts step from counter after each time, until counter is zero. The
// counter begins with a positive multiple of step. The label names the loop within the function.
func countDown(label string, counter reg.Register, step int, body func()) {
	Label(label)
	body()
	SUBQ(U8(step), counter)
	JNZ(LabelRef(label))
}

// place returns where the current eight numbers of an array are, whose beginning a register points to.
type place func(array reg.Register) Mem

// eachEight repeats body for each eight of the n float32 numbers that the function's arrays have: n is an
// argument of the function, a positive multiple of 8.
func eachEight(body func(place)) {
	n, i := bytesOf("n", 4), GP64() // i counts bytes, too
	XORQ(i, i)
	Label("lanes")
	body(func(array reg.Register) Mem { return Mem{Base: array, Index: i, Scale: 1} })
	ADDQ(U8(8*4), i)
	CMPQ(i, n)
	JLT(LabelRef("lanes"))
}

// constant returns the place of eight times the number v in the data of the program.
func constant(v float32) Mem { return constantInt(math.Float32bits(v)) }

// constantInt returns the place of eight times the integer v in the data of the program.
func constantInt(v uint32) Mem {
	m, ok := constants[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("eight%08x", v), attr.RODATA|attr.NOPTR)
		for i := range 8 {
			DATA(4*i, U32(v))
		}
		constants[v] = m
	}
	return m
}

// constants has the places that constantInt has made, by their integer.
var constants = map[uint32]Mem{}
