//go:build goexperiment.simd

#include "textflag.h"

// The compiler hands out fifteen vector registers and only the form of the
// multiply-add that overwrites a factor, so that a third of the instructions of
// a loop in Go are moves. The dense loops here keep 4×4 sums in sixteen of the
// thirty-two registers: eight loads feed sixteen multiply-adds.

// MADD4 adds x times Z16, Z17, Z18 and Z19 to four sums.
#define MADD4(x, s0, s1, s2, s3) \
	VFMADD231PS Z16, x, s0 \
	VFMADD231PS Z17, x, s1 \
	VFMADD231PS Z18, x, s2 \
	VFMADD231PS Z19, x, s3

// LOAD64 and PUT64 move a row of 64 numbers.
#define LOAD64(from, s0, s1, s2, s3) \
	VMOVUPS (from), s0 \
	VMOVUPS 64(from), s1 \
	VMOVUPS 128(from), s2 \
	VMOVUPS 192(from), s3

#define PUT64(to, s0, s1, s2, s3) \
	VMOVUPS s0, (to) \
	VMOVUPS s1, 64(to) \
	VMOVUPS s2, 128(to) \
	VMOVUPS s3, 192(to)

// func dense4AVX512(dst unsafe.Pointer, dstStride int, a unsafe.Pointer, stride, k int, src unsafe.Pointer)
// Strides are in bytes; src's rows lie one after the other.
TEXT ·dense4AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), DX
	MOVQ a+16(FP), R8
	MOVQ stride+24(FP), R12
	MOVQ k+32(FP), CX
	MOVQ src+40(FP), SI

	LEAQ (R8)(R12*1), R9
	LEAQ (R9)(R12*1), R10
	LEAQ (R10)(R12*1), R11
	LEAQ (DI)(DX*1), R13
	LEAQ (R13)(DX*1), R14
	LEAQ (R14)(DX*1), R15
	LOAD64(DI, Z0, Z1, Z2, Z3)
	LOAD64(R13, Z4, Z5, Z6, Z7)
	LOAD64(R14, Z8, Z9, Z10, Z11)
	LOAD64(R15, Z12, Z13, Z14, Z15)
	XORQ AX, AX

row:
	LOAD64(SI, Z16, Z17, Z18, Z19)
	VBROADCASTSS (R8)(AX*4), Z20
	VBROADCASTSS (R9)(AX*4), Z21
	VBROADCASTSS (R10)(AX*4), Z22
	VBROADCASTSS (R11)(AX*4), Z23
	MADD4(Z20, Z0, Z1, Z2, Z3)
	MADD4(Z21, Z4, Z5, Z6, Z7)
	MADD4(Z22, Z8, Z9, Z10, Z11)
	MADD4(Z23, Z12, Z13, Z14, Z15)
	ADDQ $256, SI
	INCQ AX
	CMPQ AX, CX
	JLT  row

	PUT64(DI, Z0, Z1, Z2, Z3)
	PUT64(R13, Z4, Z5, Z6, Z7)
	PUT64(R14, Z8, Z9, Z10, Z11)
	PUT64(R15, Z12, Z13, Z14, Z15)
	VZEROUPPER
	RET

// FOLD adds the upper half of a register to the lower one.
#define FOLD(z, y) \
	VEXTRACTF64X4 $1, z, Y20 \
	VADDPS Y20, y, y

// SUM4 stores the sums of four registers, in the order of additions of sum4.
#define SUM4(to, z0, y0, z1, y1, z2, y2, z3, y3, x0) \
	FOLD(z0, y0) \
	FOLD(z1, y1) \
	FOLD(z2, y2) \
	FOLD(z3, y3) \
	VHADDPS y1, y0, y0 \
	VHADDPS y3, y2, y2 \
	VHADDPS y2, y0, y0 \
	VEXTRACTF128 $1, y0, X1 \
	VADDPS X1, x0, x0 \
	VMOVUPS x0, (to)

