package linalg

import (
	"math"
	"runtime"
	"time"
)

// Predictions of time are in multiply-adds of one core as [Rate] measures them. The packages
// that predict have constants of their own for what an operation costs.

// CopiedEntry is the cost of an entry that a pass of [Lengths] copies.
const CopiedEntry = 200

// GramCost returns the cost of a Gram matrix of n rows with d columns.
func GramCost(n, d float64) float64 { return n * d * (d/2*1.48 + 47) }

// Rate measures how many multiply-adds a second a core does, of those that costs are in: by
// Gram matrices, the largest part of many runs, one on each core, ten times. A dense product
// would not do: with AVX-512 it is up to twice as fast as with AVX2, and the parts are not.
func Rate() float64 {
	const n, d = 2048, 512
	z := New(n, d)
	for i := range z.Data {
		z.Data[i] = 1 // without SIMD, products skip zeros
	}
	part := Pass{Kind: PassGram}.Prepare()
	sums := make([]Matrix[float64], runtime.GOMAXPROCS(0))
	for core := range sums {
		sums[core] = NewMatrix[float64](d, d)
	}
	least := math.Inf(1) // seconds
	for range 10 {
		start := time.Now()
		Parallel(len(sums), 1, func(core, _ int) { part(InMemory(z), sums[core], 0, n) })
		least = min(least, time.Since(start).Seconds())
	}
	return GramCost(n, d) / least
}
