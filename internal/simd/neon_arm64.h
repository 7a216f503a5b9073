// Instructions that Go's assembler lacks, on registers named by their numbers, in
// its order of operands: the destination comes last.

#define FADD4S(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // fadd d.4s, n.4s, m.4s
#define FSUB4S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d)) // fsub d.4s, n.4s, m.4s
#define FMUL4S(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // fmul d.4s, n.4s, m.4s
#define FDIV4S(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d)) // fdiv d.4s, n.4s, m.4s
#define FMAX4S(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d)) // fmax d.4s, n.4s, m.4s
#define FMIN4S(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d)) // fmin d.4s, n.4s, m.4s
#define FADDP4S(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d)) // faddp d.4s, n.4s, m.4s
#define FCMGE4S(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d)) // fcmge d.4s, n.4s, m.4s
#define CMGT4S(m, n, d) WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d)) // cmgt d.4s, n.4s, m.4s
#define BIC16B(m, n, d) WORD $(0x4E601C00 | (m)<<16 | (n)<<5 | (d)) // bic d.16b, n.16b, m.16b
#define FSQRT4S(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d)) // fsqrt d.4s, n.4s
#define FRINTN4S(n, d) WORD $(0x4E218800 | (n)<<5 | (d)) // frintn d.4s, n.4s
#define FCVTZS4S(n, d) WORD $(0x4EA1B800 | (n)<<5 | (d)) // fcvtzs d.4s, n.4s
#define FCVTL2D(n, d) WORD $(0x0E617800 | (n)<<5 | (d)) // fcvtl d.2d, n.2s
#define FCVTL22D(n, d) WORD $(0x4E617800 | (n)<<5 | (d)) // fcvtl2 d.2d, n.4s

// SUMS4 leaves the sums of four pairs of registers in V(a0), in the order of
// additions of AVX2: neighbors, then the halves.
#define SUMS4(a0, a1, b0, b1, c0, c1, d0, d1) \
	FADDP4S(b0, a0, a0) \
	FADDP4S(d0, c0, c0) \
	FADDP4S(c0, a0, a0) \
	FADDP4S(b1, a1, a1) \
	FADDP4S(d1, c1, c1) \
	FADDP4S(c1, a1, a1) \
	FADD4S(a1, a0, a0)

// SUM leaves the sum of a pair of registers in the first number of V(a0).
#define SUM(a0, a1) \
	FADDP4S(a0, a0, a0) \
	FADDP4S(a0, a0, a0) \
	FADDP4S(a1, a1, a1) \
	FADDP4S(a1, a1, a1) \
	FADD4S(a1, a0, a0)

#define ZERO(v) VEOR v.B16, v.B16, v.B16

#define ZERO8(v0, v1, v2, v3, v4, v5, v6, v7) \
	ZERO(v0) \
	ZERO(v1) \
	ZERO(v2) \
	ZERO(v3) \
	ZERO(v4) \
	ZERO(v5) \
	ZERO(v6) \
	ZERO(v7)

// FMLA4 adds the products of V16 … V19 with f to four sums.
#define FMLA4S4(f, s0, s1, s2, s3) \
	VFMLA V16.S4, f.S4, s0.S4 \
	VFMLA V17.S4, f.S4, s1.S4 \
	VFMLA V18.S4, f.S4, s2.S4 \
	VFMLA V19.S4, f.S4, s3.S4

#define FMLA4D2(f, s0, s1, s2, s3) \
	VFMLA V16.D2, f.D2, s0.D2 \
	VFMLA V17.D2, f.D2, s1.D2 \
	VFMLA V18.D2, f.D2, s2.D2 \
	VFMLA V19.D2, f.D2, s3.D2