// func gram4AVX512(dst unsafe.Pointer, dstStride int, a, b unsafe.Pointer, k, stride int)
// Strides are in bytes; k is a multiple of 16.
TEXT ·gram4AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), DX
	MOVQ a+16(FP), R8
	MOVQ b+24(FP), SI
	MOVQ k+32(FP), CX
	MOVQ stride+40(FP), R12

	LEAQ (R8)(R12*1), R9
	LEAQ (R9)(R12*1), R10
	LEAQ (R10)(R12*1), R11
	LEAQ (SI)(R12*1), R13
	LEAQ (R13)(R12*1), R14
	LEAQ (R14)(R12*1), R15
	VPXORQ Z0, Z0, Z0
	VMOVAPS Z0, Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z0, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z0, Z5
	VMOVAPS Z0, Z6
	VMOVAPS Z0, Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z0, Z9
	VMOVAPS Z0, Z10
	VMOVAPS Z0, Z11
	VMOVAPS Z0, Z12
	VMOVAPS Z0, Z13
	VMOVAPS Z0, Z14
	VMOVAPS Z0, Z15
	XORQ AX, AX

lanes:
	VMOVUPS (SI)(AX*4), Z16
	VMOVUPS (R13)(AX*4), Z17
	VMOVUPS (R14)(AX*4), Z18
	VMOVUPS (R15)(AX*4), Z19
	VMOVUPS (R8)(AX*4), Z20
	VMOVUPS (R9)(AX*4), Z21
	VMOVUPS (R10)(AX*4), Z22
	VMOVUPS (R11)(AX*4), Z23
	MADD4(Z20, Z0, Z1, Z2, Z3)
	MADD4(Z21, Z4, Z5, Z6, Z7)
	MADD4(Z22, Z8, Z9, Z10, Z11)
	MADD4(Z23, Z12, Z13, Z14, Z15)
	ADDQ $16, AX
	CMPQ AX, CX
	JLT  lanes

	SUM4(DI, Z0, Y0, Z1, Y1, Z2, Y2, Z3, Y3, X0)
	ADDQ DX, DI
	SUM4(DI, Z4, Y4, Z5, Y5, Z6, Y6, Z7, Y7, X4)
	ADDQ DX, DI
	SUM4(DI, Z8, Y8, Z9, Y9, Z10, Y10, Z11, Y11, X8)
	ADDQ DX, DI
	SUM4(DI, Z12, Y12, Z13, Y13, Z14, Y14, Z15, Y15, X12)
	VZEROUPPER
	RET

// func csrRowsAVX512(dst unsafe.Pointer, dstStride int, indptr unsafe.Pointer, rows int, indices, values, src unsafe.Pointer, srcStride int)
// Strides are in bytes; no values stand for ones.
TEXT ·csrRowsAVX512(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R13
	MOVQ indptr+16(FP), R8
	MOVQ rows+24(FP), CX
	MOVQ indices+32(FP), SI
	MOVQ values+40(FP), DX
	MOVQ src+48(FP), R9
	MOVQ srcStride+56(FP), R12
	MOVQ (R8), AX

row:
	MOVQ 8(R8), BX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	CMPQ AX, BX
	JGE  put
	TESTQ DX, DX
	JZ   one

entry:
	MOVLQSX (SI)(AX*4), R10
	IMULQ R12, R10
	VBROADCASTSS (DX)(AX*4), Z4
	ADDQ R9, R10
	VFMADD231PS (R10), Z4, Z0
	VFMADD231PS 64(R10), Z4, Z1
	VFMADD231PS 128(R10), Z4, Z2
	VFMADD231PS 192(R10), Z4, Z3
	INCQ AX
	CMPQ AX, BX
	JLT  entry
	JMP  put

one:
	MOVLQSX (SI)(AX*4), R10
	IMULQ R12, R10
	ADDQ R9, R10
	VADDPS (R10), Z0, Z0
	VADDPS 64(R10), Z1, Z1
	VADDPS 128(R10), Z2, Z2
	VADDPS 192(R10), Z3, Z3
	INCQ AX
	CMPQ AX, BX
	JLT  one

put:
	PUT64(DI, Z0, Z1, Z2, Z3)
	ADDQ R13, DI
	ADDQ $8, R8
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET
