package engine

import (
	"math"
	"runtime"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/passes"
	"github.com/agekit/age/internal/rows"
)

// Job is what decides about the time and the memory of a run.
type Job struct {
	Nodes, Edges, Features, Layers int
	Members, Dims, Clusters        int // Dims of one member
	// Training is what training costs, in multiply-adds of a dense product.
	Training float64
	Workers  int
	Memory   int64 // of a worker, as in Engine
}

// Forecast is what a part of a run takes.
type Forecast struct {
	Name  string
	Tasks int // 0: this process does it
	// Work is in multiply-adds of one core ([Rate]).
	Work float64
	// Memory is what a worker holds, and Written what all write, in bytes.
	Memory, Written float64
}

// The costs of operations, in multiply-adds of one core as [Rate] measures them, fitted to
// stages on 100,000 to 3,000,000 nodes, and to smoothing up to 10,000,000 (docs/scale.md).
const (
	fetchOne   = 275   // of an entry of H with the row that it fetches, while the rows fit into a cache
	fetchWide  = 22    // more for each column
	fetchFar   = 310   // more for each doubling of the rows beyond it
	nearBytes  = 32e6  // that fit
	numberCost = 1100  // of a number of X, which is read, checked and written
	embedOne   = 0.94  // of a multiply-add of an embedding
	entryCost  = 84    // of an entry of the embedding in any pass
	unitCost   = 81    // of one more, where rows are scaled to length 1
	gramOne    = 1.26  // of a multiply-add of a Gram matrix
	lengthsOne = 0.67  // of one of lengths
	copyCost   = 200   // of an entry that these copy
	wideOne    = 2     // of a multiply-add in float64
	degreesOne = 5     // of one of degrees, where rows are too short for more
	addOne     = 1700  // of a number of a Gram matrix that a task writes, and this process adds up
	meansOne   = 4.2e4 // of a point and a center of k-means, with its runs and iterations
	judgeOne   = 3e4   // of an edge, where the clusters are judged
	taskCost   = 1.7e8
)

// Rate measures how many multiply-adds a second a core does, of those that costs are in: by
// Gram matrices, the largest part of many runs, one on each core, ten times. A dense product
// would not do: with AVX-512 it is up to twice as fast as with AVX2, and the parts are not.
func Rate() float64 {
	const n, d = 4096, 512
	z := dense.New(n, d)
	for i := range z.Data {
		z.Data[i] = 1 // without SIMD, products skip zeros
	}
	part := passes.Pass{Kind: passes.Gram}.Prepare()
	sums := make([]dense.Matrix[float64], runtime.GOMAXPROCS(0))
	for core := range sums {
		sums[core] = dense.NewMatrix[float64](d, d)
	}
	least := math.Inf(1) // seconds
	for range 10 {
		start := time.Now()
		parallel.Blocks(len(sums), 1, func(core, _ int) { part(rows.InMemory(z), sums[core], 0, n) })
		least = min(least, time.Since(start).Seconds())
	}
	return gramCost(n, d) / least
}

// gramCost is the cost of a Gram matrix of n rows with d columns.
func gramCost(n, d float64) float64 { return n * d * (d/2*gramOne + copyCost) }

// Stages returns the parts of a run in their order.
func (j Job) Stages() []Forecast {
	n, f := float64(j.Nodes), float64(j.Features)
	tile := width(j.Nodes, j.Features, j.Workers, j.Memory)
	blocks := (j.Features + tile - 1) / tile
	fetches := float64(j.Layers) * float64(2*j.Edges+j.Nodes) * float64(blocks)
	far := max(0, math.Log2(4*n*float64(tile)/nearBytes))
	all := []Forecast{
		{"smooth", blocks, fetches*(fetchOne+float64(tile)*fetchWide+far*fetchFar) + numberCost*n*f, 8 * n * float64(tile), 4 * n * f},
		{"training", 0, j.Training, 0, 0},
	}
	d := float64(j.Dims * j.Members)
	embed, unit := n*d*(f*embedOne+entryCost), 0.
	columns := float64(dense.WholePanels(j.Clusters))
	_, tasks := passes.Ranges(j.Nodes)
	pass := func(kind passes.Kind, more, memory, written float64) {
		all = append(all, Forecast{string(kind), tasks, embed + unit + more, 4*d*f + memory, written})
	}
	sums := func(groups float64) { pass(passes.Sums, 0, 8*groups*d, 8*groups*d*float64(tasks)) }
	gram := func() {
		pass(passes.Gram, gramCost(n, d)+float64(tasks)*d*d*addOne, 8*d*d, 8*d*d*float64(tasks))
	}
	product := func() { pass(passes.Product, n*d*columns*wideOne, 8*d*columns, 8*n*columns) }
	k := float64(j.Clusters)
	// Spectral clustering
	sums(1)
	pass(passes.Degrees, n*d*degreesOne, 0, 8*n)
	gram()
	product()
	// Of more nodes, ten runs see a sample, and one run sees all.
	sampled := min(n, cluster.SampledRows)
	all = append(all, Forecast{"k-means", 0, (sampled + (n-sampled)/10) * k * meansOne, 8 * n * (k + 6), 0})
	// Davies–Bouldin index
	sums(k)
	sums(1)
	gram()
	pass(passes.Lengths, n*d*(d/2*lengthsOne+copyCost), 8*d*d, 8*n)
	// Centers, and the explanation, by rows of length 1
	unit = n * d * unitCost
	sums(k)
	sums(k)
	product()
	all = append(all, Forecast{"files", 0, embed + float64(j.Edges)*judgeOne, 0, 4 * n * d})
	for i, part := range all {
		if part.Tasks > 0 {
			all[i].Work += float64(part.Tasks) * taskCost
		}
	}
	return all
}

// Seconds returns the time of a part with some workers, if a core does so many
// multiply-adds a second. A task takes one core: of the stages, only smoothing uses more.
func (f Forecast) Seconds(workers, cores int, rate float64) float64 {
	if f.Tasks == 0 {
		return f.Work / rate / float64(cores)
	}
	rounds := math.Ceil(float64(f.Tasks) / float64(workers))
	return f.Work / float64(f.Tasks) * rounds / rate
}
