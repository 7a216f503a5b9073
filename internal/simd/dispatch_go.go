//go:build !(goexperiment.simd && amd64)

package simd

const level = "go"

func dot(a, b []float32) float32 { return dotGo(a, b) }

func gramBlock(dst, a, b []float32, rows, cols, k, stride int) {
	gramBlockGo(dst, a, b, rows, cols, k, stride)
}

func csrTile(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	csrTileGo(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
}

func denseTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	denseTileGo(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
}

// The row kernels return how much they did; the callers' plain loops do the rest.

func axpy(alpha float32, x, y []float32) int                                         { return 0 }
func minimum(x []float32) (float32, int)                                             { return x[0], 1 }
func pairDots(dst, a []float32, stride, k int, i, j []int32) int                     { return 0 }
func bins(dst []int32, marks []uint8, s []float32, count, from, to, above int32) int { return 0 }
func shiftScale(dst, x []float32, shift, scale float32) int                          { return 0 }
func combine(dst []float32, a float32, x []float32, b float32, y []float32) int      { return 0 }
func sum(x []float32) (float32, int)                                                 { return 0, 0 }
func adam(w, g, m, v []float32, r AdamRates) int                                     { return 0 }
func logistic(s []float32) (total float64, done int)                                 { return 0, 0 }
