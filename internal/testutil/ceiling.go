package testutil

// This part measures a machine's peak rates, with which stages are compared.

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
)

// The matrix of product has so many rows and columns, and stays in the cache.
const productRows, productColumns = 512, 128

// product computes the matrix product at which this module is fastest, that of a dense matrix and
// a tile of 64 columns, the given number of times on every core. It returns the number of float32
// multiply-adds.
func product(times int) (multiplyAdds float64) {
	const rows, width = productRows, productColumns
	cores := runtime.GOMAXPROCS(0)
	linalg.Parallel(cores, 1, func(_, _ int) {
		a, x := ones(rows*width), ones(width*simd.TileWidth)
		dst := make([]float32, rows*simd.TileWidth)
		for range times {
			simd.DenseTile(dst, simd.TileWidth, a, width, width, x, simd.TileWidth, 0, rows)
		}
	})
	return float64(cores*times) * rows * width * simd.TileWidth
}

// copyAll copies from to dst on all cores, and returns the number of bytes read and written.
func copyAll(dst, from []float32) (bytes float64) {
	cores := runtime.GOMAXPROCS(0)
	linalg.Parallel(len(dst), (len(dst)+cores-1)/cores, func(lo, hi int) { copy(dst[lo:hi], from[lo:hi]) })
	return 2 * 4 * float64(len(dst))
}

// tooLarge is the length of an array that fits in no cache: 128 MB.
const tooLarge = 1 << 25

// peaks returns this machine's peak rates, the best of several tries: float32 multiply-adds,
// and bytes read and written, per second. It measures them once per test binary, in half a
// second.
var peaks = sync.OnceValues(func() (multiplyAdds, bytes float64) {
	dst, from := ones(tooLarge), ones(tooLarge)
	return best(func() float64 { return product(200) }), best(func() float64 { return copyAll(dst, from) })
})

// best calls work ten times and returns the highest rate: what work says that it did, per second.
func best(work func() float64) (rate float64) {
	for range 10 {
		start := time.Now()
		done := work()
		rate = max(rate, done/time.Since(start).Seconds())
	}
	return rate
}

// ones returns n numbers 1.
func ones(n int) []float32 { return slices.Repeat([]float32{1}, n) }
