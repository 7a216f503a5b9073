package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dot is Σ aᵢ·bᵢ with one register of sums.
func dot(l level) {
	function("dot"+l.name, "func(a, b *float32, k int) float32")
	a, b, k := argument("a"), argument("b"), argument("k")
	sum := l.zeros(1)[0]
	x := l.registers(1)[0]
	countDown("lanes", k, l.floats(), func() {
		VMOVUPS(Mem{Base: a}, x)
		VFMADD231PS(Mem{Base: b}, x, sum)
		ADDQ(U8(l.width), a)
		ADDQ(U8(l.width), b)
	})
	VMOVSS(l.sums(sum, sum, sum, sum), result(ReturnIndex(0)))
	end()
}

// dots4 is four dot products aᵢ·bᵢ of k numbers each, so that eight rows come from memory at a time.
func dots4(l level) {
	function("dots4"+l.name, "func(dst *float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 *float32)")
	k, dst := argument("k"), argument("dst")
	var a, b []reg.Register
	for i := range 4 {
		a = append(a, argument(fmt.Sprint("a", i)))
		b = append(b, argument(fmt.Sprint("b", i)))
	}
	sums, x := l.zeros(4), l.registers(4)
	offset := GP64()
	XORQ(offset, offset)
	countDown("lanes", k, l.floats(), func() {
		for i, s := range sums {
			VMOVUPS(Mem{Base: a[i], Index: offset, Scale: 1}, x[i])
			VFMADD231PS(Mem{Base: b[i], Index: offset, Scale: 1}, x[i], s)
		}
		ADDQ(U8(l.width), offset)
	})
	VMOVUPS(l.sums(sums...), Mem{Base: dst})
	end()
}

// gram is the rows×cols dot products of rows of a and b, all of which have
// their own register of sums.
func gram(l level, rows, cols int) {
	function(fmt.Sprintf("gram%dx%d%s", rows, cols, l.name), "func(dst *float32, dstStride int, a, b *float32, k, stride int)")
	dst, k, stride := argument("dst"), argument("k"), bytesOf("stride", 4)
	a := following(argument("a"), stride, rows)
	b := following(argument("b"), stride, cols)
	var sums [][]reg.VecVirtual
	for range rows {
		sums = append(sums, l.zeros(cols))
	}
	x, y := l.registers(rows), l.registers(1)[0]
	offset := GP64()
	XORQ(offset, offset)
	countDown("lanes", k, l.floats(), func() {
		for i := range rows {
			VMOVUPS(Mem{Base: a[i], Index: offset, Scale: 1}, x[i])
		}
		for j := range cols {
			VMOVUPS(Mem{Base: b[j], Index: offset, Scale: 1}, y)
			for i := range rows {
				VFMADD231PS(y, x[i], sums[i][j])
			}
		}
		ADDQ(U8(l.width), offset)
	})
	dstStride := bytesOf("dstStride", 4)
	for i := range rows {
		VMOVUPS(l.sums(sums[i]...), Mem{Base: dst})
		if i < rows-1 {
			ADDQ(dstStride, dst)
		}
	}
	end()
}

// sums returns the sums of four registers' numbers, always in this order: the upper half
// on the lower one until eight are left, then neighbors, then the halves.
func (l level) sums(s ...reg.VecVirtual) reg.VecVirtual {
	eights := make([]reg.VecVirtual, len(s)) // eight numbers are left of each
	for i, r := range s {
		eights[i] = r
		if l.width == 64 {
			low, high := r.AsY(), YMM()
			VEXTRACTF64X4(U8(1), r, high)
			sum := YMM()
			VADDPS(low, high, sum)
			eights[i] = sum
		}
	}
	neighbors, others := YMM(), YMM()
	VHADDPS(eights[1], eights[0], neighbors)
	VHADDPS(eights[3], eights[2], others)
	VHADDPS(others, neighbors, neighbors)
	total := XMM()
	VEXTRACTF128(U8(1), neighbors, total)
	VADDPS(total, neighbors.AsX(), total)
	return total
}
