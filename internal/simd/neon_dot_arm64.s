#include "textflag.h"
#include "neon_arm64.h"

// Dot products. A pair of registers holds eight sums.

// PAIR adds the products of eight numbers at p and of eight at q to two sums.
#define PAIR(p, q, s0, s1) \
	VLD1.P 32(p), [V24.S4, V25.S4] \
	VLD1.P 32(q), [V30.S4, V31.S4] \
	VFMLA V24.S4, V30.S4, s0.S4 \
	VFMLA V25.S4, V31.S4, s1.S4

// func dotNEON(a, b *float32, k int) float32
TEXT ·dotNEON(SB), NOSPLIT, $0-28
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD k+16(FP), R2
	ZERO(V0)
	ZERO(V1)

lanes:
	PAIR(R0, R1, V0, V1)
	SUBS $8, R2
	BNE  lanes

	SUM(0, 1)
	FMOVS F0, ret+24(FP)
	RET

// func dots4NEON(dst *float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 *float32)
TEXT ·dots4NEON(SB), NOSPLIT, $0-80
	MOVD dst+0(FP), R0
	MOVD k+8(FP), R1
	MOVD a0+16(FP), R2
	MOVD b0+24(FP), R3
	MOVD a1+32(FP), R4
	MOVD b1+40(FP), R5
	MOVD a2+48(FP), R6
	MOVD b2+56(FP), R7
	MOVD a3+64(FP), R8
	MOVD b3+72(FP), R9
	ZERO8(V0, V1, V2, V3, V4, V5, V6, V7)

lanes:
	PAIR(R2, R3, V0, V1)
	PAIR(R4, R5, V2, V3)
	PAIR(R6, R7, V4, V5)
	PAIR(R8, R9, V6, V7)
	SUBS $8, R1
	BNE  lanes

	SUMS4(0, 1, 2, 3, 4, 5, 6, 7)
	VST1 [V0.S4], (R0)
	RET

// ROWS points R6 … R9 to four rows of b, a stride of R10 numbers apart.
#define ROWS \
	LSL $2, R10 \
	ADD R10, R6, R7 \
	ADD R10, R7, R8 \
	ADD R10, R8, R9

// COLUMN loads eight numbers of a row of b.
#define COLUMN(p) VLD1.P 32(p), [V30.S4, V31.S4]

// ADD8 adds their products with two registers to two sums.
#define ADD8(x0, x1, s0, s1) \
	VFMLA V30.S4, x0.S4, s0.S4 \
	VFMLA V31.S4, x1.S4, s1.S4

// func gram1x4NEON(dst *float32, dstStride int, a, b *float32, k, stride int)
TEXT ·gram1x4NEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD a+16(FP), R3
	MOVD b+24(FP), R6
	MOVD k+32(FP), R2
	MOVD stride+40(FP), R10
	ROWS
	ZERO8(V0, V1, V2, V3, V4, V5, V6, V7)

lanes:
	VLD1.P 32(R3), [V24.S4, V25.S4]
	COLUMN(R6)
	ADD8(V24, V25, V0, V1)
	COLUMN(R7)
	ADD8(V24, V25, V2, V3)
	COLUMN(R8)
	ADD8(V24, V25, V4, V5)
	COLUMN(R9)
	ADD8(V24, V25, V6, V7)
	SUBS $8, R2
	BNE  lanes

	SUMS4(0, 1, 2, 3, 4, 5, 6, 7)
	VST1 [V0.S4], (R0)
	RET

// func gram3x4NEON(dst *float32, dstStride int, a, b *float32, k, stride int)
// All 32 registers: 24 sums, 6 for a and 2 for b.
TEXT ·gram3x4NEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD a+16(FP), R3
	MOVD b+24(FP), R6
	MOVD k+32(FP), R2
	MOVD stride+40(FP), R10
	LSL  $2, R1
	ROWS
	ADD R10, R3, R4
	ADD R10, R4, R5
	ZERO8(V0, V1, V2, V3, V4, V5, V6, V7)
	ZERO8(V8, V9, V10, V11, V12, V13, V14, V15)
	ZERO8(V16, V17, V18, V19, V20, V21, V22, V23)

lanes:
	VLD1.P 32(R3), [V24.S4, V25.S4]
	VLD1.P 32(R4), [V26.S4, V27.S4]
	VLD1.P 32(R5), [V28.S4, V29.S4]
	COLUMN(R6)
	ADD8(V24, V25, V0, V1)
	ADD8(V26, V27, V8, V9)
	ADD8(V28, V29, V16, V17)
	COLUMN(R7)
	ADD8(V24, V25, V2, V3)
	ADD8(V26, V27, V10, V11)
	ADD8(V28, V29, V18, V19)
	COLUMN(R8)
	ADD8(V24, V25, V4, V5)
	ADD8(V26, V27, V12, V13)
	ADD8(V28, V29, V20, V21)
	COLUMN(R9)
	ADD8(V24, V25, V6, V7)
	ADD8(V26, V27, V14, V15)
	ADD8(V28, V29, V22, V23)
	SUBS $8, R2
	BNE  lanes

	SUMS4(0, 1, 2, 3, 4, 5, 6, 7)
	SUMS4(8, 9, 10, 11, 12, 13, 14, 15)
	SUMS4(16, 17, 18, 19, 20, 21, 22, 23)
	VST1 [V0.S4], (R0)
	ADD  R1, R0
	VST1 [V8.S4], (R0)
	ADD  R1, R0
	VST1 [V16.S4], (R0)
	RET
