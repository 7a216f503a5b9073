package cost

import (
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/agekit/age/internal/linalg"
)

// Rate measures how many units of cost a core of this machine does in a second. All cores compute
// the Gram matrix of n rows with d columns, the largest part of many runs, at the same time; the
// fastest of ten tries counts. A dense product would not do: with AVX-512 it is up to twice as fast as
// with AVX2, and the parts of a run are not. A process measures it once, so that its estimates can be
// compared.
func Rate() float64 { return rate() }

var rate = sync.OnceValue(func() float64 {
	const n, d = 2048, 512
	z := linalg.New(n, d)
	for i := range z.Data {
		z.Data[i] = 1 // without SIMD, products skip zeros
	}
	part := linalg.Pass{Kind: linalg.PassGram}.Prepare()
	sums := make([]linalg.Matrix[float64], runtime.GOMAXPROCS(0))
	for core := range sums {
		sums[core] = linalg.NewMatrix[float64](d, d)
	}
	least := math.Inf(1) // seconds
	for range 10 {
		start := time.Now()
		linalg.Parallel(len(sums), 1, func(core, _ int) { part(linalg.InMemory(z), sums[core], 0, n) })
		least = min(least, time.Since(start).Seconds())
	}
	return GramMatrix(n, d).Cost() / least
})
