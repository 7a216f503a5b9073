package simd

import "fmt"

// PanelWidth is the number of columns of a panel: 8 float64 are one cache line.
const PanelWidth = 8

// MulPanel adds the product of a rows×cols matrix and a panel to a panel:
//
//	dst[i·dstStride+c] += Σ_j a[i·stride+j] · x[j·xStride+c],  c = 0 … PanelWidth−1
func MulPanel(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (rows-1)*dstStride+PanelWidth || len(a) < (rows-1)*stride+cols || len(x) < (cols-1)*xStride+PanelWidth {
		panic(fmt.Sprintf("simd: MulPanel %d×%d: lengths %d, %d, %d", rows, cols, len(dst), len(a), len(x)))
	}
	i := 0
	if active != nil {
		for _, block := range active.mulPanel {
			for ; i+block.rows <= rows; i += block.rows {
				block.run(&dst[i*dstStride], dstStride, &a[i*stride], stride, cols, &x[0], xStride)
			}
		}
	}
	if i < rows {
		mulPanelGo(dst[i*dstStride:], dstStride, a[i*stride:], stride, rows-i, cols, x, xStride)
	}
}

// MulTransPanel adds the product of a transposed rows×cols matrix and a panel to
// a panel:
//
//	dst[j·dstStride+c] += Σ_i a[i·stride+j] · x[i·xStride+c],  c = 0 … PanelWidth−1
func MulTransPanel(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (cols-1)*dstStride+PanelWidth || len(a) < (rows-1)*stride+cols || len(x) < (rows-1)*xStride+PanelWidth {
		panic(fmt.Sprintf("simd: MulTransPanel %d×%d: lengths %d, %d, %d", rows, cols, len(dst), len(a), len(x)))
	}
	j := 0
	if active != nil {
		for _, block := range active.mulTransPanel {
			for ; j+block.rows <= cols; j += block.rows {
				block.run(&dst[j*dstStride], dstStride, &a[j], stride, rows, &x[0], xStride)
			}
		}
	}
	if j < cols {
		mulTransPanelGo(dst[j*dstStride:], dstStride, a[j:], stride, rows, cols-j, x, xStride)
	}
}

// Widen writes a rows×cols matrix of float32 as float64:
//
//	dst[i·dstStride+j] = x[i·stride+j]
func Widen(dst []float64, dstStride int, x []float32, stride, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	if len(dst) < (rows-1)*dstStride+cols || len(x) < (rows-1)*stride+cols {
		panic(fmt.Sprintf("simd: Widen %d×%d: lengths %d, %d", rows, cols, len(dst), len(x)))
	}
	done := whole(cols)
	if done > 0 {
		active.widen(&dst[0], dstStride, &x[0], stride, rows, done)
	}
	for i := range rows {
		for j := done; j < cols; j++ {
			dst[i*dstStride+j] = float64(x[i*stride+j])
		}
	}
}
