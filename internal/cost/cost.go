// Package cost has what predictions of time are made of: what operations cost, and how fast
// this machine is. Costs are in multiply-adds of one core as [Rate] measures them. They decide
// how pairs are ranked and how many nodes a training samples (package encoder), and predict
// the time of a search for settings (package auto) and of tasks (package engine). Predictions
// only inform; a changed cost of a training, however, changes results on large graphs.
package cost

import (
	"math"
	"runtime"
	"time"

	"github.com/agekit/age/internal/linalg"
)

// The costs of a training, fitted to trainings on planted graphs of 10,000 to a million nodes
// (docs/bench/jobs.md), in multiply-adds of a dense float32 product, which takes about as long
// as those of [Rate]. BenchmarkCosts measures those of whole stages.
const (
	Step      = 1.35 // of a multiply-add of a step
	Pair      = 4    // of one of a pair, compared with others of a step: its rows come from anywhere
	Ranking   = 3.4  // of one that ranks a pair: the similarities are counted, too
	Embedding = 3    // of one of an embedding, which is written to memory
	Index     = 2    // of one of the Davies–Bouldin index
	Vector    = 20   // of one of the eigenvectors, in float64, with their orthogonalization
	Distance  = 3400 // of a distance of k-means, with its runs and iterations
	Edge      = 4    // of one along an edge
)

// The costs of tasks, fitted to stages on 100,000 to 3,000,000 nodes, and to smoothing up to
// 10,000,000 (docs/scale.md). BenchmarkCosts measures those of passes.
const (
	Fetch          = 275   // of an entry of H with the row that it fetches, while the rows fit into a cache
	FetchColumn    = 22    // more for each column
	FetchDoubling  = 310   // more for each doubling of the rows beyond CacheBytes
	CacheBytes     = 32e6  // of rows that fit
	Number         = 1100  // of a number of X, which is read, checked and written
	TaskEmbedding  = 0.94  // of a multiply-add of an embedding
	TaskEntry      = 84    // of an entry of the embedding in any pass
	UnitEntry      = 81    // of one more, where rows are scaled to length 1
	Gram           = 1.26  // of a multiply-add of a Gram matrix
	Lengths        = 0.67  // of one of lengths
	CopiedEntry    = 200   // of an entry that these copy
	Product        = 2     // of a multiply-add in float64
	Degree         = 5     // of one of degrees, where rows are too short for more
	AddedNumber    = 1700  // of a number of a Gram matrix that a task writes, and one process adds up
	SampleDistance = 4.2e4 // of a point and a center of k-means, with its runs and iterations
	JudgedEdge     = 3e4   // of an edge, where the clusters are judged
	Task           = 1.7e8
)

// The costs of a search for settings, with the iterations of the operations, fitted to the
// steps of searches on 13 generated graphs of 400 to 100,000 nodes and 12 real ones.
const (
	SearchStep       = 4.5e8  // of a thing to do, however small
	SearchVisit      = 27     // of an entry of the features
	SearchLikelihood = 40_000 // of a column in a cluster
	SearchEdge       = 1.1    // of a multiply-add along the edges, or of sparse features
	SearchProduct    = 6.3    // of one of matrices in float64, as for eigenvectors
	SearchDistance   = 160    // of one of k-means, for each run
	SearchMove       = 1.2e6  // of an edge's end, by Leiden
	SearchGradient   = 0.77   // of a multiply-add of matrices in float32, in a training
	SearchRanking    = 0.36   // of one that ranks pairs
	SearchEntry      = 470    // of an entry of an embedding
)

// Reference is the Rate of the machine of the searches, which has two cores: an AMD EPYC with
// AVX-512.
const Reference = 4.5e10

// GramOf returns the cost of a Gram matrix of n rows with d columns.
func GramOf(n, d float64) float64 { return n * d * (d/2*Gram + CopiedEntry) }

// Rate measures how many multiply-adds a second a core does, of those that costs are in: by
// Gram matrices, the largest part of many runs, one on each core, ten times. A dense product
// would not do: with AVX-512 it is up to twice as fast as with AVX2, and the parts are not.
func Rate() float64 {
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
	return GramOf(n, d) / least
}
