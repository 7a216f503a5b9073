#include "textflag.h"
#include "neon_arm64.h"

// Products with tiles of 64 float32 and panels of 8 float64.

// PUT64 stores sixteen registers at p.
#define PUT64(p) \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(p) \
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(p) \
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(p) \
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (p)

// FMLA64 adds the products of 64 numbers at p with V20 to sixteen sums.
#define FMLA64(p) \
	VLD1.P 64(p), [V16.S4, V17.S4, V18.S4, V19.S4] \
	FMLA4S4(V20, V0, V1, V2, V3) \
	VLD1.P 64(p), [V16.S4, V17.S4, V18.S4, V19.S4] \
	FMLA4S4(V20, V4, V5, V6, V7) \
	VLD1.P 64(p), [V16.S4, V17.S4, V18.S4, V19.S4] \
	FMLA4S4(V20, V8, V9, V10, V11) \
	VLD1.P 64(p), [V16.S4, V17.S4, V18.S4, V19.S4] \
	FMLA4S4(V20, V12, V13, V14, V15)

// func csrRowsNEON(dst *float32, dstStride int, indptr *int, rows int, indices *int32, values, src *float32, srcStride int)
// No values stand for ones.
TEXT ·csrRowsNEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD indptr+16(FP), R2
	MOVD rows+24(FP), R3
	MOVD indices+32(FP), R4
	MOVD values+40(FP), R5
	MOVD src+48(FP), R6
	MOVD srcStride+56(FP), R7
	LSL  $2, R1
	LSL  $2, R7
	MOVD.P 8(R2), R8
	ADD  R8<<2, R4, R4      // the next index
	MOVD R5, R13
	FMOVS $1.0, F20
	VDUP V20.S[0], V20.S4
	CBZ  R5, row
	ADD  R8<<2, R13, R13     // the next value

row:
	MOVD.P 8(R2), R9
	SUB  R8, R9, R10    // the entries of this row
	MOVD R9, R8
	ZERO8(V0, V1, V2, V3, V4, V5, V6, V7)
	ZERO8(V8, V9, V10, V11, V12, V13, V14, V15)
	CBZ  R10, put

entry:
	MOVW.P 4(R4), R11
	MADD R7, R6, R11, R11
	CBZ  R5, one
	VLD1R.P 4(R13), [V20.S4]

one:
	FMLA64(R11)
	SUBS $1, R10
	BNE  entry

put:
	MOVD R0, R12
	PUT64(R12)
	ADD  R1, R0
	SUBS $1, R3
	BNE  row
	RET

// func dense1NEON(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)
TEXT ·dense1NEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD a+16(FP), R2
	MOVD step+32(FP), R17
	MOVD k+40(FP), R4
	MOVD src+48(FP), R5
	LSL  $2, R17
	MOVD R0, R6
	VLD1.P 64(R6), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R6), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R6), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1 (R6), [V12.S4, V13.S4, V14.S4, V15.S4]

row:
	VLD1R.P (R2)(R17), [V20.S4]
	FMLA64(R5)
	SUBS $1, R4
	BNE  row

	PUT64(R0)
	RET

// func dense4NEON(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)
// Sixteen columns at a time.
TEXT ·dense4NEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD a+16(FP), R2
	MOVD stride+24(FP), R3
	MOVD step+32(FP), R17
	MOVD src+48(FP), R5
	LSL  $2, R1
	LSL  $2, R3
	LSL  $2, R17
	MOVD $4, R15
	MOVD $256, R16

part:
	ADD  R1, R0, R6
	ADD  R1, R6, R7
	ADD  R1, R7, R8
	VLD1 (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1 (R6), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1 (R7), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1 (R8), [V12.S4, V13.S4, V14.S4, V15.S4]
	MOVD R2, R9
	ADD  R3, R9, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	MOVD R5, R13
	MOVD k+40(FP), R4

row:
	VLD1.P (R13)(R16), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1R.P (R9)(R17), [V20.S4]
	VLD1R.P (R10)(R17), [V21.S4]
	VLD1R.P (R11)(R17), [V22.S4]
	VLD1R.P (R12)(R17), [V23.S4]
	FMLA4S4(V20, V0, V1, V2, V3)
	FMLA4S4(V21, V4, V5, V6, V7)
	FMLA4S4(V22, V8, V9, V10, V11)
	FMLA4S4(V23, V12, V13, V14, V15)
	SUBS $1, R4
	BNE  row

	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R6)
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R7)
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R8)
	ADD  $64, R5
	SUBS $1, R15
	BNE  part
	RET

