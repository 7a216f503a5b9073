package simd

// The assembly is in neon_*_arm64.s. A pair of registers holds eight numbers,
// which are added in the order of AVX2.

//go:noescape
func dotNEON(a, b *float32, k int) float32

//go:noescape
func dots4NEON(dst *float32, k int, a0, b0, a1, b1, a2, b2, a3, b3 *float32)

//go:noescape
func gram3x4NEON(dst *float32, dstStride int, a, b *float32, k, stride int)

//go:noescape
func gram1x4NEON(dst *float32, dstStride int, a, b *float32, k, stride int)

//go:noescape
func csrRowsNEON(dst *float32, dstStride int, indptr *int, rows int, indices *int32, values, src *float32, srcStride int)

//go:noescape
func dense4NEON(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)

//go:noescape
func dense1NEON(dst *float32, dstStride int, a *float32, stride, step, k int, src *float32)

//go:noescape
func mulPanelNEON(dst *float64, dstStride int, a *float64, stride, k int, x *float64, xStride int)

//go:noescape
func mulTransPanelNEON(dst *float64, dstStride int, a *float64, stride, k int, x *float64, xStride int)

//go:noescape
func widenNEON(dst *float64, dstStride int, x *float32, stride, rows, cols int)

//go:noescape
func axpyNEON(alpha float32, x, y *float32, n int)

//go:noescape
func combineNEON(dst *float32, a float32, x *float32, b float32, y *float32, n int)

//go:noescape
func shiftScaleNEON(dst, x *float32, shift, scale float32, n int)

//go:noescape
func sumNEON(x *float32, n int) float32

//go:noescape
func minimumNEON(x *float32, n int) [8]float32

//go:noescape
func binsNEON(dst *int32, marks *uint8, s *float32, n int, scale, last float32, beforeLow, high, belowAbove int32)

//go:noescape
func adamNEON(w, grad, m, v *float32, n int, beta1, rest1, beta2, rest2, step, correction, epsilon float32)

//go:noescape
func logisticNEON(s *float32, n int) (positive float32, product [8]float32)
