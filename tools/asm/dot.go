package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dot writes a function that returns Σ aᵢ·bᵢ of k numbers, a positive multiple of the lanes of a
// register: each lane of sum has the sum of its own products.
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

// dots4 writes a function that computes four dot products at once: dst[0] is that of the k numbers at
// a0 and the k at b0, and so on to dst[3]. k is a positive multiple of the lanes of a register. Eight
// rows are then read from memory at the same time, which one dot product would wait for in turn.
func dots4(l level) {
	function("dots4"+l.name, "func(dst *float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 *float32)")
	k, dst := argument("k"), argument("dst")
	var a, b []reg.Register
	for i := range 4 {
		a = append(a, argument(fmt.Sprint("a", i)))
		b = append(b, argument(fmt.Sprint("b", i)))
	}
	sums, x := l.zeros(4), l.registers(4) // sums[i] has the sums of a[i]·b[i]
	offset := GP64()                      // bytes from the beginnings of the rows
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

// gram writes a function that computes rows·cols dot products of k numbers: dst[i·dstStride+j] is that
// of row i of a and row j of b, whose rows are stride numbers apart. Each has its own register of sums.
// cols is 4, as many as l.sums adds up at a time.
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
	offset := GP64() // bytes from the beginnings of the rows
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

// sums returns a register with four numbers, the sums of the lanes of the four registers s. The order of
// the additions is fixed, so that results are: of 16 lanes, the upper eight are added to the lower ones;
// of eight, neighbors are added twice, and then the upper half to the lower one.
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
	neighbors, others := YMM(), YMM() // VHADDPS adds neighboring lanes
	VHADDPS(eights[1], eights[0], neighbors)
	VHADDPS(eights[3], eights[2], others)
	VHADDPS(others, neighbors, neighbors) // both halves have a partial sum of each of the four
	total := XMM()
	VEXTRACTF128(U8(1), neighbors, total)
	VADDPS(total, neighbors.AsX(), total)
	return total
}
