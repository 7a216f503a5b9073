// Package simd holds the inner loops that this module spends its time in:
// float32 dot products, sparse and dense products with tiles of 64 columns,
// Gram blocks and the row operations of the encoder. Each stands in three
// forms: AVX-512, AVX2 with FMA (both on Go's simd/archsimd, compiled in on
// amd64 with GOEXPERIMENT=simd, but for three loops of AVX-512 in assembly) and
// plain Go, which every platform has. The processor decides at start; Level
// tells which.
//
// Within one form a dot product has the same bits whether it comes from Dot
// or from GramBlock: the exact pair selection compares the two.
package simd

import (
	"fmt"
	"math"
)

// Lanes is the multiple to which the length of vectors is padded with zeros,
// for Dot and GramBlock.
const Lanes = 16

// TileWidth is the number of columns of a tile: 64 float32 are four AVX-512
// registers, and a tile of Cora's 2,708 rows is 0.7 MB, which stays in a
// core's L2 cache while all layers of the filter pass over it.
const TileWidth = 64

// Level says which form runs: "avx512", "avx2" or "go".
func Level() string { return level }

// Padded returns n rounded up to a multiple of Lanes.
func Padded(n int) int { return (n + Lanes - 1) / Lanes * Lanes }

// Tiles returns the number of tiles that cover n columns.
func Tiles(n int) int { return (n + TileWidth - 1) / TileWidth }

// Dot returns Σ aᵢ·bᵢ. The length must be a multiple of Lanes.
func Dot(a, b []float32) float32 {
	if len(a) != len(b) || len(a)%Lanes != 0 {
		panic(fmt.Sprintf("simd: Dot of lengths %d and %d: want equal multiples of %d", len(a), len(b), Lanes))
	}
	if len(a) == 0 {
		return 0
	}
	return dot(a, b)
}

// PairDots writes dst[p] = Dot(a_i[p], a_j[p]), bit by bit, for rows of width k
// that lie stride apart in a. k must be a multiple of Lanes. Rows that are far
// apart come from memory four pairs at a time, in two thirds of the time.
func PairDots(dst, a []float32, stride, k int, i, j []int32) {
	j, dst = j[:len(i)], dst[:len(i)]
	last := int32(-1)
	if k <= len(a) {
		last = int32((len(a) - k) / stride)
	}
	for p := range i {
		if min(i[p], j[p]) < 0 || max(i[p], j[p]) > last {
			panic(fmt.Sprintf("simd: PairDots of rows %d and %d: there are %d", i[p], j[p], last+1))
		}
	}
	done := 0
	if k > 0 {
		done = pairDots(dst, a, stride, k, i, j)
	}
	for p := done; p < len(i); p++ {
		x, y := int(i[p])*stride, int(j[p])*stride
		dst[p] = Dot(a[x:x+k], a[y:y+k])
	}
}

// GramBlock writes dst[i*cols+j] = a_i·b_j for rows a_0…a_(rows−1) and
// b_0…b_(cols−1) of width k, which lie stride apart in a and b.
// k must be a multiple of Lanes.
func GramBlock(dst, a, b []float32, rows, cols, k, stride int) {
	if k%Lanes != 0 || k > stride || len(dst) < rows*cols ||
		rows > 0 && len(a) < (rows-1)*stride+k || cols > 0 && len(b) < (cols-1)*stride+k {
		panic(fmt.Sprintf("simd: GramBlock %d×%d of width %d, stride %d: lengths %d, %d, %d", rows, cols, k, stride, len(dst), len(a), len(b)))
	}
	if k == 0 {
		clear(dst[:rows*cols])
		return
	}
	gramBlock(dst, a, b, rows, cols, k, stride)
}

// CSRTile computes rows lo to hi of a sparse matrix times a tile of
// TileWidth columns:
//
//	dst[i·dstStride+c] = Σ_p values[p] · src[indices[p]·srcStride+c],  p = indptr[i] … indptr[i+1]−1
//
// Nil values stand for ones.
func CSRTile(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	if lo < 0 || hi >= len(indptr) || hi > lo && len(dst) < (hi-1)*dstStride+TileWidth {
		panic(fmt.Sprintf("simd: CSRTile rows %d to %d of %d into %d numbers", lo, hi, len(indptr)-1, len(dst)))
	}
	if hi > lo {
		csrTile(dst, dstStride, indptr, indices, values, src, srcStride, lo, hi)
	}
}

