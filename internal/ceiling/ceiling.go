// Package ceiling measures the peak rates of a machine, with which the time of
// a stage is compared.
package ceiling

import (
	"runtime"
	"time"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
)

// Product computes the matrix product at which this module is fastest, a tile
// of 64 columns with a dense matrix 128 wide that stays in the cache, the
// given number of times on every core. It returns the number of float32
// multiply-adds.
func product(times int) (multiplyAdds float64) {
	const rows, width = 512, 128
	cores := runtime.GOMAXPROCS(0)
	parallel.Blocks(cores, 1, func(_, _ int) {
		a, x := ones(rows*width), ones(width*simd.TileWidth)
		dst := make([]float32, rows*simd.TileWidth)
		for range times {
			simd.DenseTile(dst, simd.TileWidth, a, width, width, x, simd.TileWidth, 0, rows)
		}
	})
	return float64(cores*times) * rows * width * simd.TileWidth
}

// Buffers holds two arrays in memory that are too large for any cache.
type buffers struct{ to, from []float32 }

// newBuffers returns buffers of 128 MB each.
func newBuffers() buffers { return buffers{ones(1 << 25), ones(1 << 25)} }

// Copy copies one buffer to the other on all cores, and returns the number of
// bytes read and written.
func (b buffers) Copy() (bytes float64) {
	cores := runtime.GOMAXPROCS(0)
	parallel.Blocks(len(b.to), (len(b.to)+cores-1)/cores, func(lo, hi int) { copy(b.to[lo:hi], b.from[lo:hi]) })
	return 2 * 4 * float64(len(b.to))
}

// Rates holds a machine's peak rates.
type Rates struct {
	MultiplyAdds float64 // float32, per second
	Bytes        float64 // read and written, per second
}

// Measure returns the best of several tries. It takes about half a second in
// total.
func Measure() Rates {
	b := newBuffers()
	return Rates{best(func() float64 { return product(200) }), best(b.Copy)}
}

// best returns the highest rate of ten tries.
func best(work func() float64) (rate float64) {
	for range 10 {
		start := time.Now()
		done := work()
		rate = max(rate, done/time.Since(start).Seconds())
	}
	return rate
}

func ones(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = 1
	}
	return values
}
