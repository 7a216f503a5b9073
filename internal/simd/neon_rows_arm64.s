#include "textflag.h"
#include "neon_arm64.h"

// The row operations, on a multiple of 8 numbers: two registers at a time.

// func axpyNEON(alpha float32, x, y *float32, n int)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	MOVWU alpha+0(FP), R3
	VDUP  R3, V20.S4
	MOVD  x+8(FP), R0
	MOVD  y+16(FP), R1
	MOVD  n+24(FP), R2

lanes:
	VLD1.P 32(R0), [V0.S4, V1.S4]
	VLD1 (R1), [V2.S4, V3.S4]
	VFMLA V0.S4, V20.S4, V2.S4
	VFMLA V1.S4, V20.S4, V3.S4
	VST1.P [V2.S4, V3.S4], 32(R1)
	SUBS $8, R2
	BNE  lanes
	RET

// func combineNEON(dst *float32, a float32, x *float32, b float32, y *float32, n int)
TEXT ·combineNEON(SB), NOSPLIT, $0-48
	MOVD  dst+0(FP), R0
	MOVWU a+8(FP), R3
	VDUP  R3, V20.S4
	MOVD  x+16(FP), R1
	MOVWU b+24(FP), R3
	VDUP  R3, V21.S4
	MOVD  y+32(FP), R2
	MOVD  n+40(FP), R4

lanes:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	VLD1.P 32(R2), [V2.S4, V3.S4]
	FMUL4S(2, 21, 2)
	FMUL4S(3, 21, 3)
	VFMLA V0.S4, V20.S4, V2.S4
	VFMLA V1.S4, V20.S4, V3.S4
	VST1.P [V2.S4, V3.S4], 32(R0)
	SUBS $8, R4
	BNE  lanes
	RET