// PANEL makes the strides bytes and loads four rows of dst.
#define PANEL \
	LSL $3, R1 \
	LSL $3, R3 \
	LSL $3, R16 \
	ADD R1, R0, R6 \
	ADD R1, R6, R7 \
	ADD R1, R7, R8 \
	VLD1 (R0), [V0.D2, V1.D2, V2.D2, V3.D2] \
	VLD1 (R6), [V4.D2, V5.D2, V6.D2, V7.D2] \
	VLD1 (R7), [V8.D2, V9.D2, V10.D2, V11.D2] \
	VLD1 (R8), [V12.D2, V13.D2, V14.D2, V15.D2]

// PANELFMLA adds the products of a row of x with V20 … V23.
#define PANELFMLA \
	VLD1.P (R5)(R16), [V16.D2, V17.D2, V18.D2, V19.D2] \
	FMLA4D2(V20, V0, V1, V2, V3) \
	FMLA4D2(V21, V4, V5, V6, V7) \
	FMLA4D2(V22, V8, V9, V10, V11) \
	FMLA4D2(V23, V12, V13, V14, V15)

#define PUTPANEL \
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R0) \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R6) \
	VST1 [V8.D2, V9.D2, V10.D2, V11.D2], (R7) \
	VST1 [V12.D2, V13.D2, V14.D2, V15.D2], (R8)

// func mulPanelNEON(dst *float64, dstStride int, a *float64, stride, k int, x *float64, xStride int)
TEXT ·mulPanelNEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD a+16(FP), R9
	MOVD stride+24(FP), R3
	MOVD k+32(FP), R4
	MOVD x+40(FP), R5
	MOVD xStride+48(FP), R16
	PANEL
	ADD R3, R9, R10
	ADD R3, R10, R11
	ADD R3, R11, R12

column:
	VLD1R.P 8(R9), [V20.D2]
	VLD1R.P 8(R10), [V21.D2]
	VLD1R.P 8(R11), [V22.D2]
	VLD1R.P 8(R12), [V23.D2]
	PANELFMLA
	SUBS $1, R4
	BNE  column

	PUTPANEL
	RET

// func mulTransPanelNEON(dst *float64, dstStride int, a *float64, stride, k int, x *float64, xStride int)
TEXT ·mulTransPanelNEON(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD a+16(FP), R9
	MOVD stride+24(FP), R3
	MOVD k+32(FP), R4
	MOVD x+40(FP), R5
	MOVD xStride+48(FP), R16
	PANEL

row:
	MOVD R9, R10
	VLD1R.P 8(R10), [V20.D2]
	VLD1R.P 8(R10), [V21.D2]
	VLD1R.P 8(R10), [V22.D2]
	VLD1R (R10), [V23.D2]
	PANELFMLA
	ADD  R3, R9
	SUBS $1, R4
	BNE  row

	PUTPANEL
	RET

// func widenNEON(dst *float64, dstStride int, x *float32, stride, rows, cols int)
TEXT ·widenNEON(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD dstStride+8(FP), R1
	MOVD x+16(FP), R2
	MOVD stride+24(FP), R3
	MOVD rows+32(FP), R4
	LSL  $3, R1
	LSL  $2, R3

row:
	MOVD cols+40(FP), R5
	MOVD R0, R6
	MOVD R2, R7

lanes:
	VLD1.P 32(R7), [V0.S4, V1.S4]
	FCVTL2D(0, 2)
	FCVTL22D(0, 3)
	FCVTL2D(1, 4)
	FCVTL22D(1, 5)
	VST1.P [V2.D2, V3.D2, V4.D2, V5.D2], 64(R6)
	SUBS $8, R5
	BNE  lanes

	ADD  R1, R0
	ADD  R3, R2
	SUBS $1, R4
	BNE  row
	RET
