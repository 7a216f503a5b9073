package engine

import (
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/linalg"
)

// The costs of tasks in multiply-adds of a core ([linalg.Rate]), fitted to stages on 100,000 to
// 3,000,000 nodes, and to smoothing up to 10,000,000 (docs/scale.md). BenchmarkCosts measures
// those of passes.
const (
	fetchCost         = 275   // of an entry of H with the row that it fetches, while the rows fit into a cache
	fetchColumnCost   = 22    // more for each column
	fetchDoublingCost = 310   // more for each doubling of the rows beyond cacheBytes
	cacheBytes        = 32e6  // of rows that fit
	numberCost        = 1100  // of a number of X, which is read, checked and written
	embeddingCost     = 0.94  // of a multiply-add of an embedding
	entryCost         = 84    // of an entry of the embedding in any pass
	unitEntryCost     = 81    // of one more, where rows are scaled to length 1
	lengthsCost       = 0.67  // of a multiply-add of lengths
	productCost       = 2     // of one in float64
	degreeCost        = 5     // of one of degrees, where rows are too short for more
	addedNumberCost   = 1700  // of a number of a Gram matrix that a task writes, and one process adds up
	distanceCost      = 4.2e4 // of a point and a center of k-means, with its runs and iterations
	judgedEdgeCost    = 3e4   // of an edge, where the clusters are judged
	taskCost          = 1.7e8 // of any task
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
	// Work is in multiply-adds of one core ([linalg.Rate]).
	Work float64
	// Memory is what a worker holds, and Written what all write, in bytes.
	Memory, Written float64
}

// Stages returns the parts of a run in their order.
func (j Job) Stages() []Forecast {
	n, f := float64(j.Nodes), float64(j.Features)
	tile := width(j.Nodes, j.Features, j.Workers, j.Memory)
	blocks := (j.Features + tile - 1) / tile
	fetches := float64(j.Layers) * float64(2*j.Edges+j.Nodes) * float64(blocks)
	far := max(0, math.Log2(4*n*float64(tile)/cacheBytes))
	all := []Forecast{
		{"smooth", blocks, fetches*(fetchCost+float64(tile)*fetchColumnCost+far*fetchDoublingCost) + numberCost*n*f, 8 * n * float64(tile), 4 * n * f},
		{"training", 0, j.Training, 0, 0},
	}
	d := float64(j.Dims * j.Members)
	embed, unit := n*d*(f*embeddingCost+entryCost), 0.
	columns := float64(linalg.WholePanels(j.Clusters))
	_, tasks := linalg.PassRanges(j.Nodes)
	pass := func(kind linalg.PassKind, more, memory, written float64) {
		all = append(all, Forecast{string(kind), tasks, embed + unit + more, 4*d*f + memory, written})
	}
	sums := func(groups float64) { pass(linalg.Sums, 0, 8*groups*d, 8*groups*d*float64(tasks)) }
	gram := func() {
		pass(linalg.PassGram, linalg.GramCost(n, d)+float64(tasks)*d*d*addedNumberCost, 8*d*d, 8*d*d*float64(tasks))
	}
	product := func() { pass(linalg.Product, n*d*columns*productCost, 8*d*columns, 8*n*columns) }
	k := float64(j.Clusters)
	// Spectral clustering
	sums(1)
	pass(linalg.Degrees, n*d*degreeCost, 0, 8*n)
	gram()
	product()
	// Of more nodes, ten runs see a sample, and one run sees all.
	sampled := min(n, cluster.SampledRows)
	all = append(all, Forecast{"k-means", 0, (sampled + (n-sampled)/10) * k * distanceCost, 8 * n * (k + 6), 0})
	// Davies–Bouldin index
	sums(k)
	sums(1)
	gram()
	pass(linalg.Lengths, n*d*(d/2*lengthsCost+linalg.CopiedEntry), 8*d*d, 8*n)
	// Centers, and the explanation, by rows of length 1
	unit = n * d * unitEntryCost
	sums(k)
	sums(k)
	product()
	all = append(all, Forecast{"files", 0, embed + float64(j.Edges)*judgedEdgeCost, 0, 4 * n * d})
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
