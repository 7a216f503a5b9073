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

// bytesOf loads an argument that is a count of numbers, of the given size, as a count of bytes.
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

// result is the place of an argument or a result. (avo's Store would use SSE.)
func result(c gotypes.Component) Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// load loads eight numbers.
func load(numbers Mem) reg.VecVirtual {
	r := YMM()
	VMOVUPS(numbers, r)
	return r
}

// following returns the pointers to n rows, a stride apart, the first of which is p.
func following(p, stride reg.Register, n int) []reg.Register {
	all := []reg.Register{p}
	for i := 1; i < n; i++ {
		next := GP64()
		LEAQ(Mem{Base: all[i-1], Index: stride, Scale: 1}, next)
		all = append(all, next)
	}
	return all
}

// countDown repeats body until counter, a positive multiple of step, is zero.
func countDown(label string, counter reg.Register, step int, body func()) {
	Label(label)
	body()
	SUBQ(U8(step), counter)
	JNZ(LabelRef(label))
}

// place is where the current eight numbers of an array are.
type place func(array reg.Register) Mem

// eachEight repeats body for each eight of the n numbers of arrays; n is an argument of the function.
func eachEight(body func(place)) {
	n, i := bytesOf("n", 4), GP64()
	XORQ(i, i)
	Label("lanes")
	body(func(array reg.Register) Mem { return Mem{Base: array, Index: i, Scale: 1} })
	ADDQ(U8(32), i)
	CMPQ(i, n)
	JLT(LabelRef("lanes"))
}

// constant is the place of eight times the same number.
func constant(v float32) Mem { return constantInt(math.Float32bits(v)) }

// constantInt is the place of eight times the same integer.
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

var constants = map[uint32]Mem{}