// func shiftScaleNEON(dst, x *float32, shift, scale float32, n int)
TEXT ·shiftScaleNEON(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	MOVD  x+8(FP), R1
	MOVWU shift+16(FP), R3
	VDUP  R3, V20.S4
	MOVWU scale+20(FP), R3
	VDUP  R3, V21.S4
	MOVD  n+24(FP), R2

lanes:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	FSUB4S(20, 0, 0)
	FSUB4S(20, 1, 1)
	FMUL4S(21, 0, 0)
	FMUL4S(21, 1, 1)
	VST1.P [V0.S4, V1.S4], 32(R0)
	SUBS $8, R2
	BNE  lanes
	RET

// func sumNEON(x *float32, n int) float32
TEXT ·sumNEON(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	ZERO(V0)
	ZERO(V1)

lanes:
	VLD1.P 32(R0), [V2.S4, V3.S4]
	FADD4S(2, 0, 0)
	FADD4S(3, 1, 1)
	SUBS $8, R1
	BNE  lanes

	SUM(0, 1)
	FMOVS F0, ret+16(FP)
	RET

// func minimumNEON(x *float32, n int) [8]float32
TEXT ·minimumNEON(SB), NOSPLIT, $0-48
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	VLD1 (R0), [V0.S4, V1.S4]

lanes:
	VLD1.P 32(R0), [V2.S4, V3.S4]
	FMIN4S(2, 0, 0)
	FMIN4S(3, 1, 1)
	SUBS $8, R1
	BNE  lanes

	MOVD $ret+16(FP), R2
	VST1 [V0.S4, V1.S4], (R2)
	RET

DATA bits<>+0(SB)/8, $0x0000000200000001
DATA bits<>+8(SB)/8, $0x0000000800000004
DATA bits<>+16(SB)/8, $0x0000002000000010
DATA bits<>+24(SB)/8, $0x0000008000000040
GLOBL bits<>(SB), RODATA|NOPTR, $32

// BIN4 leaves the bins of a register of numbers in it, and in mark their bits
// where the bin is in the window.
#define BIN4(v, V, bit, mark, MARK) \
	FADD4S(20, v, v) \
	FMUL4S(21, v, v) \
	FMAX4S(22, v, v) \
	FMIN4S(23, v, v) \
	FCVTZS4S(v, v) \
	CMGT4S(24, v, mark) \
	CMGT4S(25, v, 6) \
	BIC16B(6, mark, mark) \
	CMGT4S(26, v, 6) \
	VORR V6.B16, MARK.B16, MARK.B16 \
	VAND bit.B16, MARK.B16, MARK.B16

// func binsNEON(dst *int32, marks *uint8, s *float32, n int, scale, last float32, beforeLow, high, belowAbove int32)
TEXT ·binsNEON(SB), NOSPLIT, $0-52
	MOVD  dst+0(FP), R0
	MOVD  marks+8(FP), R1
	MOVD  s+16(FP), R2
	MOVD  n+24(FP), R4
	FMOVS $1.0, F20
	VDUP  V20.S[0], V20.S4
	MOVWU scale+32(FP), R3
	VDUP  R3, V21.S4
	ZERO(V22)
	MOVWU last+36(FP), R3
	VDUP  R3, V23.S4
	MOVW  beforeLow+40(FP), R3
	VDUP  R3, V24.S4
	MOVW  high+44(FP), R3
	VDUP  R3, V25.S4
	MOVW  belowAbove+48(FP), R3
	VDUP  R3, V26.S4
	MOVD  $bits<>(SB), R3
	VLD1  (R3), [V27.S4, V28.S4]

lanes:
	VLD1.P 32(R2), [V0.S4, V1.S4]
	BIN4(0, V0, V27, 2, V2)
	BIN4(1, V1, V28, 3, V3)
	VST1.P [V0.S4, V1.S4], 32(R0)
	VORR V2.B16, V3.B16, V2.B16
	VADDV V2.S4, V2
	VMOV V2.S[0], R3
	MOVB.P R3, 1(R1)
	SUBS $8, R4
	BNE  lanes
	RET

// ADAM makes a step for four weights w with the gradient g and moments m and v.
#define ADAM(w, g, m, M, v, V) \
	FMUL4S(g, 21, 16) \
	VFMLA M.S4, V20.S4, V16.S4 \
	FMUL4S(g, 23, 17) \
	FMUL4S(g, 17, 17) \
	VFMLA V.S4, V22.S4, V17.S4 \
	VORR V16.B16, V16.B16, M.B16 \
	VORR V17.B16, V17.B16, V.B16 \
	FSQRT4S(17, 17) \
	VORR V26.B16, V26.B16, V18.B16 \
	VFMLA V17.S4, V25.S4, V18.S4 \
	FMUL4S(16, 24, 16) \
	FDIV4S(18, 16, 16) \
	FSUB4S(16, w, w)

// func adamNEON(w, grad, m, v *float32, n int, beta1, rest1, beta2, rest2, step, correction, epsilon float32)
TEXT ·adamNEON(SB), NOSPLIT, $0-68
	MOVD  w+0(FP), R0
	MOVD  grad+8(FP), R1
	MOVD  m+16(FP), R2
	MOVD  v+24(FP), R3
	MOVD  n+32(FP), R4
	MOVWU beta1+40(FP), R5
	VDUP  R5, V20.S4
	MOVWU rest1+44(FP), R5
	VDUP  R5, V21.S4
	MOVWU beta2+48(FP), R5
	VDUP  R5, V22.S4
	MOVWU rest2+52(FP), R5
	VDUP  R5, V23.S4
	MOVWU step+56(FP), R5
	VDUP  R5, V24.S4
	MOVWU correction+60(FP), R5
	VDUP  R5, V25.S4
	MOVWU epsilon+64(FP), R5
	VDUP  R5, V26.S4

lanes:
	VLD1 (R0), [V0.S4, V1.S4]
	VLD1.P 32(R1), [V2.S4, V3.S4]
	VLD1 (R2), [V4.S4, V5.S4]
	VLD1 (R3), [V6.S4, V7.S4]
	ADAM(0, 2, 4, V4, 6, V6)
	ADAM(1, 3, 5, V5, 7, V7)
	VST1.P [V0.S4, V1.S4], 32(R0)
	VST1.P [V4.S4, V5.S4], 32(R2)
	VST1.P [V6.S4, V7.S4], 32(R3)
	SUBS $8, R4
	BNE  lanes
	RET

// The constants of exp: the limit of |x|, log₂e, both parts of −log 2 and the
// series.
DATA exponential<>+0(SB)/4, $0x42a00000  // 80
DATA exponential<>+4(SB)/4, $0x3fb8aa3b  // log₂e
DATA exponential<>+8(SB)/4, $0xbf318000  // −0.693359375
DATA exponential<>+12(SB)/4, $0x395e8083 // 2.12194440e-4
DATA exponential<>+16(SB)/4, $0x3ab60b61 // 1/720
DATA exponential<>+20(SB)/4, $0x3c088889 // 1/120
DATA exponential<>+24(SB)/4, $0x3d2aaaab // 1/24
DATA exponential<>+28(SB)/4, $0x3e2aaaab // 1/6
DATA exponential<>+32(SB)/4, $0x3f000000 // 1/2
GLOBL exponential<>(SB), RODATA|NOPTR, $36

// TERM is a step of Horner's scheme: e = e·x + c.
#define TERM(c, x, e) \
	VORR c.B16, c.B16, V7.B16 \
	VFMLA x.S4, e.S4, V7.S4 \
	VORR V7.B16, V7.B16, e.B16

// LOGISTIC replaces four numbers V(v) by σ, and adds to the sum V(positive) and
// multiplies the product V(product). It uses V2 … V7.
#define LOGISTIC(v, V, positive, product) \
	FSUB4S(v, 31, 2) \
	FMAX4S(2, v, 2) \
	FMIN4S(20, 2, 2) \
	FSUB4S(2, 31, 2) \
	FMUL4S(21, 2, 3) \
	FRINTN4S(3, 3) \
	VFMLA V3.S4, V22.S4, V2.S4 \
	VFMLA V3.S4, V23.S4, V2.S4 \
	VORR V24.B16, V24.B16, V4.B16 \
	TERM(V25, V2, V4) \
	TERM(V26, V2, V4) \
	TERM(V27, V2, V4) \
	TERM(V28, V2, V4) \
	TERM(V30, V2, V4) \
	TERM(V30, V2, V4) \
	FCVTZS4S(3, 3) \
	VSHL $23, V3.S4, V3.S4 \
	VADD V30.S4, V3.S4, V3.S4 \
	FMUL4S(3, 4, 4) \
	FMAX4S(31, v, 5) \
	FADD4S(5, positive, positive) \
	FADD4S(4, 30, 5) \
	FMUL4S(5, product, product) \
	FDIV4S(5, 30, 5) \
	FMUL4S(5, 4, 4) \
	FCMGE4S(31, v, v) \
	VBSL V4.B16, V5.B16, V.B16

// func logisticNEON(s *float32, n int) (positive float32, product [8]float32)
TEXT ·logisticNEON(SB), NOSPLIT, $0-52
	MOVD s+0(FP), R0
	MOVD n+8(FP), R1
	MOVD $exponential<>(SB), R2
	VLD1R.P 4(R2), [V20.S4]
	VLD1R.P 4(R2), [V21.S4]
	VLD1R.P 4(R2), [V22.S4]
	VLD1R.P 4(R2), [V23.S4]
	VLD1R.P 4(R2), [V24.S4]
	VLD1R.P 4(R2), [V25.S4]
	VLD1R.P 4(R2), [V26.S4]
	VLD1R.P 4(R2), [V27.S4]
	VLD1R (R2), [V28.S4]
	FMOVS $1.0, F30
	VDUP V30.S[0], V30.S4
	ZERO(V31)
	ZERO(V16)
	ZERO(V17)
	VORR V30.B16, V30.B16, V18.B16
	VORR V30.B16, V30.B16, V19.B16

lanes:
	VLD1 (R0), [V0.S4, V1.S4]
	LOGISTIC(0, V0, 16, 18)
	LOGISTIC(1, V1, 17, 19)
	VST1.P [V0.S4, V1.S4], 32(R0)
	SUBS $8, R1
	BNE  lanes

	SUM(16, 17)
	FMOVS F16, positive+16(FP)
	MOVD $product+20(FP), R2
	VST1 [V18.S4, V19.S4], (R2)
	RET
