package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileBytes is the width of a tile: 64 columns of float32.
const tileBytes = 4 * 64

// narrowBytes is the width of a narrow tile: 16 columns, a cache line.
const narrowBytes = 4 * 16

// csrRows writes a function that sets rows of dst to the product of rows of a sparse matrix (CSR) with a
// tile of src, whose rows have the given number of bytes. The entries of row i are indptr[i] to
// indptr[i+1]−1: indices has their columns, and values their values; if values is nil, all are one. The
// sums of a row stay in registers while its entries pass. The name of the function is name and the level.
func csrRows(l level, name string, bytes int) {
	function(name+l.name, "func(dst *float32, dstStride int, indptr *int, rows int, indices *int32, values *float32, src *float32, srcStride int)")
	dst, dstStride := argument("dst"), bytesOf("dstStride", 4)
	indptr, rows, indices, values := argument("indptr"), argument("rows"), argument("indices"), argument("values")
	src, srcStride := argument("src"), bytesOf("srcStride", 4)
	entry, last := GP64(), GP64()
	MOVQ(Mem{Base: indptr}, entry)
	sums := l.registers(bytes / l.width)
	value := l.registers(1)[0]

	Label("row") // of the sparse matrix
	MOVQ(Mem{Base: indptr, Disp: 8}, last)
	l.clear(sums)
	CMPQ(entry, last)
	JGE(LabelRef("put"))
	TESTQ(values, values)
	JZ(LabelRef("one"))

	srcRow := GP64()
	findRow := func() { // srcRow points to the row of src that the entry multiplies
		MOVLQSX(Mem{Base: indices, Index: entry, Scale: 4}, srcRow)
		IMULQ(srcStride, srcRow)
		ADDQ(src, srcRow)
	}
	next := func(label string) {
		INCQ(entry)
		CMPQ(entry, last)
		JLT(LabelRef(label))
	}
	Label("entry")
	findRow()
	VBROADCASTSS(Mem{Base: values, Index: entry, Scale: 4}, value)
	for c, s := range sums {
		VFMADD231PS(Mem{Base: srcRow, Disp: c * l.width}, value, s)
	}
	next("entry")
	JMP(LabelRef("put"))

	Label("one") // an entry without values
	findRow()
	for c, s := range sums {
		VADDPS(Mem{Base: srcRow, Disp: c * l.width}, s, s)
	}
	next("one")

	Label("put") // writes the row's sums
	for c, s := range sums {
		VMOVUPS(s, Mem{Base: dst, Disp: c * l.width})
	}
	ADDQ(dstStride, dst)
	ADDQ(U8(8), indptr)
	DECQ(rows)
	JNZ(LabelRef("row"))
	end()
}

// dense writes a function that adds a·src to dst. The matrix a has the given number of rows, as dst has:
// they are stride numbers apart, and the k numbers of a row are step apart. src is a tile of k rows
// without gaps. The tile is done in parts of columns, as wide as the given number of registers, with
// which the sums of a row are held.
func dense(l level, rows, registers int) {
	function(fmt.Sprintf("dense%d%s", rows, l.name), "func(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)")
	dst := following(argument("dst"), bytesOf("dstStride", 4), rows)
	a := following(argument("a"), bytesOf("stride", 4), rows)
	step, k, src := bytesOf("step", 4), argument("k"), argument("src")
	width := registers * l.width
	for part := range tileBytes / width { // of the columns
		// column is where the columns of the part's register c begin, in bytes from the beginning of a row.
		column := func(c int) int { return part*width + c*l.width }
		var sums [][]reg.VecVirtual
		for i := range rows {
			sums = append(sums, l.registers(registers))
			for c, s := range sums[i] {
				VMOVUPS(Mem{Base: dst[i], Disp: column(c)}, s)
			}
		}
		row, offset, remaining := GP64(), GP64(), GP64() // of the tile; of a's numbers, in bytes; rows
		MOVQ(src, row)
		XORQ(offset, offset)
		MOVQ(k, remaining)
		values, x := l.registers(rows), l.registers(1)[0]
		label := fmt.Sprint("row", part)
		Label(label)
		for i, v := range values {
			VBROADCASTSS(Mem{Base: a[i], Index: offset, Scale: 1}, v)
		}
		for c := range registers {
			VMOVUPS(Mem{Base: row, Disp: column(c)}, x)
			for i, v := range values {
				VFMADD231PS(x, v, sums[i][c])
			}
		}
		ADDQ(U32(tileBytes), row)
		ADDQ(step, offset)
		DECQ(remaining)
		JNZ(LabelRef(label))
		for i := range rows {
			for c, s := range sums[i] {
				VMOVUPS(s, Mem{Base: dst[i], Disp: column(c)})
			}
		}
	}
	end()
}