// DenseTile computes rows lo to hi of a dense matrix, whose rows of k numbers
// lie stride apart in a, times a tile of TileWidth columns:
//
//	dst[i·dstStride+c] = Σ_j a[i·stride+j] · src[j·srcStride+c]
func DenseTile(dst []float32, dstStride int, a []float32, stride, k int, src []float32, srcStride, lo, hi int) {
	if hi <= lo {
		return
	}
	if len(a) < (hi-1)*stride+k || len(dst) < (hi-1)*dstStride+TileWidth || k > 0 && len(src) < (k-1)*srcStride+TileWidth {
		panic(fmt.Sprintf("simd: DenseTile rows %d to %d of width %d: lengths %d, %d, %d", lo, hi, k, len(dst), len(a), len(src)))
	}
	denseTile(dst, dstStride, a, stride, k, src, srcStride, lo, hi)
}

// Axpy adds alpha·x to y.
func Axpy(alpha float32, x, y []float32) {
	y = y[:len(x)]
	done := axpy(alpha, x, y)
	for i := done; i < len(x); i++ {
		y[i] += alpha * x[i]
	}
}

// Min returns the smallest number of x and the first index that holds it.
// x must not be empty.
func Min(x []float32) (float32, int) {
	smallest, done := minimum(x)
	for _, v := range x[done:] {
		smallest = min(smallest, v)
	}
	for i, v := range x {
		if v == smallest {
			return smallest, i
		}
	}
	return smallest, 0 // only with NaN in x
}

// Bins writes the bin of every number of s in count equal parts of [−1, 1]:
//
//	dst[i] = ⌊(s[i]+1)·count/2⌋, at least 0 and at most count−1
//
// Bit i mod 8 of marks[i/8] says whether from ≤ dst[i] ≤ to or dst[i] ≥ above.
// dst needs the length of s, and marks an eighth of it, rounded up. Count is at
// most 2²⁴, so that the bins are exact.
func Bins(dst []int32, marks []uint8, s []float32, count, from, to, above int32) {
	dst, marks = dst[:len(s)], marks[:(len(s)+7)/8]
	done := bins(dst, marks, s, count, from, to, above) // a multiple of 8
	clear(marks[done/8:])
	scale, last := float32(count)/2, float32(count-1)
	for i := done; i < len(s); i++ {
		b := int32(min(max((s[i]+1)*scale, 0), last))
		dst[i] = b
		if b >= from && b <= to || b >= above {
			marks[i/8] |= 1 << (i % 8)
		}
	}
}

// ShiftScale writes dst = (x − shift)·scale.
func ShiftScale(dst, x []float32, shift, scale float32) {
	dst = dst[:len(x)]
	done := shiftScale(dst, x, shift, scale)
	for i := done; i < len(x); i++ {
		dst[i] = (x[i] - shift) * scale
	}
}

// Combine writes dst = a·x + b·y.
func Combine(dst []float32, a float32, x []float32, b float32, y []float32) {
	dst, y = dst[:len(x)], y[:len(x)]
	done := combine(dst, a, x, b, y)
	for i := done; i < len(x); i++ {
		dst[i] = a*x[i] + b*y[i]
	}
}

// Sum returns Σ xᵢ.
func Sum(x []float32) float32 {
	s, done := sum(x)
	for _, v := range x[done:] {
		s += v
	}
	return s
}

// AdamRates are the constants of one Adam step (Kingma and Ba 2015,
// algorithm 1): the decay rates β₁ and β₂, the step size lr/(1−β₁ᵗ), the
// factor 1/√(1−β₂ᵗ) and ε.
type AdamRates struct{ Beta1, Beta2, StepSize, Correction, Epsilon float32 }

// AdamRatesAt returns the constants of a step, counted from 1, with the usual
// decay rates 0.9 and 0.999 and ε = 10⁻⁸.
func AdamRatesAt(learningRate float64, step int) AdamRates {
	return AdamRates{
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
		StepSize:   float32(learningRate / (1 - math.Pow(0.9, float64(step)))),
		Correction: float32(1 / math.Sqrt(1-math.Pow(0.999, float64(step)))),
	}
}

// Adam makes one Adam step on the weights w with the gradient g, the first
// moments m and the second moments v:
//
//	m = β₁m + (1−β₁)g,  v = β₂v + (1−β₂)g²,  w −= StepSize · m / (√v·Correction + ε)
func Adam(w, g, m, v []float32, r AdamRates) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	done := adam(w, g, m, v, r)
	adamGo(w[done:], g[done:], m[done:], v[done:], r)
}
