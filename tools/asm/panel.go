package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panelBytes is the width of a panel, 8 columns of float64.
const panelBytes = 8 * 8

// mulPanel writes a function that adds a·x to dst. The matrix a has the given number of rows, as dst has,
// and cols columns; the panels x and dst have 8 columns. The sums stay in registers.
func mulPanel(l level, rows int) {
	function("mulPanel"+l.name, "func(dst *float64, dstStride int, a *float64, stride, cols int, x *float64, xStride int)")
	dst, _ := spread(argument("dst"), bytesOf("dstStride", 8), rows)
	// a are the numbers in the current column of each row: all move on with their bases.
	a, bases := spread(argument("a"), bytesOf("stride", 8), rows)
	cols, x, xStride := argument("cols"), argument("x"), bytesOf("xStride", 8)
	sums := l.loadPanel(dst)
	countDown("column", cols, 1, func() {
		l.addProducts(sums, x, a)
		for _, p := range bases {
			ADDQ(U8(8), p)
		}
		ADDQ(xStride, x)
	})
	l.storePanel(sums, dst)
	end()
}

// mulTransPanel writes a function that adds aᵀ·x to dst. The matrix a has rows rows and the given number
// of columns, which are the rows of dst; the panels x and dst have 8 columns.
func mulTransPanel(l level, cols int) {
	function("mulTransPanel"+l.name, "func(dst *float64, dstStride int, a *float64, stride, rows int, x *float64, xStride int)")
	dst, _ := spread(argument("dst"), bytesOf("dstStride", 8), cols)
	a, stride := argument("a"), bytesOf("stride", 8)
	rows, x, xStride := argument("rows"), argument("x"), bytesOf("xStride", 8)
	var factors []Mem // the numbers in the current row of a
	for j := range cols {
		factors = append(factors, Mem{Base: a, Disp: 8 * j})
	}
	sums := l.loadPanel(dst)
	countDown("row", rows, 1, func() {
		l.addProducts(sums, x, factors)
		ADDQ(stride, a)
		ADDQ(xStride, x)
	})
	l.storePanel(sums, dst)
	end()
}

// spread returns the places of n rows, the first at p; stride is the number of bytes from one row to the
// next. It also returns the registers that point to every third row, from which an address reaches the
// two rows after it: base + stride and base + 2·stride.
func spread(p, stride reg.Register, n int) (rows []Mem, bases []reg.Register) {
	for i := range n {
		if i%3 > 0 {
			rows = append(rows, Mem{Base: p, Index: stride, Scale: uint8(i % 3)})
			continue
		}
		if i > 0 {
			next := GP64()
			LEAQ(Mem{Base: p, Index: stride, Scale: 2}, next)
			ADDQ(stride, next)
			p = next
		}
		rows, bases = append(rows, Mem{Base: p}), append(bases, p)
	}
	return rows, bases
}

// loadPanel returns registers with the numbers of a panel's rows, those of a row one after the other.
func (l level) loadPanel(rows []Mem) (sums [][]reg.VecVirtual) {
	for i, row := range rows {
		sums = append(sums, l.registers(panelBytes/l.width))
		for c, s := range sums[i] {
			VMOVUPD(row.Offset(c*l.width), s)
		}
	}
	return sums
}

// storePanel writes the numbers of registers, as loadPanel returns them, to a panel's rows.
func (l level) storePanel(sums [][]reg.VecVirtual, rows []Mem) {
	for i, row := range rows {
		for c, s := range sums[i] {
			VMOVUPD(s, row.Offset(c*l.width))
		}
	}
}

// addProducts adds factors[i]·(row of x) to the registers sums[i], for each i. x points to the row, which
// is as wide as a panel. With AVX-512, where one register has a whole row, the multiply-add broadcasts
// the factor itself.
func (l level) addProducts(sums [][]reg.VecVirtual, x reg.Register, factors []Mem) {
	y, f := l.registers(panelBytes/l.width), l.registers(1)[0]
	for c := range y {
		VMOVUPD(Mem{Base: x, Disp: c * l.width}, y[c])
	}
	for i := range sums {
		if l == avx512 {
			VFMADD231PD_BCST(factors[i], y[0], sums[i][0])
			continue
		}
		VBROADCASTSD(factors[i], f)
		for c, s := range sums[i] {
			VFMADD231PD(y[c], f, s)
		}
	}
}

// widen writes a function that writes a matrix x of float32 as the matrix dst of float64. cols is a
// positive multiple of 8.
func widen() {
	function("widenAVX2", "func(dst *float64, dstStride int, x *float32, stride, rows, cols int)")
	dst, dstStride := argument("dst"), bytesOf("dstStride", 8)
	x, stride := argument("x"), bytesOf("stride", 4)
	rows, cols, i := argument("rows"), argument("cols"), GP64()
	countDown("row", rows, 1, func() {
		XORQ(i, i)
		Label("lanes")
		for c := 0; c < 8; c += 4 {
			v := YMM()
			VCVTPS2PD(Mem{Base: x, Index: i, Scale: 4, Disp: 4 * c}, v)
			VMOVUPD(v, Mem{Base: dst, Index: i, Scale: 8, Disp: 8 * c})
		}
		ADDQ(U8(8), i)
		CMPQ(i, cols)
		JLT(LabelRef("lanes"))
		ADDQ(stride, x)
		ADDQ(dstStride, dst)
	})
	end()
}
